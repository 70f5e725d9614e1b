//! Putting mail into the outbox, inside the transaction that causes it.

use crate::config::Config;
use std::borrow::Cow;

use crate::app::App;
use crate::boards::Board;
use crate::mailing::bounces::take_notices;
use crate::mailing::coalesce::{dropped_words, with_dropped};
use crate::mailing::content::{content_of, content_within};
use crate::mailing::readers::Reader;
use crate::mailing::reply_address::{Purpose, fits, pending};
use crate::mailing::reply_grant::{Subject, board_subject, tournament_subject};
use crate::mailing::styles::Wishes;
use crate::mailing::unsubscribe::Kind;
use crate::replies::{Addressee, BoardFacts, Envelope, Heading, MailForm, Note, Refusing, Reply};
use knotpost_model::{Address, BoardRef, Millis, TournamentName, UserKey};
use knotpost_platform::clock::random_bytes;
use knotpost_platform::secret::to_hex;
use knotpost_storage::{BoardMail, NewOutbox, OutboxContent, ReadTx, StoreError, UserRow, WriteTx};

/// The addresses the server writes to for this user.
pub(crate) async fn registered_addresses(
    tx: &mut ReadTx,
    config: &Config,
    user: UserKey,
) -> Result<Vec<String>, StoreError> {
    let confirmed_only = config.confirms_addresses();
    let rows = tx.addresses(user).await?;
    Ok(rows
        .into_iter()
        .filter(|row| row.verified_at.is_some() || !confirmed_only)
        .map(|row| row.address)
        .collect())
}

/// A new id of a mail. It begins with the time, so that the index over all ids grows at its end; the rest, 80 bits, is
/// drawn by lot, and nobody can guess it.
pub(crate) fn new_message_id(app: &App) -> Result<String, StoreError> {
    let lot: [u8; 10] = random_bytes(app.entropy.as_ref())?;
    Ok(app.own.message_id(&format!("{:012x}{}", app.clock.now().0, to_hex(&lot))))
}

/// Queues a mail to one address; `thread` holds the mail it answers, and what its own answers are about.
pub(crate) async fn post_answerable(
    tx: &mut WriteTx,
    app: &App,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
    thread: (Option<&str>, Option<Subject>),
    now: Millis,
) -> Result<(), StoreError> {
    let mail = compose(tx, app, reply, recipient, user, thread, None, now).await?;
    tx.insert_outbox(&mail).await
}

/// The reply, with no word of moves in its Subject where none can be made there.
fn told_truly(reply: &Reply) -> Cow<'_, Reply> {
    if reply.takes_move_in_subject() || reply.sheets().is_empty() {
        return Cow::Borrowed(reply);
    }
    let mut told = reply.clone();
    told.sheets_mut().into_iter().for_each(|sheet| sheet.by_subject = false);
    Cow::Owned(told)
}

/// The mail that says `reply`. With `most_bytes` it is text alone, cut where it would be larger.
#[expect(clippy::too_many_arguments, reason = "all that a mail is made of")]
pub(crate) async fn compose(
    tx: &mut WriteTx,
    app: &App,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
    thread: (Option<&str>, Option<Subject>),
    most_bytes: Option<usize>,
    now: Millis,
) -> Result<NewOutbox, StoreError> {
    let (in_reply_to, subject) = thread;
    let message_id = new_message_id(app)?;
    let reply = &told_truly(reply);
    // A board that answers no mail belongs to the thread of the board.
    let board = match &**reply {
        Reply::Board(sheet) if in_reply_to.is_none() => {
            sheet.number.map(|number| BoardRef { game: sheet.game.clone(), number })
        }
        _ => None,
    };
    let notices = match user {
        Some(user) => take_notices(tx, &app.config, user, &recipient.to_string(), now).await?,
        None => Vec::new(),
    };
    let wishes = if most_bytes.is_none() || reply.has_board() {
        Wishes::of_reader(tx, recipient, user).await?
    } else {
        Wishes::default()
    };
    let addressee = match user {
        Some(user) => tx.addressee(user, &recipient.key()).await?,
        None => None,
    };
    let envelope = Envelope {
        recipient: recipient.to_string(),
        addressee: addressee.map(|(userid, is_shared)| Addressee { userid, is_shared }),
        reply_to: subject.as_ref().map(|subject| pending(&app.own, subject.purpose(), &message_id)),
        unsubscribe: match user.zip(Kind::of(reply.template(), subject.as_ref())) {
            Some((user, kind)) => refuse(tx, app, kind, user, recipient, &message_id).await?,
            None => None,
        },
        message_id,
        date: now,
        in_reply_to: in_reply_to.map(ToOwned::to_owned),
        is_answer: in_reply_to.is_some(),
        board,
        form: match most_bytes {
            Some(_) => MailForm::Text,
            None => wishes.style_of_mail(reply).form,
        },
        notices,
    };
    let draft = app.composer.draft(&wishes.lay_out(reply), &envelope).map_err(StoreError::Corrupt)?;
    let content = match most_bytes {
        Some(most) => content_within(&app.config, app.composer.as_ref(), draft, most)?,
        None => content_of(draft)?,
    };
    Ok(NewOutbox {
        kind: reply.template(),
        content,
        on_reply: subject.map(|subject| subject.to_json()).transpose()?,
        recipient: envelope.recipient,
        user,
        message_id: envelope.message_id,
        date: now,
    })
}

/// The way in which the reader of such a mail takes no more of them.
async fn refuse(
    tx: &mut ReadTx,
    app: &App,
    kind: Kind,
    user: UserKey,
    recipient: &Address,
    message_id: &str,
) -> Result<Option<Refusing>, StoreError> {
    let Some(reader) = tx.user(user).await? else { return Ok(None) };
    let is_proven = tx.proven_address(user, &recipient.key()).await?.is_some();
    let reply_to = (is_proven && fits(app)).then(|| pending(&app.own, Purpose::End, message_id));
    Ok(Some(kind.ways(&app.links, &reader, reply_to)))
}

/// Queues a mail about a board, as it stands now, to all registered addresses of one who plays there; each can be
/// answered. `submitted` is the move that the mail shows and that is not made yet.
pub(crate) async fn post_to_player(
    tx: &mut WriteTx,
    app: &App,
    reply: &Reply,
    board: &Board,
    user: &UserRow,
    submitted: Option<&str>,
    now: Millis,
) -> Result<(), StoreError> {
    for recipient in registered_addresses(tx, &app.config, user.id).await? {
        if let Ok(address) = recipient.parse() {
            let subject = board_subject(tx, app, board, user, &recipient, submitted).await?;
            post_answerable(tx, app, reply, &address, Some(user.id), (None, subject), now).await?;
        }
    }
    Ok(())
}

/// Queues a mail to all registered addresses of a user.
pub(crate) async fn post_to_user(
    tx: &mut WriteTx,
    app: &App,
    reply: &Reply,
    user: UserKey,
    now: Millis,
) -> Result<(), StoreError> {
    for address in registered_addresses(tx, &app.config, user).await? {
        if let Ok(address) = address.parse() {
            post_answerable(tx, app, reply, &address, Some(user), (None, None), now).await?;
        }
    }
    Ok(())
}

/// Queues a mail about a tournament to all registered addresses of a user; each can be answered.
pub(crate) async fn post_about_tournament(
    tx: &mut WriteTx,
    app: &App,
    reply: &Reply,
    (tournament, user): (TournamentName, UserKey),
    now: Millis,
) -> Result<(), StoreError> {
    for recipient in registered_addresses(tx, &app.config, user).await? {
        if let Ok(address) = recipient.parse() {
            let subject = tournament_subject(tx, app, (tournament, user), &recipient).await?;
            post_answerable(tx, app, reply, &address, Some(user), (None, subject), now).await?;
        }
    }
    Ok(())
}

/// Time for which the mail of another's move waits while its reader has the board in sight.
const WAIT_MS: i64 = 10 * 60_000;

/// Queues the board, as it stands now, to those of these readers who want such mails; returns the others. `unreached` tells to whom mail comes
/// back. Called by `play::notifications` alone, which queues the events of webhooks as well.
pub(crate) async fn post_board(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: &BoardFacts,
    readers: Vec<Reader>,
    unreached: &[Note],
    now: Millis,
) -> Result<Vec<UserKey>, StoreError> {
    let (mut mails, mut unmailed) = (Vec::new(), Vec::new());
    for reader in readers {
        if reader.addresses.is_empty() {
            continue;
        }
        if !reader.takes_now(tx, board, facts, now).await? {
            // Words come at once, whatever mails about moves somebody wants.
            for recipient in &reader.addresses {
                let Some(words) = dropped_words(board, (reader.user, recipient), facts) else { continue };
                let words = BoardFacts { style: reader.style.clone(), ..words }.with_moment(board, now);
                mails.push(board_mail(app, board, (reader.user, recipient.clone()), &words, now)?);
            }
            unmailed.push(reader.user);
            continue;
        }
        let waits = facts.heading == Heading::Summary
            && !is_mover(board, reader.user)
            && app.signals.in_sight.has(&board.name(), reader.user, now);
        let mut facts = BoardFacts { style: reader.style, waits, ..facts.clone() }.with_moment(board, now);
        facts.notes.extend_from_slice(unreached);
        if reader.is_reachable {
            for address in reader.untold {
                tx.note_stop_told(reader.user, &address, now).await?;
                facts.notes.push(Note::Stopped { address });
            }
        }
        for recipient in reader.addresses {
            let facts = with_dropped(board, (reader.user, &recipient), facts.clone());
            mails.push(board_mail(app, board, (reader.user, recipient), &facts, now)?);
        }
    }
    tx.insert_outboxes(&mails).await?;
    Ok(unmailed)
}

/// True if the last move is theirs.
fn is_mover(board: &Board, user: UserKey) -> bool {
    board
        .entries
        .last()
        .is_some_and(|last| board.seat_of(user).is_some_and(|seat| seat.seat == last.row.seat))
}

/// A board mail about a board as it stands now.
fn board_mail(
    app: &App,
    board: &Board,
    (user, recipient): (UserKey, String),
    facts: &BoardFacts,
    now: Millis,
) -> Result<NewOutbox, StoreError> {
    let wait_ms = if facts.waits { WAIT_MS } else { 0 };
    let facts = serde_json::to_string(facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    Ok(NewOutbox {
        kind: "board",
        recipient,
        user: Some(user),
        on_reply: None,
        content: OutboxContent::Board(BoardMail { board: board.row.id, ply: board.row.ply, facts, wait_ms }),
        message_id: new_message_id(app)?,
        date: now,
    })
}

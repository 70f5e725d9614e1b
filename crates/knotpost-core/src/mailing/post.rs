//! Putting mail into the outbox, inside the transaction that causes it.

mod facts;

pub(crate) use facts::Ruling;
pub use facts::{BoardFacts, Heading, Note};

use crate::app::App;
use crate::boards::{Board, Standing};
use crate::mailing::bounces::take_notices;
use crate::mailing::coalesce::Coalescing;
use crate::mailing::pass::{Pass, reply_address_at};
use crate::mailing::readers::{BoardReaders, Reader, readers, readers_and_watchers};
use crate::mailing::token::ReplyTo;
use crate::play::proposals::note_of_proposal;
use crate::replies::letter::{MailForm, content_of, content_within, form_for};
use crate::replies::{Reply, Style};
use crate::requests::Prepared;
use crate::webhooks;
use knotpost_model::{Address, BoardRef, Millis, SeatState, UserKey};
use knotpost_platform::clock::random_bytes;
use knotpost_platform::secret::to_hex;
use knotpost_storage::{
    BoardMail, NewOutbox, OutboxContent, ReadTx, StoreError, UserRow, WaitingMail, WriteTx,
};

/// Everything around the content of a mail.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// To whom.
    pub recipient: String,
    /// Without angle brackets.
    pub message_id: String,
    /// The Date it carries.
    pub date: Millis,
    /// The message it answers.
    pub in_reply_to: Option<String>,
    /// Whether it answers a mail, or was caused by something else.
    pub is_answer: bool,
    /// The board whose thread it belongs to.
    pub board: Option<BoardRef>,
    /// The page on which its reader takes no more of its kind.
    pub unsubscribe: Option<String>,
    /// Which forms of it are wanted.
    pub form: MailForm,
    /// What its reader should know beside, whatever the mail is about.
    pub notices: Vec<String>,
    /// Where it is answered, when not at the server's plain address.
    pub reply_to: Option<String>,
}

/// The addresses the server writes to for this user.
pub(crate) async fn registered_addresses(
    tx: &mut ReadTx,
    app: &App,
    user: UserKey,
) -> Result<Vec<String>, StoreError> {
    let confirmed_only = app.config.confirms_addresses();
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

/// Queues a mail to one address; `in_reply_to` names the mail it answers.
///
/// # Errors
/// When the database fails or the mail cannot be written.
pub async fn post_to_address(
    tx: &mut WriteTx,
    app: &App,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
    in_reply_to: Option<&str>,
    now: Millis,
) -> Result<(), StoreError> {
    post_answerable(tx, app, reply, recipient, user, (in_reply_to, None), now).await
}

/// As [`post_to_address`], for a mail that is answered at an address of its own: `thread` holds the mail it answers
/// and that address.
pub(crate) async fn post_answerable(
    tx: &mut WriteTx,
    app: &App,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
    thread: (Option<&str>, Option<ReplyTo>),
    now: Millis,
) -> Result<(), StoreError> {
    let mail = compose(tx, app, reply, recipient, user, thread, None, now).await?;
    tx.insert_outbox(&mail).await
}

/// The mail that says `reply`. With `most_bytes` it is text alone, cut where it would be larger.
#[expect(clippy::too_many_arguments, reason = "all that a mail is made of")]
async fn compose(
    tx: &mut WriteTx,
    app: &App,
    reply: &Reply,
    recipient: &Address,
    user: Option<UserKey>,
    thread: (Option<&str>, Option<ReplyTo>),
    most_bytes: Option<usize>,
    now: Millis,
) -> Result<NewOutbox, StoreError> {
    let (in_reply_to, reply_to) = thread;
    // A board that answers no mail belongs to the thread of the board.
    let board = match reply {
        Reply::Board(sheet) if in_reply_to.is_none() => {
            sheet.number.map(|number| BoardRef { game: sheet.game.clone(), number })
        }
        _ => None,
    };
    let notices = match user {
        Some(user) => take_notices(tx, app, user, &recipient.to_string(), now).await?,
        None => Vec::new(),
    };
    let envelope = Envelope {
        recipient: recipient.to_string(),
        message_id: new_message_id(app)?,
        date: now,
        in_reply_to: in_reply_to.map(ToOwned::to_owned),
        is_answer: in_reply_to.is_some(),
        board,
        unsubscribe: None,
        form: match most_bytes {
            Some(_) => MailForm::Text,
            None => form_for(tx, reply, recipient, user).await?,
        },
        notices,
        reply_to: reply_to.and_then(|reply_to| reply_to.for_mail_to(&recipient.to_string())),
    };
    let draft = app.composer.draft(reply, &envelope).map_err(StoreError::Corrupt)?;
    let content = match most_bytes {
        Some(most) => content_within(app, draft, most)?,
        None => content_of(app, draft)?,
    };
    Ok(NewOutbox {
        kind: app.composer.kind(reply),
        content,
        recipient: envelope.recipient,
        user,
        message_id: envelope.message_id,
        date: now,
    })
}

/// The mail that answers the sender of a prepared command, not queued yet; `None`: there is no sender. Who answered a
/// board mail can answer this as well. With `most_bytes` it is text alone, cut where it would be larger.
///
/// # Errors
/// As [`post_to_address`].
pub(crate) async fn compose_answer(
    tx: &mut WriteTx,
    app: &App,
    prepared: &Prepared,
    reply: &Reply,
    in_reply_to: Option<&str>,
    most_bytes: Option<usize>,
    now: Millis,
) -> Result<Option<NewOutbox>, StoreError> {
    let Some(sender) = &prepared.origin.sender else { return Ok(None) };
    // Only who is shown the board as it is now can act on it.
    let reply_to = match prepared.pass().filter(|_| shows_board(reply)) {
        Some(pass) => answer_address(tx, app, pass, &sender.to_string(), now).await?,
        None => None,
    };
    let thread = (in_reply_to, reply_to);
    compose(tx, app, reply, sender, prepared.user(), thread, most_bytes, now).await.map(Some)
}

fn shows_board(reply: &Reply) -> bool {
    match reply {
        Reply::Board(_) => true,
        Reply::Error(error) => error.sheet.is_some(),
        _ => false,
    }
}

async fn answer_address(
    tx: &mut ReadTx,
    app: &App,
    pass: &Pass,
    recipient: &str,
    now: Millis,
) -> Result<Option<ReplyTo>, StoreError> {
    match Board::load(tx, app, &pass.board.game, pass.board.number as u32).await? {
        Some(board) => reply_address_at(tx, app, &board, &pass.user, recipient, None, now).await,
        None => Ok(None),
    }
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
    for recipient in registered_addresses(tx, app, user.id).await? {
        if let Ok(address) = recipient.parse() {
            let reply_to = reply_address_at(tx, app, board, user, &recipient, submitted, now).await?;
            post_answerable(tx, app, reply, &address, Some(user.id), (None, reply_to), now).await?;
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
    for address in registered_addresses(tx, app, user).await? {
        if let Ok(address) = address.parse() {
            post_to_address(tx, app, reply, &address, Some(user), None, now).await?;
        }
    }
    Ok(())
}

/// Queues the board, as it stands now, to each of its players and subscribers who wants it now.
pub(crate) async fn post_board(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: BoardFacts,
    now: Millis,
) -> Result<BoardFacts, StoreError> {
    let BoardReaders { readers, watchers: subscribers, waiting } =
        readers_and_watchers(tx, app, board).await?;
    let mut facts = BoardFacts { subscribers, ..facts };
    // A move makes a proposal void, so that only other mails have one to tell of.
    if facts.heading == Heading::Chat {
        facts.notes.extend(note_of_proposal(tx, board).await?);
    }
    post_to_readers(tx, app, board, &facts, readers, &waiting, now).await?;
    Ok(facts.with_moment(board, now))
}

/// Queues the board, as it stands now, to those of these users who want such mails.
pub(crate) async fn post_board_to(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: &BoardFacts,
    users: Vec<UserKey>,
    now: Millis,
) -> Result<(), StoreError> {
    let readers = readers(tx, app, board, users).await?;
    post_to_readers(tx, app, board, facts, readers, &[], now).await
}

async fn post_to_readers(
    tx: &mut WriteTx,
    app: &App,
    board: &Board,
    facts: &BoardFacts,
    readers: Vec<Reader>,
    waiting: &[WaitingMail],
    now: Millis,
) -> Result<(), StoreError> {
    let told: Vec<UserKey> =
        readers.iter().filter(|reader| reader.has_webhooks).map(|reader| reader.user).collect();
    if !told.is_empty() {
        webhooks::queue_for_board(tx, app, board, facts, &told, now).await?;
    }
    let (mut mails, mut coalescing) = (Vec::new(), Coalescing::new(waiting, board.row.ply));
    for reader in readers {
        if reader.addresses.is_empty() || !reader.takes_now(tx, board, facts, now).await? {
            continue;
        }
        let mut facts = BoardFacts { style: reader.style, ..facts.clone() }.with_moment(board, now);
        if reader.is_reachable {
            for address in reader.untold {
                tx.note_stop_told(reader.user, &address, now).await?;
                facts.notes.push(Note::Stopped { address });
            }
        }
        for recipient in reader.addresses {
            let Some(facts) = coalescing.add((reader.user, &recipient), &facts)? else { continue };
            mails.push(NewOutbox {
                kind: "board",
                recipient,
                user: Some(reader.user),
                content: OutboxContent::Board(BoardMail { board: board.row.id, ply: board.row.ply, facts }),
                message_id: new_message_id(app)?,
                date: now,
            });
        }
    }
    coalescing.write(tx, board.row.id, now).await?;
    tx.insert_outboxes(&mails).await
}

/// The players who are on vacation, each once.
fn away(board: &Board, style: &Style, now: Millis) -> Vec<Note> {
    let mut notes = Vec::new();
    if matches!(board.standing(), Standing::Over(_)) {
        return notes;
    }
    for row in board.seats.iter().filter(|row| row.state == SeatState::Playing) {
        if let Some(until) = row.away_until.map(Millis).filter(|until| *until > now) {
            let note = Note::Away { userid: row.userid.clone(), until: style.show_time(until) };
            if !notes.contains(&note) {
                notes.push(note);
            }
        }
    }
    notes
}

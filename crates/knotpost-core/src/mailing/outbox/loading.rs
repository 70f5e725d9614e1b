//! Loads the sources of a mail of the outbox: board, seats, remarks or letter, read in one transaction.
//!
//! Knows neither transports nor how a mail is written: the same function shows an administrator a mail that waits.

use std::sync::Arc;

use knotpost_rules::View;
use serde_json::json;

use crate::app::App;
use crate::boards::{Board, Games, view_again};
use crate::mailing::bounces::{CONFIRMATION_KIND, STOPPED};
use crate::mailing::outbox::LeasedMail;
use crate::mailing::references::Reference;
use crate::mailing::reply_address::{MailRef, Purpose, fits, set_addresses};
use crate::mailing::styles::style_of;
use crate::mailing::unsubscribe::{Kind, refusable};
use crate::mailing::{login_mails, postmaster, puzzles};
use crate::ratings::board_ratings;
use crate::replies::{
    Addressee, Answers, BoardFacts, Envelope, Heading, Letter, Listing, MailForm, Refusing, Reply, Sheet,
    Spoken, StoredDraft,
};
use knotpost_model::{BoardKey, BoardState, Millis, UserKey};
use knotpost_storage::{
    ALL_GAMES, BoardPlace, DO_NOT_MAIL, DeliveryStatus, OutboxRow, ReadTx, SeatRow, StoreError,
};

/// Reason to drop a mail whose subject has passed.
const OF_NO_USE: &str = "of no use any more";

/// Source that a mail is written from.
#[derive(Debug)]
pub enum MailContent {
    Reply(Box<(Reply, Envelope)>),
    /// A letter with pictures, each by its content id.
    Letter(Box<Letter>, Vec<(String, Arc<View>)>),
    /// There is nothing to send any more, for this reason.
    Dropped(&'static str),
}

/// Loads what a leased mail is written from; `None`: it has ended, or another process has leased it.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub async fn load_mail(app: &App, mail: &LeasedMail) -> Result<Option<MailContent>, StoreError> {
    let row = &mail.row;
    let mut tx = app.store.read().await?;
    let Some(status) = tx.delivery_status(row, mail.until).await?.filter(|status| status.is_leased) else {
        return Ok(None);
    };
    if status.is_blocked {
        return Ok(Some(MailContent::Dropped(DO_NOT_MAIL)));
    }
    if status.is_stopped && row.kind != CONFIRMATION_KIND {
        return Ok(Some(MailContent::Dropped(STOPPED)));
    }
    load_content(&mut tx, app, row, &status).await.map(Some)
}

/// Loads the content of a mail that is not leased, as it would be sent now.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub async fn load_unleased(app: &App, row: &OutboxRow) -> Result<MailContent, StoreError> {
    let mut tx = app.store.read().await?;
    match tx.delivery_status(row, Millis(0)).await? {
        Some(status) => load_content(&mut tx, app, row, &status).await,
        None => Ok(MailContent::Dropped(OF_NO_USE)),
    }
}

async fn load_content(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    status: &DeliveryStatus,
) -> Result<MailContent, StoreError> {
    let Some(facts) = &row.facts else {
        return Err(StoreError::Corrupt("an outgoing mail has no facts".to_owned()));
    };
    let (Some(board), Some(ply)) = (row.board_id, row.ply) else {
        return load_reference(tx, app, row, status, facts).await;
    };
    let facts: BoardFacts =
        serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let letter = match position_after(tx, &app.games, BoardKey(board), ply).await? {
        Some((board, movers))
            if !(facts.waits && row.user_id.is_some_and(|user| movers.contains(&user.into()))) =>
        {
            letter_about(tx, app, &facts, &board, (row, status)).await?
        }
        _ => None,
    };
    Ok(letter.unwrap_or(MailContent::Dropped("superseded")))
}

/// A board mail: rebuilt from the stored moves, so that it says the same however late it is sent. `None`: nobody needs to
/// be told that any more.
async fn letter_about(
    tx: &mut ReadTx,
    app: &App,
    facts: &BoardFacts,
    board: &Board,
    (row, status): (&OutboxRow, &DeliveryStatus),
) -> Result<Option<MailContent>, StoreError> {
    let (reader, is_answerable) = (status.reader.as_ref(), status.address.is_some() && fits(app));
    // No player is reminded of a move already made.
    let is_present = board.row.ply == board.entries.len() as i64 && board.row.state == BoardState::Active;
    let is_waited_for = || reader.is_some_and(|reader| is_waited_for(board, reader.id, row.date));
    if facts.heading == Heading::Nag && !(is_present && is_waited_for()) {
        return Ok(None);
    }
    let remarks = tx.remarks(&facts.remarks()).await?;
    let kind =
        reader.and_then(|reader| refusable((board.row.id, &board.seats), facts.heading, &remarks, reader.id));
    let address = |purpose| MailRef::from(row).address(app, purpose);
    let end = is_answerable.then(|| address(Purpose::End));
    let unsubscribe = kind.zip(reader).map(|(kind, reader)| kind.ways(&app.links, reader, end));
    let player = reader.filter(|reader| is_answerable && board.seat_of(reader.id).is_some());
    let userid = reader.map(|reader| reader.userid.as_str());
    let mut sheet = Sheet {
        spoken: remarks.into_iter().map(Spoken::from).collect(),
        ratings: board_ratings::change_lines(tx, board).await?,
        answers: player.map(|player| Answers::of(board, facts, player)),
        ..Sheet::of(board, facts, userid, Listing::Recent, row.date)
    };
    match facts.others_waiting {
        0 => {}
        1 => sheet.notes.push("One more game waits for you.".to_owned()),
        others => sheet.notes.push(format!("{others} more games wait for you.")),
    }
    if let Some(pairing) = board.row.pairing_id
        && let Some(place) = tx.place_of_pairing(pairing).await?
    {
        let BoardPlace { id, form, title, round, pool } = place;
        let place = form.describe_place(&pool, round);
        sheet.notes.insert(0, format!("Tournament {id} {title}, {place}"));
    }
    let envelope = Envelope {
        board: Some(board.name()),
        reply_to: player.map(|_| address(Purpose::Reply)),
        ..envelope_of(row, status, unsubscribe, facts.style.form)
    };
    Ok(Some(MailContent::Reply(Box::new((Reply::Board(Box::new(sheet)), envelope)))))
}

/// True if this player is still to move, and not away.
fn is_waited_for(board: &Board, user: UserKey, now: Millis) -> bool {
    let is_here = |row: &SeatRow| row.user_id == user && row.away_until.is_none_or(|until| until <= now.0);
    board.mover().is_some_and(is_here)
}

/// The board after `ply` moves, and who has moved since; `None`: it does not exist any more, or was taken back behind that
/// move.
async fn position_after(
    tx: &mut ReadTx,
    games: &Games,
    board: BoardKey,
    ply: i64,
) -> Result<Option<(Board, Vec<UserKey>)>, StoreError> {
    let Some(found) = tx.seated_board(board).await?.filter(|found| found.board.ply >= ply) else {
        return Ok(None);
    };
    let board = Board::from_seated(tx, games, found).await?;
    let after = usize::try_from(ply).unwrap_or(0);
    let later = board.entries.iter().skip(after).filter(|entry| !entry.row.auto);
    let seats: Vec<i64> = later.map(|entry| entry.row.seat).collect();
    let movers =
        board.seats.iter().filter(|seat| seats.contains(&seat.seat)).map(|seat| seat.user_id).collect();
    let board = if board.row.ply == ply { board } else { board.at(games, after)? };
    Ok(Some((board, movers)))
}

/// The content of a mail that refers to something stored other than a board.
async fn load_reference(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    status: &DeliveryStatus,
    facts: &str,
) -> Result<MailContent, StoreError> {
    let reference: Reference =
        serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let now = app.clock.now();
    if let Reference::Letter(stored) = reference {
        return load_letter(tx, app, row, *stored, now).await;
    }
    let Some(reader) = &status.reader else { return Ok(MailContent::Dropped(OF_NO_USE)) };
    let ways = |kind: Kind| {
        let is_answerable = status.address.is_some() && fits(app);
        let end = is_answerable.then(|| MailRef::from(row).address(app, Purpose::End));
        Some(kind.ways(&app.links, reader, end))
    };
    let plain = |reply: Reply| (reply, None, None);
    let found = match reference {
        Reference::Broadcast(id) => tx.broadcast(id).await?.map(|said| {
            let facts = json!({ "reader": reader.userid, "from": said.userid, "text": said.text });
            (Reply::said("broadcast", facts), ways(Kind::Broadcasts), None)
        }),
        Reference::Puzzles(day) => {
            let reply = puzzles::letter(tx, app, reader, day, now).await?;
            reply.map(|reply| (reply, ways(Kind::Puzzles), None))
        }
        Reference::Postmaster(sealed) => {
            postmaster::letter(app, &sealed).map(|(reply, reply_to)| (reply, None, reply_to))
        }
        Reference::Reset(at) => {
            login_mails::password_reset(tx, &app.links, reader.id, at, now).await?.map(plain)
        }
        Reference::Magic(at) => login_mails::login_link(tx, &app.links, reader.id, at, now).await?.map(plain),
        Reference::Letter(_) => None,
    };
    let Some((reply, unsubscribe, reply_to)) = found else { return Ok(MailContent::Dropped(OF_NO_USE)) };
    let form = style_of(tx, reader.id, ALL_GAMES).await?.form;
    let envelope = Envelope { reply_to, ..envelope_of(row, status, unsubscribe, form) };
    Ok(MailContent::Reply(Box::new((reply, envelope))))
}

/// A mail that was put into words when it was queued, but for its addresses and pictures.
async fn load_letter(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    stored: StoredDraft,
    now: Millis,
) -> Result<MailContent, StoreError> {
    let StoredDraft { mut letter, pictures } = stored;
    set_addresses(app, MailRef::from(row), &mut letter);
    let mut views = Vec::with_capacity(pictures.len());
    for (content_id, basis) in pictures {
        // A picture that cannot be drawn any more must not hold the text back.
        match view_again(tx, &app.games, &basis, now).await {
            Ok(view) => views.extend(view.map(|view| (content_id, view))),
            Err(error) if error.is_transient() => return Err(error),
            Err(error) => tracing::error!(
                outbox = row.id.0,
                error = error.with_causes(),
                "a picture is left out of a mail"
            ),
        }
    }
    Ok(MailContent::Letter(Box::new(letter), views))
}

/// The envelope of a mail that belongs to no thread and is sent from what is stored.
fn envelope_of(
    row: &OutboxRow,
    status: &DeliveryStatus,
    unsubscribe: Option<Refusing>,
    form: MailForm,
) -> Envelope {
    let reader = status.reader.as_ref().filter(|_| status.address.is_some());
    let addressee =
        reader.map(|reader| Addressee { userid: reader.userid.clone(), is_shared: status.is_shared });
    Envelope {
        recipient: row.recipient.clone(),
        addressee,
        message_id: row.message_id.clone(),
        date: row.date,
        in_reply_to: None,
        is_answer: false,
        board: None,
        unsubscribe,
        form,
        notices: Vec::new(),
        reply_to: None,
    }
}

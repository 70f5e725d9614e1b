//! Loads the sources of a mail of the outbox: board, seats, remarks or letter, read in one transaction.
//!
//! Knows neither transports nor how a mail is written: the same function shows an administrator a mail that waits.

use std::sync::Arc;

use knotpost_rules::View;

use crate::app::App;
use crate::boards::{Board, view_again};
use crate::mailing::board_letters::{BoardLetter, Sources, letter_by_reference};
use crate::mailing::bounces::{CONFIRMATION_KIND, STOPPED};
use crate::mailing::outbox::LeasedMail;
use crate::mailing::references::{Referred, referred_to};
use crate::mailing::reply_address::{MailRef, Purpose, fits, set_addresses};
use crate::replies::{Addressee, BoardFacts, Envelope, Letter, MailForm, Refusing, Reply, StoredDraft};
use knotpost_model::{BoardKey, BoardRef, Millis};
use knotpost_storage::{DO_NOT_MAIL, DeliveryStatus, OutboxRow, ReadTx, StoreError};

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
        None => Ok(MailContent::Dropped("of no use any more")),
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
    let letter = match position_after(tx, app, BoardKey(board), ply).await? {
        Some(board) => {
            let remarks = tx.remarks(&facts.remarks()).await?;
            let is_proven = status.address.is_some();
            let sources = Sources { remarks, reader: status.reader.clone(), is_proven };
            letter_by_reference(tx, app, &facts, &board, sources, (MailRef::from(row), row.date)).await?
        }
        None => None,
    };
    let Some(BoardLetter { sheet, reply_to, unsubscribe }) = letter else {
        return Ok(MailContent::Dropped("superseded"));
    };
    let board = BoardRef { game: sheet.game.clone(), number: sheet.number.unwrap_or(0) };
    let form = facts.style.form;
    let envelope = Envelope { board: Some(board), reply_to, ..envelope_of(row, status, unsubscribe, form) };
    Ok(MailContent::Reply(Box::new((Reply::Board(Box::new(sheet)), envelope))))
}

/// The board after `ply` moves; `None`: it does not exist any more, or was taken back behind that move.
async fn position_after(
    tx: &mut ReadTx,
    app: &App,
    board: BoardKey,
    ply: i64,
) -> Result<Option<Board>, StoreError> {
    let Some(found) = tx.seated_board(board).await?.filter(|found| found.board.ply >= ply) else {
        return Ok(None);
    };
    let moves = tx.moves(board).await?;
    let board = Board::from_moves(tx, app, found, moves).await?;
    if board.row.ply == ply {
        Ok(Some(board))
    } else {
        board.at(app, usize::try_from(ply).unwrap_or(0)).map(Some)
    }
}

/// The content of a mail that refers to something stored other than a board.
async fn load_reference(
    tx: &mut ReadTx,
    app: &App,
    row: &OutboxRow,
    status: &DeliveryStatus,
    facts: &str,
) -> Result<MailContent, StoreError> {
    let now = app.clock.now();
    let end = (status.address.is_some() && fits(app)).then(|| MailRef::from(row).address(app, Purpose::End));
    match referred_to(tx, app, facts, (row.user_id, end), now).await? {
        None => Ok(MailContent::Dropped("of no use any more")),
        Some(Referred::Reply { reply, unsubscribe, reply_to, form }) => {
            let envelope = Envelope { reply_to, ..envelope_of(row, status, unsubscribe, form) };
            Ok(MailContent::Reply(Box::new((reply, envelope))))
        }
        Some(Referred::Letter(stored)) => {
            let StoredDraft { mut letter, pictures } = *stored;
            set_addresses(app, MailRef::from(row), &mut letter);
            let mut views = Vec::with_capacity(pictures.len());
            for (content_id, basis) in pictures {
                // A picture that cannot be drawn any more must not hold the text back.
                match view_again(tx, app, &basis, now).await {
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
    }
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

//! What becomes of a mail that was taken from the outbox: written, sent, noted. No transaction is open while it is
//! sent.

use std::sync::Arc;
use std::time::Duration;

use knotpost_rules::View;

use super::backoff::{Retry, after_failure};
use super::post::{board_envelope, plain_envelope};
use super::sender::Leased;
use super::transport::{SendError, Transport};
use crate::app::App;
use crate::clock::random_bytes;
use crate::domain::{BoardKey, BoardRef, Millis, Trouble};
use crate::gallery::Look;
use crate::service::{
    BoardFacts, BoardLetter, CONFIRMATION_KIND, Drawn, Envelope, Referred, Reply, STOPPED, StoredDraft,
    give_way, letter_by_reference, record_trouble, referred_to, view_again,
};
use crate::store::{OutboxRow, StoreError, Tx};

/// A mail server that takes longer for one mail is left.
const PATIENCE: Duration = Duration::from_mins(2);

/// What a mail became before it is sent.
#[derive(Clone, Debug)]
pub enum Made {
    /// The message.
    Message(Vec<u8>),
    /// Nothing to send any more, and why.
    Dropped(&'static str),
}

/// `None`: it has ended, or somebody else has it.
pub(super) async fn make_unless_stopped(app: &App, leased: &Leased) -> Result<Option<Made>, StoreError> {
    let row = &leased.row;
    let mut tx = app.store.read().await?;
    let Some(outlook) = tx.outlook(row.id, leased.until, &row.recipient.to_lowercase()).await? else {
        return Ok(None);
    };
    if outlook.is_stopped && row.kind != CONFIRMATION_KIND {
        return Ok(Some(Made::Dropped(STOPPED)));
    }
    if outlook.has_newer {
        drop(tx);
        if give_way(app, row).await? {
            return Ok(None);
        }
        tx = app.store.read().await?;
    }
    make(tx, app, row).await.map(Some)
}

/// The message of a row as it is sent now.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub async fn make(mut tx: Tx, app: &App, row: &OutboxRow) -> Result<Made, StoreError> {
    if let Some(bytes) = &row.rendered {
        return Ok(Made::Message(bytes.clone()));
    }
    if let (None, Some(facts)) = (row.board_id, &row.facts) {
        return make_by_reference(tx, app, row, facts).await;
    }
    let (Some(board), Some(ply), Some(facts)) = (row.board_id, row.ply, &row.facts) else {
        return Err(StoreError::Corrupt("an outgoing mail has neither text nor facts".to_owned()));
    };
    let facts: BoardFacts =
        serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let reader = match row.user_id {
        Some(user) => tx.user(user.into()).await?,
        None => None,
    };
    let letter = letter_by_reference(
        &mut tx,
        app,
        (BoardKey(board), ply),
        &facts,
        reader.as_ref(),
        &row.recipient,
        row.date,
    )
    .await?;
    drop(tx);
    let Some(BoardLetter { sheet, reply_to, unsubscribe }) = letter else {
        return Ok(Made::Dropped("superseded"));
    };
    let name = BoardRef { game: sheet.game.clone(), number: sheet.number.unwrap_or(0) };
    let envelope = board_envelope(&row.recipient, &row.message_id, row.date, name, reply_to);
    let envelope = Envelope { form: facts.style.form, unsubscribe, ..envelope };
    write(app, &Reply::Board(Box::new(sheet)), &envelope).await.map(Made::Message)
}

/// A mail that names something stored which is no board.
async fn make_by_reference(mut tx: Tx, app: &App, row: &OutboxRow, facts: &str) -> Result<Made, StoreError> {
    let now = app.clock.now();
    match referred_to(&mut tx, app, facts, row.user_id, now).await? {
        None => Ok(Made::Dropped("of no use any more")),
        Some(Referred::Reply { reply, unsubscribe, form }) => {
            drop(tx);
            let plain = plain_envelope(&row.recipient, &row.message_id, row.date);
            let envelope = Envelope { unsubscribe, form, ..plain };
            write(app, &reply, &envelope).await.map(Made::Message)
        }
        Some(Referred::Letter(stored)) => {
            let StoredDraft { letter, pictures } = *stored;
            let mut views = Vec::with_capacity(pictures.len());
            for (content_id, basis) in pictures {
                // A picture that cannot be had any more must not keep the words back.
                match view_again(&mut tx, app, &basis, now).await {
                    Ok(view) => views.extend(view.map(|view| (content_id, view))),
                    Err(error) if error.is_transient() => return Err(error),
                    Err(error) => tracing::error!(
                        outbox = row.id.0,
                        error = error.with_causes(),
                        "a picture is left out of a mail"
                    ),
                }
            }
            drop(tx);
            let drawn = draw(app, views).await;
            app.composer.write(&letter, &drawn).map(Made::Message).map_err(StoreError::Corrupt)
        }
    }
}

/// The whole message, its pictures drawn.
async fn write(app: &App, reply: &Reply, envelope: &Envelope) -> Result<Vec<u8>, StoreError> {
    let draft = app.composer.draft(reply, envelope).map_err(StoreError::Corrupt)?;
    let views = draft.pictures.into_iter().map(|picture| (picture.content_id, picture.view)).collect();
    let drawn = draw(app, views).await;
    app.composer.write(&draft.letter, &drawn).map_err(StoreError::Corrupt)
}

async fn draw(app: &App, views: Vec<(String, Arc<View>)>) -> Vec<Drawn> {
    let mut drawn = Vec::with_capacity(views.len());
    for (content_id, view) in views {
        if let Some(png) = app.gallery.draw(view, Look::MAIL).await {
            drawn.push(Drawn { content_id, png });
        }
    }
    drawn
}

/// Whether it has left, which is still to be noted; if not, what became of it is noted.
pub(super) async fn send(
    app: &App,
    transport: &Transport,
    row: &OutboxRow,
    bytes: &[u8],
) -> Result<bool, StoreError> {
    let return_path =
        app.own.bounce(&row.id.0.to_string(), &app.links.bounce_signature(row.id.0, &row.recipient));
    let sending = transport.send(Some(&return_path), &row.recipient, bytes);
    let outcome = tokio::time::timeout(PATIENCE, sending)
        .await
        .unwrap_or_else(|_| Err(SendError::Transient("the mail server did not answer in time".to_owned())));
    let kind = row.kind.clone();
    match outcome {
        Ok(()) => {
            metrics::counter!("knotpost_mails_sent", "kind" => kind).increment(1);
            return Ok(true);
        }
        Err(SendError::Permanent(why)) => {
            tracing::warn!(outbox = row.id.0, error = %why, "a mail was refused");
            finish(app, row, "failed", why).await?;
        }
        Err(SendError::Recipient(why)) => {
            tracing::warn!(outbox = row.id.0, error = %why, "the recipient of a mail was refused");
            finish_refused(app, row, why).await?;
        }
        Err(SendError::Transient(why)) => defer(app, row, why).await?,
    }
    Ok(false)
}

pub(super) async fn finish(
    app: &App,
    row: &OutboxRow,
    state: &'static str,
    why: String,
) -> Result<(), StoreError> {
    let (key, now) = (row.id, app.clock.now());
    app.store
        .write(move |tx| {
            let why = why.clone();
            Box::pin(async move { tx.finish_outbox(key, state, Some(&why), now).await })
        })
        .await
}

/// A recipient that is refused for good counts as a mail that came back.
async fn finish_refused(app: &App, row: &OutboxRow, why: String) -> Result<(), StoreError> {
    let (key, now, recipient) = (row.id, app.clock.now(), row.recipient.clone());
    // Without words of its own a refusal for good says that there is nobody.
    let trouble = Trouble::from_words(&why).or_else(|| Trouble::judge("5.0.0", &why));
    app.store
        .write(move |tx| {
            let (why, recipient, trouble) = (why.clone(), recipient.clone(), trouble.clone());
            Box::pin(async move {
                if let Some(trouble) = &trouble {
                    record_trouble(tx, key, &recipient, trouble, now).await?;
                }
                tx.finish_outbox(key, "failed", Some(&why), now).await
            })
        })
        .await
}

pub(super) async fn defer(app: &App, row: &OutboxRow, why: String) -> Result<(), StoreError> {
    let now = app.clock.now();
    let random = u64::from_le_bytes(random_bytes(app.entropy.as_ref())?);
    let attempts = u32::try_from(row.attempts).unwrap_or(u32::MAX);
    match after_failure(attempts, now.since(row.date).0, random) {
        Retry::GiveUp => {
            tracing::warn!(outbox = row.id.0, error = %why, "a mail could not be sent for days; it is given up");
            finish(app, row, "failed", why).await
        }
        Retry::In(pause) => {
            tracing::info!(outbox = row.id.0, error = %why, pause_ms = pause, "a mail is put off");
            let (key, due): (_, Millis) = (row.id, now.plus(pause));
            app.store
                .write(move |tx| {
                    let why = why.clone();
                    Box::pin(async move { tx.defer_outbox(key, Some(&why), due).await })
                })
                .await
        }
    }
}

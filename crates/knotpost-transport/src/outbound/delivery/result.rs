//! Hands a mail to the transport and records the result: failed, dropped, or deferred to a later attempt.
//!
//! No transaction is open while a mail is sent. That a mail was sent is acknowledged elsewhere.

use std::time::Duration;

use sha2::{Digest as _, Sha256};

use super::backoff::{Retry, after_failure};
use crate::outbound::transports::maildir::Attempt;
use crate::outbound::transports::{Beginning, Outgoing, SendError, Transport};
use knotpost_core::app::App;
use knotpost_core::mailing::record_trouble;
use knotpost_model::{Millis, Trouble};
use knotpost_platform::clock::random_bytes;
use knotpost_storage::{OutboxRow, StoreError};

/// How long sending one mail may take.
const SEND_TIMEOUT: Duration = Duration::from_mins(2);

/// A leased mail as it is sent: signed, with its envelope.
#[derive(Debug)]
pub(super) struct ReadyMail {
    pub(super) row: OutboxRow,
    return_path: String,
    file: String,
    bytes: Vec<u8>,
}

impl ReadyMail {
    pub(super) fn new(app: &App, row: OutboxRow, bytes: Vec<u8>) -> Self {
        let signature = app.links.bounce_signature(row.id.0, &row.recipient);
        let return_path = app.own.bounce(&row.id.0.to_string(), &signature);
        let file = file_name(&row);
        Self { row, return_path, file, bytes }
    }

    fn outgoing(&self) -> Outgoing<'_> {
        let attempt = if self.row.attempts > 1 { Attempt::Repeated } else { Attempt::First };
        Outgoing {
            from: Some(&self.return_path),
            to: &self.row.recipient,
            bytes: &self.bytes,
            file: Some((&self.file, attempt)),
        }
    }
}

/// The file name of a mail, the same for each attempt: a mail sent again after a crash before its acknowledgement
/// replaces the file that is there.
fn file_name(row: &OutboxRow) -> String {
    // Rows of another database may have the same numbers.
    let id = Sha256::digest(row.message_id.as_bytes());
    let id = id.iter().take(6).fold(String::new(), |hex, byte| format!("{hex}{byte:02x}"));
    format!("{}.R{:010}I{id}.knotpost", row.date.0.div_euclid(1000), row.id.0)
}

/// Sends a mail, and begins the next one where the relay pipelines.
pub(super) async fn send(
    transport: &Transport,
    mail: &ReadyMail,
    begun: Beginning,
    next: Option<&ReadyMail>,
) -> (Result<(), SendError>, Beginning) {
    let (mail, next) = (mail.outgoing(), next.map(ReadyMail::outgoing));
    let sending = transport.send(&mail, begun, next.as_ref());
    tokio::time::timeout(SEND_TIMEOUT, sending).await.unwrap_or_else(|_| {
        let late = SendError::Transient("the mail server did not answer in time".to_owned());
        (Err(late), Beginning::default())
    })
}

/// What came of a mail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum DeliveryResult {
    /// It was sent, and has to be acknowledged.
    Sent,
    /// It was not sent, and its row says so.
    Recorded,
}

/// Counts a mail that was sent; records why another one was not.
///
/// # Errors
/// When the database fails.
pub(super) async fn record_result(
    app: &App,
    row: &OutboxRow,
    sent: Result<(), SendError>,
) -> Result<DeliveryResult, StoreError> {
    let kind = row.kind.clone();
    match sent {
        Ok(()) => {
            metrics::counter!("knotpost_mails_sent", "kind" => kind).increment(1);
            return Ok(DeliveryResult::Sent);
        }
        Err(SendError::Permanent(why)) => {
            tracing::warn!(outbox = row.id.0, error = %why, "a mail was refused");
            finish(app, row, "failed", why).await?;
        }
        Err(SendError::Recipient(why)) => {
            tracing::warn!(outbox = row.id.0, error = %why, "the recipient of a mail was refused");
            finish_rejected_recipient(app, row, why).await?;
        }
        Err(SendError::Transient(why)) => defer(app, row, why).await?,
    }
    Ok(DeliveryResult::Recorded)
}

/// Ends a mail in this state, for this reason.
///
/// # Errors
/// When the database fails.
pub(super) async fn finish(
    app: &App,
    row: &OutboxRow,
    state: &'static str,
    why: String,
) -> Result<(), StoreError> {
    let (key, now) = (row.id, app.clock.now());
    app.store
        .write_queue(move |tx| {
            let why = why.clone();
            Box::pin(async move { tx.finish_outbox(key, state, Some(&why), now).await })
        })
        .await
}

/// A recipient refused for good counts as a bounce.
async fn finish_rejected_recipient(app: &App, row: &OutboxRow, why: String) -> Result<(), StoreError> {
    let (key, now, recipient) = (row.id, app.clock.now(), row.recipient.clone());
    // A permanent refusal without a reason means that the mailbox does not exist.
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

/// Schedules the next attempt, or ends the mail when attempts have gone on long enough.
///
/// # Errors
/// When the database fails.
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
                .write_queue(move |tx| {
                    let why = why.clone();
                    Box::pin(async move { tx.defer_outbox(key, Some(&why), due).await })
                })
                .await
        }
    }
}

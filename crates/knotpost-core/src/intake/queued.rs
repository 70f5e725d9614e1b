//! Work on the queue: a mail is leased, and executed and marked in one transaction, or set aside.

use knotpost_platform::clock::Clock;
use knotpost_platform::secret::KeyRing;
use std::sync::Arc;

use super::DEDUPE_MS;
use super::commit::{announce, count_outcome};
use super::execute::execute_mail;
use super::inbox_row::{masked_lines, masked_recipients};
use super::mail::IncomingMail;
use super::reason::Reason;
use crate::app::App;
use crate::config::KeepRaw;
use crate::outage::log_failure;
use crate::requests::Ready;
use crate::requests::command_log::log_command;
use knotpost_model::{Host, InboxKey, Verdicts};
use knotpost_storage::{InboxRow, Store, StoreError};

const LEASE_MS: i64 = 2 * 60_000;
/// Failures after which a mail is set aside.
const MAX_ATTEMPTS: i64 = 5;

#[derive(Debug)]
pub struct QueuedMail(InboxRow);

impl QueuedMail {
    /// `None`: it cannot be decrypted.
    pub fn message(&self, secret: &KeyRing) -> Option<Vec<u8>> {
        self.0.raw.as_deref().and_then(|sealed| secret.unseal(sealed))
    }

    /// `None`: the null path `<>`.
    pub fn mail_from(&self) -> Option<&str> {
        self.0.mail_from.as_deref()
    }

    pub fn recipients(&self) -> Vec<String> {
        self.0.recipients.lines().map(ToOwned::to_owned).collect()
    }

    /// Authentication at arrival; `None`: not checked.
    pub fn verdicts(&self) -> Option<Verdicts> {
        self.0.verdicts.as_deref().and_then(Verdicts::from_json)
    }

    /// Host that counts as the sender's.
    pub fn host(&self) -> Option<Host> {
        self.0.host.as_deref().and_then(|host| host.parse().ok())
    }
}

pub async fn lease_queued(store: &Store, clock: &dyn Clock) -> Result<Option<QueuedMail>, StoreError> {
    let now = clock.now();
    // Reads first: an idle server does not write.
    if store.query().await?.next_inbox_due().await?.is_none_or(|due| due > now.0) {
        return Ok(None);
    }
    let lease = store.write_queue(async move |tx| tx.lease_inbox(now, now.plus(LEASE_MS)).await).await?;
    Ok(lease.map(QueuedMail))
}

/// Executes a leased mail and marks it done in one transaction. On an error it is retried after its lease.
pub async fn execute_queued(
    app: &Arc<App>,
    queued: &QueuedMail,
    mail: IncomingMail,
    ready: Ready,
) -> Result<(), StoreError> {
    let (key, now) = (queued.0.id, app.clock.now());
    let keeps_raw = app.config.inbound.keep_raw == KeepRaw::All;
    let recipients = masked_recipients(&app.own, &queued.recipients());
    let ready = Arc::new(ready);
    let executed = Arc::clone(&ready);
    let outcome = app
        .write(async move |tx, app| {
            // Marked first: a mail finished by another process is skipped.
            if !tx.finish_inbox(key, "done", Reason::Executed.as_str(), keeps_raw, now).await? {
                return Ok(None);
            }
            let since = now.plus(-DEDUPE_MS);
            let is_first = tx.claim_mail(&mail.dedupe_key, key, since, now).await?;
            let outcome = execute_mail(tx, app, &mail, &executed, is_first, now).await?;
            let (subject, text) = masked_lines(&app.vocabulary, &mail, &executed);
            tx.describe_inbox(key, outcome.reason.as_str(), subject.as_deref(), text.as_deref()).await?;
            tx.replace_recipients(key, &recipients).await?;
            Ok::<_, StoreError>(Some(outcome))
        })
        .await?;
    if let Some(outcome) = outcome {
        ready.after_commit(&app.limits, &app.credentials, &outcome.charges);
        log_command(
            app.clock.as_ref(),
            app.games.registry,
            &ready,
            &outcome.boards,
            outcome.reason.as_str(),
            now,
        );
        announce(app, &outcome, now);
    }
    Ok(())
}

/// Logs a failure; sets the mail aside after too many.
pub async fn record_failure(app: &App, queued: &QueuedMail, error: &StoreError) -> Result<(), StoreError> {
    let (key, attempts): (InboxKey, i64) = (queued.0.id, queued.0.attempts);
    if error.is_away() {
        log_failure(error, "a received mail waits until its lease ends");
    } else {
        tracing::error!(
            inbox = key.0,
            attempts,
            error = error.with_causes(),
            "a mail could not be processed"
        );
    }
    // Database outages do not count against the mail.
    if attempts >= MAX_ATTEMPTS && !error.is_transient() {
        set_aside(app, queued, Reason::Failed).await?;
    }
    Ok(())
}

pub async fn set_aside(app: &App, queued: &QueuedMail, reason: Reason) -> Result<(), StoreError> {
    let (key, now) = (queued.0.id, app.clock.now());
    let keeps_raw = app.config.inbound.keep_raw != KeepRaw::Never;
    count_outcome(reason);
    app.store
        .write_queue(async move |tx| {
            tx.finish_inbox(key, "failed", reason.as_str(), keeps_raw, now).await.map(drop)
        })
        .await
}

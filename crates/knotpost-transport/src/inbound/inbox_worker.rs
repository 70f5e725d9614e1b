//! Processes mail that was stored and waits: reads it again, executes its command and commits what follows.
//!
//! Mail that can be executed when it arrives never comes here.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt as _;

use super::commit::execution::execute_mail;
use super::commit::inbox_row::{masked_lines, masked_recipients};
use super::commit::{DEDUPE_MS, count};
use super::decide::policy::rule;
use super::mail_intake::MailIntake;
use super::read::Mail;
use super::reason::Reason;
use knotpost_core::commands::prepare;
use knotpost_core::config::KeepRaw;
use knotpost_model::{InboxKey, Verdicts};
use knotpost_storage::{InboxRow, StoreError};

/// How long a lease lasts. No other worker takes the mail before it ends.
const LEASE_MS: i64 = 2 * 60_000;
/// A mail whose processing failed this often is set aside.
const MAX_ATTEMPTS: i64 = 5;

impl MailIntake {
    /// Processes the next mail that waits; `false`: none is due.
    ///
    /// # Errors
    /// When the database fails. A mail that cannot be processed is set aside, which is no error.
    pub async fn process_next(&self) -> Result<bool, StoreError> {
        let app = &self.app;
        let now = app.clock.now();
        if app.store.query().await?.next_inbox_due().await?.is_none_or(|due| due > now.0) {
            return Ok(false);
        }
        let lease =
            app.store.write_queue(move |tx| Box::pin(tx.lease_inbox(now, now.plus(LEASE_MS)))).await?;
        let Some(row) = lease else { return Ok(false) };
        let key = row.id;
        // A panic ends this mail, not the worker.
        let done = AssertUnwindSafe(self.process(&row)).catch_unwind().await;
        if let Err(error) = done.unwrap_or(Err(StoreError::Panicked)) {
            tracing::error!(
                inbox = key.0,
                attempts = row.attempts,
                error = error.with_causes(),
                "a mail could not be processed"
            );
            // A failing database is not the mail's fault: it waits until that is over.
            if row.attempts >= MAX_ATTEMPTS && !error.is_transient() {
                self.set_aside(key, Reason::Failed).await?;
            }
        }
        Ok(true)
    }

    async fn process(&self, row: &InboxRow) -> Result<(), StoreError> {
        let app = &self.app;
        let raw = row.raw.as_deref().and_then(|sealed| app.secret.unseal(sealed));
        let Some(raw) = raw else { return self.set_aside(row.id, Reason::Broken).await };
        let recipients: Vec<String> = row.recipients.lines().map(ToOwned::to_owned).collect();
        let Ok(mail) = Mail::read(app, &raw, row.mail_from.as_deref(), &recipients) else {
            return self.set_aside(row.id, Reason::Broken).await;
        };
        let verdicts = row.verdicts.as_deref().and_then(Verdicts::from_json);
        let ruling = rule(app.config.inbound.auth_policy, verdicts.as_ref(), mail.author_domain());
        let host = row.host.as_deref().and_then(|host| host.parse().ok());
        let prepared = prepare(app, mail.request(ruling, host, verdicts.as_ref(), &app.vocabulary)).await?;
        let (key, now) = (row.id, app.clock.now());
        let keep = app.config.inbound.keep_raw == KeepRaw::All;
        let work = Arc::new((mail, prepared, masked_recipients(&app.own, &recipients)));
        let (shared, done) = (Arc::clone(app), Arc::clone(&work));
        let outcome = app
            .store
            .write(move |tx| {
                let (app, work) = (Arc::clone(&shared), Arc::clone(&work));
                Box::pin(async move {
                    // Marked first: if another process has done it meanwhile, nothing happens.
                    if !tx.finish_inbox(key, "done", Reason::Executed.as_str(), keep, now).await? {
                        return Ok(None);
                    }
                    let since = now.plus(-DEDUPE_MS);
                    let is_first = tx.claim_mail(&work.0.dedupe_key, key, since, now).await?;
                    let outcome = execute_mail(tx, &app, &work.0, &work.1, is_first, now).await?;
                    let (subject, text) = masked_lines(&app, &work.0, &work.1);
                    tx.describe_inbox(key, outcome.reason.as_str(), subject.as_deref(), text.as_deref())
                        .await?;
                    tx.replace_recipients(key, &work.2).await?;
                    Ok(Some(outcome))
                })
            })
            .await?;
        if let Some(outcome) = outcome {
            done.1.after_commit(app);
            self.announce(&outcome, now);
        }
        Ok(())
    }

    async fn set_aside(&self, key: InboxKey, reason: Reason) -> Result<(), StoreError> {
        let now = self.app.clock.now();
        let keep = self.app.config.inbound.keep_raw != KeepRaw::Never;
        count(reason);
        self.app
            .store
            .write_queue(move |tx| {
                Box::pin(
                    async move { tx.finish_inbox(key, "failed", reason.as_str(), keep, now).await.map(drop) },
                )
            })
            .await
    }
}

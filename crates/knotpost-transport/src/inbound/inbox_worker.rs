//! Processes mail that was stored and waits: reads it again, and executes its command.
//!
//! Mail that can be executed when it arrives never comes here.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;

use super::decide::policy::rule;
use super::mail_intake::MailIntake;
use super::read::Mail;
use knotpost_core::StoreError;
use knotpost_core::commands::prepare;
use knotpost_core::intake::{QueuedMail, Reason, execute_queued, lease_queued, record_failure, set_aside};

impl MailIntake {
    /// Processes the next mail that waits; `false`: none is due.
    ///
    /// # Errors
    /// When the database fails. A mail that cannot be processed is set aside, which is no error.
    pub async fn process_next(&self) -> Result<bool, StoreError> {
        let Some(queued) = lease_queued(&self.app).await? else { return Ok(false) };
        // A panic ends this mail, not the worker.
        let done = AssertUnwindSafe(self.process(&queued)).catch_unwind().await;
        if let Err(error) = done.unwrap_or(Err(StoreError::Panicked)) {
            record_failure(&self.app, &queued, &error).await?;
        }
        Ok(true)
    }

    async fn process(&self, queued: &QueuedMail) -> Result<(), StoreError> {
        let app = &self.app;
        let Some(raw) = queued.message(app) else { return set_aside(app, queued, Reason::Broken).await };
        let Ok(mail) = Mail::read(app, &raw, queued.mail_from(), &queued.recipients()) else {
            return set_aside(app, queued, Reason::Broken).await;
        };
        let verdicts = queued.verdicts();
        let ruling = rule(app.config.inbound.auth_policy, verdicts.as_ref(), mail.author_domain());
        let request = mail.request(ruling, queued.host(), verdicts.as_ref(), &app.vocabulary);
        let prepared = prepare(app, request).await?;
        execute_queued(app, queued, mail.into_incoming(), prepared).await
    }
}

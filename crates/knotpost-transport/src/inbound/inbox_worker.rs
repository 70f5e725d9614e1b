//! Processes stored mail: reads it again, and executes its command. Mail that can be executed on arrival never comes
//! here.

use std::panic::AssertUnwindSafe;

use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::time::{Instant, sleep};

use super::decide::policy::rule;
use super::mail_intake::MailIntake;
use super::read::Mail;
use knotpost_core::StoreError;
use knotpost_core::commands::prepare;
use knotpost_core::intake::{QueuedMail, Reason, execute_queued, lease_queued, record_failure, set_aside};
use knotpost_core::outage::log_failure;

/// Time to retry while the database is away; the lease is longer.
const RETRY_FOR: Duration = Duration::from_mins(1);
const RETRY_PAUSE: Duration = Duration::from_millis(250);

impl MailIntake {
    /// Processes the next mail that is due; false if there is none. A mail that cannot be processed is set aside
    /// without an error.
    pub async fn process_next(&self) -> Result<bool, StoreError> {
        let Some(queued) = lease_queued(&self.app.store, self.app.clock.as_ref()).await? else {
            return Ok(false);
        };
        let leased = Instant::now();
        loop {
            // A panic ends this mail, not the worker.
            let done = AssertUnwindSafe(self.process(&queued)).catch_unwind().await;
            match done.unwrap_or(Err(StoreError::Panicked)) {
                Ok(()) => return Ok(true),
                // Another server may be taking over the database. Nothing that was stored is done again.
                Err(error) if error.is_away() && leased.elapsed() < RETRY_FOR => {
                    log_failure(&error, "a received mail is processed again");
                    sleep(RETRY_PAUSE).await;
                }
                Err(error) => {
                    record_failure(&self.app, &queued, &error).await?;
                    return Ok(true);
                }
            }
        }
    }

    async fn process(&self, queued: &QueuedMail) -> Result<(), StoreError> {
        let app = &self.app;
        let Some(raw) = queued.message(&app.secret) else {
            return set_aside(app, queued, Reason::Broken).await;
        };
        let Ok(mail) = Mail::read(app, &raw, queued.mail_from(), &queued.recipients()) else {
            return set_aside(app, queued, Reason::Broken).await;
        };
        let verdicts = queued.verdicts();
        let ruling = rule(app.config.inbound.auth_policy, verdicts.as_ref(), mail.author_domain());
        let request = mail.request(ruling, queued.host(), verdicts.as_ref(), &app.vocabulary);
        let ready = prepare(app, request).await?;
        execute_queued(app, queued, mail.into_incoming(), ready).await
    }
}

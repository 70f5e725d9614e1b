//! Records why a leased mail was not sent: it failed, was dropped, or is deferred to a later attempt.
//!
//! That a mail was sent is acknowledged by [`acknowledge_sent`](super::acknowledge_sent).

use super::backoff::{Retry, after_failure};
use crate::app::App;
use crate::mailing::bounces::record_trouble;
use crate::mailing::outbox::LeasedMail;
use knotpost_model::{Millis, Trouble};
use knotpost_platform::clock::{Clock, random_bytes};
use knotpost_storage::{Attempted, Store, StoreError};

/// Reason why a leased mail was not sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DeliveryOutcome {
    /// There is nothing to send any more.
    Dropped(String),
    /// It can never be sent.
    Failed(String),
    /// Its recipient was refused for good, in these words.
    RecipientRefused(String),
    /// It was certainly not delivered, and may be sent later.
    Deferred(String),
    /// It may have been delivered, or may not: it is sent later as it is.
    Unheard(String),
}

/// Records why a leased mail was not sent, and schedules the next attempt if there is one.
pub async fn record_delivery(
    app: &App,
    mail: &LeasedMail,
    outcome: DeliveryOutcome,
) -> Result<(), StoreError> {
    match outcome {
        DeliveryOutcome::Dropped(why) => finish(app, mail, "dropped", why).await,
        DeliveryOutcome::Failed(why) => finish(app, mail, "failed", why).await,
        DeliveryOutcome::RecipientRefused(why) => {
            finish_refused_recipient(&app.store, app.clock.as_ref(), mail, why).await
        }
        DeliveryOutcome::Deferred(why) => defer(app, mail, Attempted::InVain, why).await,
        DeliveryOutcome::Unheard(why) => defer(app, mail, Attempted::Unheard, why).await,
    }
}

/// Ends a mail in this state, for this reason.
async fn finish(app: &App, mail: &LeasedMail, state: &'static str, why: String) -> Result<(), StoreError> {
    let (key, now) = (mail.row.id, app.clock.now());
    app.store.write_queue(async move |tx| tx.finish_outbox(key, state, Some(&why), now).await).await
}

/// A recipient refused for good counts as a bounce, unless it is this server that the other one refuses: that concerns
/// every address alike.
async fn finish_refused_recipient(
    store: &Store,
    clock: &dyn Clock,
    mail: &LeasedMail,
    why: String,
) -> Result<(), StoreError> {
    let (key, now, recipient) = (mail.row.id, clock.now(), mail.row.recipient.clone());
    let trouble = Trouble::from_words(&why).or_else(|| Trouble::judge("5.0.0", &why));
    let trouble = trouble.filter(|trouble| !trouble.blames_the_sender());
    store
        .write(async move |tx| {
            if let Some(trouble) = &trouble {
                record_trouble(tx, key, &recipient, trouble, now).await?;
            }
            tx.finish_outbox(key, "failed", Some(&why), now).await
        })
        .await
}

/// Schedules the next attempt, or ends the mail when attempts have gone on long enough.
async fn defer(app: &App, mail: &LeasedMail, attempt: Attempted, why: String) -> Result<(), StoreError> {
    let (key, now) = (mail.row.id, app.clock.now());
    let random = u64::from_le_bytes(random_bytes(app.entropy.as_ref())?);
    let attempts = u32::try_from(mail.row.attempts).unwrap_or(u32::MAX);
    match after_failure(attempts, now.since(mail.row.date).0, random) {
        Retry::GiveUp => {
            tracing::warn!(outbox = key.0, error = %why, "a mail could not be sent for days; it is given up");
            finish(app, mail, "failed", why).await
        }
        Retry::In(pause) => {
            tracing::info!(outbox = key.0, error = %why, pause_ms = pause, "a mail is put off");
            let due: Millis = now.plus(pause);
            app.store.write_queue(async move |tx| tx.defer_outbox(key, (attempt, &why), due).await).await
        }
    }
}

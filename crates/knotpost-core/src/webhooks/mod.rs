//! Webhooks: signed requests to users' programs about their boards and tournaments.
//!
//! `queueing` writes events in the transaction that causes them, `delivering` chooses and evaluates attempts,
//! `form` formats, `push` is the format for browsers, `signing` the Standard Webhooks specification. HTTP is
//! spoken elsewhere; management is in `identity`.

mod delivering;
mod event;
mod form;
mod message;
mod push;
mod queueing;
mod signing;

pub use delivering::{Delivery, Fate, Taken, note_fate, take_delivery};
pub use event::HookEvent;
pub use form::HookForm;
pub use push::view_push_key;
pub use signing::HookSecret;

pub(crate) use push::BrowserKeys;
pub(crate) use queueing::{queue, queue_for_board, queue_for_removed, queue_for_tournament};

use crate::config::Config;
use serde_json::json;

use crate::app::App;
use crate::mailing::post::post_to_user;
use crate::replies::Reply;
use knotpost_model::{HookUrl, Millis, Reach, UserKey};
use knotpost_storage::{StoreError, WriteTx};

/// Kind of outbox rows that are webhook events.
pub const KIND: &str = "webhook";
/// Queued events of a webhook; beyond that it is stopped.
pub(crate) const MOST_WAITING: i64 = 1000;
pub(crate) const REMOVED: &str = "the webhook was removed";

pub(crate) fn reach(config: &Config) -> Reach {
    if config.webhooks.allow_private { Reach::Anywhere } else { Reach::Public }
}

/// Scheme, host and port; the rest can be a secret.
fn origin(url: &str) -> String {
    HookUrl::parse(url, Reach::Anywhere).map_or_else(|_| "an address".to_owned(), |url| url.origin())
}

/// Stops a webhook, drops its events and mails its owner. A browser is deleted instead: only its user can
/// switch it on again there.
async fn stop(
    tx: &mut WriteTx,
    app: &App,
    (id, url): (i64, &str),
    (user, userid): (UserKey, &str),
    why: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let row = tx.webhook(id).await?.filter(|row| row.user_id == user);
    if row.is_some_and(|row| HookForm::from_word(&row.form) == Some(HookForm::Push)) {
        tx.drop_webhook(user, id).await?;
        return tx.drop_hook_events(id, REMOVED, now).await;
    }
    if !tx.stop_webhook(id, why, now).await? {
        return Ok(());
    }
    tx.drop_hook_events(id, "the webhook was switched off", now).await?;
    let facts = json!({ "userid": userid, "place": origin(url), "why": why });
    let reply = Reply::said("webhook_stopped", facts);
    post_to_user(tx, app, &reply, user, now).await
}

pub(crate) async fn remove_since(
    tx: &mut WriteTx,
    user: UserKey,
    since: Millis,
    now: Millis,
) -> Result<(), StoreError> {
    for hook in tx.webhooks_of(user).await?.into_iter().filter(|hook| hook.created_at >= since) {
        tx.drop_webhook(user, hook.id).await?;
        tx.drop_hook_events(hook.id, REMOVED, now).await?;
    }
    Ok(())
}

/// Drops pending events of a suspended user.
pub(crate) async fn silence(tx: &mut WriteTx, user: UserKey, now: Millis) -> Result<(), StoreError> {
    for hook in tx.webhooks_of(user).await? {
        tx.drop_hook_events(hook.id, "the user was suspended", now).await?;
    }
    Ok(())
}

//! Webhooks: programs of users that are told what happens on their boards, with signed requests.
//!
//! `queueing` writes what they are to be told in the transaction that causes it, `keeping` is what their owners do with
//! them, `delivering` says what is to be sent and what follows from its fate, `signing` is the Standard Webhooks
//! specification. Who speaks HTTP is none of their business.

mod delivering;
mod event;
mod keeping;
mod queueing;
mod signing;

pub use delivering::{Delivery, Fate, Taken, note_fate, take_delivery};
pub use event::HookEvent;
pub use keeping::{
    FreshHook, HookView, HookWish, MOST_WEBHOOKS, create_webhook, remove_webhook, renew_webhook_secret,
    start_webhook, test_webhook, view_webhooks,
};
pub use signing::HookSecret;

pub(crate) use keeping::{remove_since, silence};
pub(crate) use queueing::{queue_for_board, queue_for_removed};

use serde::Serialize;

use crate::app::App;
use crate::mailing::post::post_to_user;
use crate::replies::Reply;
use crate::replies::{Content, Facts};
use knotpost_model::{HookUrl, Millis, Reach, UserKey};
use knotpost_storage::{StoreError, WriteTx};

/// The kind of a row of the outbox that is for a webhook and no mail.
pub const KIND: &str = "webhook";
/// Events that wait for one webhook; who cannot keep up is told no more.
const MOST_WAITING: i64 = 1000;
/// What stands on an event that nobody needs to be told any more.
const REMOVED: &str = "the webhook was removed";

/// A webhook was switched off.
#[derive(Debug, Serialize)]
struct WebhookStopped {
    /// Whose.
    userid: String,
    /// Scheme, host and port of its address.
    place: String,
    /// Why.
    why: String,
}

impl Content for WebhookStopped {
    fn template(&self) -> &'static str {
        "webhook_stopped"
    }

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

/// Where webhooks of this server may be.
fn reach(app: &App) -> Reach {
    if app.config.webhooks.allow_private { Reach::Anywhere } else { Reach::Public }
}

/// Scheme, host and port of an address: the rest can be a secret.
fn origin(url: &str) -> String {
    HookUrl::parse(url, Reach::Anywhere).map_or_else(|_| "an address".to_owned(), |url| url.origin())
}

/// Switches a webhook off, drops what waits for it and tells its owner.
async fn stop(
    tx: &mut WriteTx,
    app: &App,
    (id, url): (i64, &str),
    (user, userid): (UserKey, &str),
    why: &str,
    now: Millis,
) -> Result<(), StoreError> {
    if !tx.stop_webhook(id, why, now).await? {
        return Ok(());
    }
    tx.drop_hook_events(id, "the webhook was switched off", now).await?;
    let reply =
        Reply::from(WebhookStopped { userid: userid.to_owned(), place: origin(url), why: why.to_owned() });
    post_to_user(tx, app, &reply, user, now).await
}

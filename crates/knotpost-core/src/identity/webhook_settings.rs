//! Management of webhooks by their owners.

use crate::config::Config;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::json;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::identity::ProvenUser;
use crate::identity::authentication::check_proven;
use crate::webhooks::{HookEvent, HookForm, HookSecret, MOST_WAITING, REMOVED, queue, reach};
use knotpost_model::{HookUrl, Millis, Moment, UserKey};
use knotpost_platform::clock::{Clock, random_bytes};
use knotpost_storage::{HookReader, NewWebhook, ReadTx, Store, StoreError, WebhookRow, WriteTx};

pub const MOST_WEBHOOKS: usize = 10;
/// Pending events up to which a test is accepted.
const MOST_BEFORE_TEST: i64 = 20;

#[derive(Clone, Debug)]
pub struct HookWish {
    pub url: String,
    pub events: Vec<HookEvent>,
    pub form: HookForm,
}

/// A webhook, without its secret.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
pub struct HookView {
    /// Its number.
    pub id: i64,
    /// Address that takes the requests.
    pub url: String,
    /// The events that it gets.
    pub events: Vec<HookEvent>,
    /// In which form it is told.
    pub form: HookForm,
    /// Time at which it was made.
    #[serde(rename = "created")]
    pub created_at: Moment,
    /// Time of the last event that was accepted.
    #[serde(rename = "delivered")]
    pub sent_at: Option<Moment>,
    /// Since when it has accepted none.
    pub failing_since: Option<Moment>,
    /// Since when it is switched off.
    #[serde(rename = "stopped")]
    pub stopped_at: Option<Moment>,
    /// Reason of the last failure.
    pub error: Option<String>,
}

/// A webhook with the secret that was just made.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "FreshWebhook")]
pub struct FreshHook {
    #[serde(flatten)]
    pub view: HookView,
    /// The secret that requests are signed with, where they are. It is not shown again.
    #[serde(serialize_with = "show_secret")]
    #[schemars(with = "Option<String>")]
    pub secret: Option<HookSecret>,
}

#[expect(clippy::ref_option, reason = "serde passes the field")]
fn show_secret<S: Serializer>(secret: &Option<HookSecret>, serializer: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(HookSecret::show).serialize(serializer)
}

impl From<WebhookRow> for HookView {
    fn from(row: WebhookRow) -> Self {
        Self {
            id: row.id,
            events: HookEvent::split(&row.events),
            form: HookForm::from_word(&row.form).unwrap_or_default(),
            url: row.url,
            created_at: row.created_at.into(),
            sent_at: row.sent_at.map(Moment::from),
            failing_since: row.failing_since.map(Moment::from),
            stopped_at: row.stopped_at.map(Moment::from),
            error: row.error,
        }
    }
}

pub async fn create_webhook(
    app: &Arc<App>,
    proven: ProvenUser,
    wish: HookWish,
) -> Result<FreshHook, ServiceError> {
    check_enabled(&app.config)?;
    let url = HookUrl::parse(&wish.url, reach(&app.config))
        .map_err(|error| Refusal::new(Code::BadValue, error.to_string()))?;
    let mut events = wish.events;
    events.sort_unstable();
    events.dedup();
    if events.is_empty() {
        let known = HookEvent::join(HookEvent::ALL).replace(',', ", ");
        let message = format!("a webhook is told of something: one or more of {known}");
        return Err(Refusal::new(Code::BadValue, message).into());
    }
    let (secret, sealed) = new_secret(app)?;
    let now = app.clock.now();
    let hook = NewWebhook {
        url: url.as_str().to_owned(),
        events: HookEvent::join(&events),
        secret: sealed,
        form: wish.form.as_str(),
        label: None,
        session: None,
    };
    let row = app
        .store
        .write(async move |tx| {
            let user = check_proven(tx, &proven).await?.id;
            if tx.webhooks_of(user).await?.iter().filter(|row| !is_browser(row)).count() >= MOST_WEBHOOKS {
                let message = format!("{MOST_WEBHOOKS} webhooks are enough; remove one first");
                return Err(Refusal::new(Code::NotAllowed, message).into());
            }
            let id = tx.insert_webhook(user, &hook, now).await?;
            Ok::<_, ServiceError>(tx.webhook(id).await?)
        })
        .await?;
    let row = row.ok_or_else(|| StoreError::Corrupt("a webhook vanished".to_owned()))?;
    let secret = (wish.form == HookForm::Signed).then_some(secret);
    Ok(FreshHook { secret, view: row.into() })
}

/// Browsers have settings of their own.
pub(super) fn is_browser(row: &WebhookRow) -> bool {
    row.form == HookForm::Push.as_str()
}

fn check_enabled(config: &Config) -> Result<(), Refusal> {
    if config.webhooks.enabled {
        return Ok(());
    }
    Err(Refusal::new(Code::NotSupported, "webhooks are switched off on this server"))
}

/// A fresh secret, plain and sealed.
fn new_secret(app: &App) -> Result<(HookSecret, Vec<u8>), Refusal> {
    let make = || {
        let secret = HookSecret::new(random_bytes(app.entropy.as_ref())?);
        let sealed = app.secret.seal(app.entropy.as_ref(), secret.bytes())?;
        Ok((secret, sealed))
    };
    make().map_err(|error: std::io::Error| {
        tracing::error!(%error, "without random bytes no secret can be made");
        Refusal::new(Code::Unavailable, "no secret can be made at the moment")
    })
}

/// Oldest first.
pub async fn view_webhooks(store: &Store, user: UserKey) -> Result<Vec<HookView>, StoreError> {
    let rows = store.read().await?.webhooks_of(user).await?;
    Ok(rows.into_iter().filter(|row| !is_browser(row)).map(HookView::from).collect())
}

/// Removes a webhook or browser and its pending events.
pub async fn remove_webhook(
    store: &Store,
    clock: &dyn Clock,
    user: UserKey,
    id: i64,
) -> Result<(), ServiceError> {
    let now = clock.now();
    let removed = store.write(async move |tx| {
        if !tx.drop_webhook(user, id).await? {
            return Err(no_such_webhook(id).into());
        }
        tx.drop_hook_events(id, REMOVED, now).await?;
        Ok(())
    });
    removed.await
}

/// Replaces the secret and drops pending events signed with the old one.
pub async fn renew_webhook_secret(
    app: &Arc<App>,
    proven: ProvenUser,
    id: i64,
) -> Result<FreshHook, ServiceError> {
    check_enabled(&app.config)?;
    let (secret, sealed) = new_secret(app)?;
    let now = app.clock.now();
    let renewed = app.store.write(async move |tx| {
        let user = check_proven(tx, &proven).await?.id;
        let row = own(tx, user, id).await?;
        if row.form != HookForm::Signed.as_str() {
            let message = "the messages of this webhook are not signed: it has no secret";
            return Err(Refusal::new(Code::Conflict, message).into());
        }
        tx.drop_hook_events(id, "its secret was renewed", now).await?;
        tx.set_webhook_secret(id, &sealed).await?;
        own(tx, user, id).await
    });
    let row = renewed.await?;
    Ok(FreshHook { secret: Some(secret), view: row.into() })
}

/// Reactivates a webhook, whatever failed before.
pub async fn start_webhook(
    store: &Store,
    config: &Config,
    user: UserKey,
    id: i64,
) -> Result<(), ServiceError> {
    check_enabled(config)?;
    let started = store.write(async move |tx| {
        own(tx, user, id).await?;
        Ok(tx.start_webhook(id).await?)
    });
    started.await
}

/// Queues a test event. Refused if the webhook is off or has many pending events.
pub async fn test_webhook(app: &Arc<App>, user: UserKey, id: i64) -> Result<(), ServiceError> {
    check_enabled(&app.config)?;
    let now = app.clock.now();
    let queued = app.write(async move |tx, app| {
        if own(tx, user, id).await?.stopped_at.is_some() {
            let message = "this webhook is switched off; switch it on first";
            return Err(Refusal::new(Code::Conflict, message).into());
        }
        let hooks = tx.hooks_of_readers(&[user], MOST_WAITING).await?;
        let hook = hooks.into_iter().find(|hook| hook.id == id).ok_or_else(|| no_such_webhook(id))?;
        if hook.waiting >= MOST_BEFORE_TEST {
            let message = "enough waits for this webhook already; see whether that arrives";
            return Err(Refusal::new(Code::Conflict, message).into());
        }
        Ok::<_, ServiceError>(test(tx, app, &hook, now).await?)
    });
    queued.await?;
    app.signals.outbox.notify_one();
    Ok(())
}

pub(super) async fn test(
    tx: &mut WriteTx,
    app: &App,
    hook: &HookReader,
    now: Millis,
) -> Result<(), StoreError> {
    let data = json!({ "webhook": hook.id, "user": hook.userid });
    queue(tx, app, hook, "test", &data, now).await
}

async fn own(tx: &mut ReadTx, user: UserKey, id: i64) -> Result<WebhookRow, ServiceError> {
    let row = tx.webhook(id).await?.filter(|row| row.user_id == user && !is_browser(row));
    Ok(row.ok_or_else(|| no_such_webhook(id))?)
}

fn no_such_webhook(id: i64) -> Refusal {
    Refusal::new(Code::BadValue, format!("there is no webhook {id} of yours"))
}

//! Browsers that get push messages about turns. They are removed as webhooks are, and with the session in
//! which they were added.

use std::sync::Arc;

use super::webhook_settings::{is_browser, test};
use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::identity::ProvenUser;
use crate::identity::authentication::check_proven;
use crate::webhooks::{BrowserKeys, HookEvent, HookForm, MOST_WAITING, REMOVED, reach};
use knotpost_model::{HookUrl, Moment, UserKey};
use knotpost_storage::{NewWebhook, Store, StoreError};

pub const MOST_BROWSERS: usize = 10;

#[derive(Clone, Debug)]
pub struct BrowserWish {
    pub endpoint: String,
    pub p256dh: String,
    pub auth: String,
    pub label: String,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct BrowserView {
    pub id: i64,
    pub endpoint: String,
    pub label: String,
    pub created_at: Moment,
    pub sent_at: Option<Moment>,
    pub error: Option<String>,
}

/// Subscribes a browser and sends a first message at once as a sample. A browser serves one user: an earlier
/// one is replaced.
pub async fn add_browser(app: &Arc<App>, proven: ProvenUser, wish: BrowserWish) -> Result<(), ServiceError> {
    if !app.config.tells_browsers() {
        return Err(Refusal::new(Code::NotSupported, "browsers are not told on this server").into());
    }
    let url = HookUrl::parse(&wish.endpoint, reach(&app.config))
        .map_err(|_| Refusal::new(Code::BadValue, "the push service of this browser cannot be used here"))?;
    let keys = BrowserKeys::read(&wish.p256dh, &wish.auth)
        .ok_or_else(|| Refusal::new(Code::BadValue, "the keys of this browser cannot be read"))?;
    let secret = app.secret.seal(app.entropy.as_ref(), keys.bytes()).map_err(StoreError::from)?;
    let hook = NewWebhook {
        url: url.as_str().to_owned(),
        events: HookEvent::join(&[HookEvent::Turn]),
        secret,
        form: HookForm::Push.as_str(),
        label: Some(wish.label),
        session: proven.session.clone(),
    };
    let now = app.clock.now();
    app.write(async move |tx, app| {
        check_proven(tx, &proven).await?;
        for id in tx.drop_browsers_at(&hook.url).await? {
            tx.drop_hook_events(id, REMOVED, now).await?;
        }
        if tx.webhooks_of(proven.user).await?.iter().filter(|row| is_browser(row)).count() >= MOST_BROWSERS {
            let message = format!("{MOST_BROWSERS} browsers are enough; remove one first");
            return Err(Refusal::new(Code::NotAllowed, message).into());
        }
        let id = tx.insert_webhook(proven.user, &hook, now).await?;
        let readers = tx.hooks_of_readers(&[proven.user], MOST_WAITING).await?;
        if let Some(reader) = readers.iter().find(|reader| reader.id == id) {
            test(tx, app, reader, now).await?;
        }
        Ok(())
    })
    .await
}

/// Oldest first.
pub async fn view_browsers(store: &Store, user: UserKey) -> Result<Vec<BrowserView>, StoreError> {
    let rows = store.read().await?.webhooks_of(user).await?;
    let view = |row: knotpost_storage::WebhookRow| BrowserView {
        id: row.id,
        endpoint: row.url,
        label: row.label.unwrap_or_default(),
        created_at: row.created_at.into(),
        sent_at: row.sent_at.map(Moment::from),
        error: row.error,
    };
    Ok(rows.into_iter().filter(is_browser).map(view).collect())
}

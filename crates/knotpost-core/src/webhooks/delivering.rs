//! Delivery of webhooks: the next event, and the consequences of an attempt.

use std::sync::Arc;

use super::form::{HookForm, pack};
use super::message::{Parcel, Told};
use super::{REMOVED, push, reach, stop};
use crate::app::App;
use knotpost_model::{HookUrl, Millis, OutboxKey, UserKey};
use knotpost_platform::clock::random_bytes;
use knotpost_storage::{
    Attempted, HookEventRow, ReadTx, StoreError, UserRow, UserState, WebhookRow, WriteTx,
};

/// Longer than any attempt.
const LEASE_MS: i64 = 2 * 60_000;
const SECOND: i64 = 1000;
const HOUR: i64 = 3600 * SECOND;
const DAY: i64 = 24 * HOUR;
/// Pauses after failed attempts; the last one repeats.
const PAUSES: [i64; 6] = [5 * SECOND, 60 * SECOND, 5 * 60 * SECOND, 30 * 60 * SECOND, 2 * HOUR, 6 * HOUR];
/// Minimum age before an event is given up.
const GIVE_UP_MS: i64 = 3 * DAY;
/// Minimum attempts before an event is given up. Both are needed: it may be old because the server stood
/// still or an administrator retries it.
const GIVE_UP_ATTEMPTS: i64 = PAUSES.len() as i64 + 1;
/// Reason for dropping an event too old without attempts, since no server was sending.
const STALE: &str = "it waited for days until events were sent again";
/// Failure time after which a webhook is stopped.
const STOP_MS: i64 = 3 * DAY;
/// Consecutive failures required too: a server stopped for a week has not tried.
const STOP_FAILURES: i64 = 10;
/// Maximum accepted `Retry-After`.
const LONGEST_ASKED: i64 = DAY;

#[derive(Clone, Debug)]
pub struct Delivery {
    pub url: HookUrl,
    /// Message id, the same in every attempt.
    pub id: String,
    pub form: HookForm,
    pub headers: Vec<(&'static str, String)>,
    pub body: Vec<u8>,
    /// Attempts, this one included.
    pub attempts: i64,
    row: OutboxKey,
    webhook: i64,
    user: UserKey,
    userid: String,
    date: Millis,
    had_failed: bool,
}

impl Delivery {
    pub fn row(&self) -> i64 {
        self.row.0
    }
}

#[derive(Clone, Debug)]
pub enum Taken {
    Deliver(Box<Delivery>),
    Dropped,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    Arrived,
    Gone,
    Failed {
        why: String,
        /// Seconds.
        retry_after: Option<i64>,
    },
}

/// Leases the event due longest; `None`: none is due.
pub async fn take_delivery(app: &App) -> Result<Option<Taken>, StoreError> {
    if app.hold.is_some() {
        return Ok(None);
    }
    let now = app.clock.now();
    // Reads first: idle servers do not write.
    let due = app.store.read().await?.next_hook_due().await?;
    if due.is_none_or(|due| due > now.0) {
        return Ok(None);
    }
    let stale = now.plus(-GIVE_UP_MS);
    if due.is_some_and(|due| due < stale.0) {
        let drop_stale =
            app.store.write_queue(async move |tx| tx.drop_stale_hook_events(stale, STALE, now).await);
        drop_stale.await?;
        return Ok(Some(Taken::Dropped));
    }
    let leased =
        app.store.write_queue(async move |tx| tx.lease_hook_event(now, now.plus(LEASE_MS)).await).await?;
    let Some(row) = leased else { return Ok(None) };
    let key = row.id;
    match prepare(app, row, now).await {
        Ok(delivery) => Ok(Some(Taken::Deliver(Box::new(delivery)))),
        Err(Undeliverable::Store(error)) => Err(error),
        Err(Undeliverable::Dropped(why)) => {
            app.store
                .write_queue(async move |tx| tx.finish_outbox(key, "dropped", Some(why), now).await)
                .await?;
            Ok(Some(Taken::Dropped))
        }
    }
}

enum Undeliverable {
    /// For good, with the reason.
    Dropped(&'static str),
    Store(StoreError),
}

impl From<&'static str> for Undeliverable {
    fn from(why: &'static str) -> Self {
        Self::Dropped(why)
    }
}

impl From<StoreError> for Undeliverable {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// The delivery of a leased event.
async fn prepare(app: &App, row: HookEventRow, now: Millis) -> Result<Delivery, Undeliverable> {
    let mut tx = app.store.read().await?;
    let hook = tx.webhook(row.webhook_id).await?;
    let owner = match row.user_id {
        Some(user) => tx.user(user.into()).await?,
        None => None,
    };
    let told = checked(&row, hook, owner, now)?;
    let (hook, owner, form, message) = &told;
    if *form == HookForm::Push {
        if !app.config.push.enabled {
            return Err("browsers are not told on this server".into());
        }
        if !has_session(&mut tx, hook, now).await? {
            return Err("the session of the browser has ended".into());
        }
        if !push::is_current(&mut tx, message, owner.id).await? {
            return Err("the turn is over".into());
        }
    }
    drop(tx);
    Ok(address(app, row, told, now)?)
}

/// True while the session of a browser's registration lasts.
async fn has_session(tx: &mut ReadTx, hook: &WebhookRow, now: Millis) -> Result<bool, StoreError> {
    let Some(digest) = &hook.session else { return Ok(false) };
    Ok(tx.session(digest).await?.is_some_and(|session| now < session.expires_at))
}

/// A webhook with its owner, its form, and the message for it.
type Addressed = (WebhookRow, UserRow, HookForm, Told);

fn checked(
    row: &HookEventRow,
    hook: Option<WebhookRow>,
    owner: Option<UserRow>,
    now: Millis,
) -> Result<Addressed, &'static str> {
    // A reused number may belong to a younger webhook. One made under a clock ahead is accepted.
    let is_known = |hook: &WebhookRow| hook.created_at <= row.date || hook.created_at > now;
    let hook = hook.filter(|hook| Some(hook.user_id.0) == row.user_id && is_known(hook));
    let hook = hook.ok_or(REMOVED)?;
    if hook.stopped_at.is_some() {
        return Err("the webhook is switched off");
    }
    let owner = owner.filter(|owner| owner.state == UserState::Active);
    let owner = owner.ok_or("the user does not play here any more")?;
    let told = row.facts.as_deref().and_then(Told::read).ok_or("there is nothing to tell")?;
    let form = HookForm::from_word(&hook.form).ok_or("its form is not known here")?;
    Ok((hook, owner, form, told))
}

fn address(
    app: &App,
    row: HookEventRow,
    (hook, owner, form, told): Addressed,
    now: Millis,
) -> Result<Delivery, &'static str> {
    let url = HookUrl::parse(&hook.url, reach(&app.config)).map_err(|_| "its address is not allowed here")?;
    let secret = app.secret.unseal(&hook.secret);
    let secret = secret.ok_or("its secret was sealed with another key; renew it")?;
    let message = (&*row.message_id, row.facts.as_deref().unwrap_or_default(), &told);
    let parcel = pack(app, form, (&url, secret), message, now);
    let Parcel { headers, body } = parcel.ok_or("it cannot be put into the form of this webhook")?;
    Ok(Delivery {
        url,
        id: row.message_id,
        form,
        headers,
        body,
        attempts: row.attempts,
        row: row.id,
        webhook: hook.id,
        user: owner.id,
        userid: owner.userid,
        date: row.date,
        had_failed: hook.failures > 0,
    })
}

/// Records the result. If that fails, the event is sent once more with the same id.
pub async fn note_fate(app: &Arc<App>, delivery: Delivery, fate: Fate) -> Result<(), StoreError> {
    let now = app.clock.now();
    let random = u64::from_le_bytes(random_bytes(app.entropy.as_ref())?);
    let arrived_well = fate == Fate::Arrived;
    app.write(async move |tx, app| match &fate {
        Fate::Arrived => arrived(tx, &delivery, now).await,
        Fate::Gone => {
            let why = "the host answered 410 Gone";
            tx.finish_outbox(delivery.row, "failed", Some(why), now).await?;
            give_up(tx, app, &delivery, why, now).await
        }
        Fate::Failed { why, retry_after } => {
            failed(tx, app, &delivery, (why, *retry_after), random, now).await
        }
    })
    .await?;
    if !arrived_well {
        app.signals.outbox.notify_one();
    }
    Ok(())
}

async fn arrived(tx: &mut WriteTx, delivery: &Delivery, now: Millis) -> Result<(), StoreError> {
    tx.finish_outbox(delivery.row, "sent", None, now).await?;
    tx.note_hook_well(delivery.webhook, now).await?;
    if delivery.had_failed {
        tx.hurry_hook(delivery.webhook, now).await?;
    }
    Ok(())
}

async fn failed(
    tx: &mut WriteTx,
    app: &App,
    delivery: &Delivery,
    (why, asked): (&str, Option<i64>),
    random: u64,
    now: Millis,
) -> Result<(), StoreError> {
    let noted = tx.note_hook_failure(delivery.webhook, why, now).await?;
    let Some((failures, since)) = noted else {
        return tx.finish_outbox(delivery.row, "dropped", Some(REMOVED), now).await;
    };
    if failures >= STOP_FAILURES && now.0 - since >= STOP_MS {
        tx.finish_outbox(delivery.row, "failed", Some(why), now).await?;
        return give_up(tx, app, delivery, why, now).await;
    }
    let due = now.plus(pause(delivery.attempts, asked, random));
    if is_given_up(delivery.attempts, now.0 - delivery.date.0) {
        tx.finish_outbox(delivery.row, "failed", Some(why), now).await?;
    } else {
        tx.defer_outbox(delivery.row, (Attempted::Unheard, why), due).await?;
    }
    tx.put_hook_off(delivery.webhook, due, now).await
}

async fn give_up(
    tx: &mut WriteTx,
    app: &App,
    delivery: &Delivery,
    why: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let hook = (delivery.webhook, delivery.url.as_str());
    stop(tx, app, hook, (delivery.user, &delivery.userid), why, now).await
}

fn is_given_up(attempts: i64, age: i64) -> bool {
    age >= GIVE_UP_MS && attempts >= GIVE_UP_ATTEMPTS
}

/// Pause with 25 % jitter, so that simultaneous failures spread; a requested delay counts instead, within
/// bounds.
fn pause(attempts: i64, asked: Option<i64>, random: u64) -> i64 {
    if let Some(seconds) = asked {
        return seconds.saturating_mul(SECOND).clamp(SECOND, LONGEST_ASKED);
    }
    let step = usize::try_from(attempts.max(1) - 1).unwrap_or(usize::MAX);
    let [.., last] = PAUSES;
    let pause = PAUSES.get(step).copied().unwrap_or(last);
    pause - pause / 4 + (random % (pause.unsigned_abs() / 2)) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_old_event_is_tried_after_each_of_the_pauses() {
        assert_eq!(GIVE_UP_ATTEMPTS, 7);
        assert!(!is_given_up(6, 30 * DAY) && !is_given_up(100, GIVE_UP_MS - 1));
        assert!(is_given_up(7, GIVE_UP_MS));
    }

    #[test]
    fn pauses_grow_and_what_a_host_asks_for_is_bounded() {
        for (attempts, middle) in (1..).zip(PAUSES) {
            let least = pause(attempts, None, 0);
            assert_eq!((least, pause(attempts, None, middle.unsigned_abs() / 4)), (middle * 3 / 4, middle));
            assert!(pause(attempts, None, u64::MAX) <= middle * 5 / 4);
        }
        assert_eq!(pause(i64::MAX, None, 0), 6 * HOUR * 3 / 4);
        assert_eq!(pause(1, Some(120), 9), 120 * SECOND);
        assert_eq!((pause(1, Some(0), 9), pause(1, Some(-5), 9)), (SECOND, SECOND));
        assert_eq!((pause(1, Some(i64::MAX), 9), pause(1, Some(200_000), 9)), (DAY, DAY));
    }
}

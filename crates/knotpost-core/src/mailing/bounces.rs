//! Addresses from which mail comes back: counted, stopped, told of, and started again.

use crate::config::Config;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::links::Links;
use crate::replies::facts::stop_notice;
use knotpost_model::{Address, Failure, Millis, Moment, OutboxKey, Trouble, UserKey};
use knotpost_storage::{ReadTx, StoppedAddress, Store, StoreError, WriteTx};

const DAY_MS: i64 = 86_400_000;
/// Days on which mail came back as from a mailbox that does not exist, and within how long, that stop an address.
const HARD: (i64, i64) = (2, 7 * DAY_MS);
/// Days on which mail came back for whatever reason, and within how long, that do.
const ANY: (i64, i64) = (4, 14 * DAY_MS);
/// A mail that has not come back within this time after it was handed over has arrived.
const ARRIVED_MS: i64 = 5 * DAY_MS;

/// The mail that goes to a stopped address all the same: it asks whether anybody reads it.
pub(crate) const CONFIRMATION_KIND: &str = "confirm_address";
/// Error on the row of a mail to a stopped address.
pub(crate) const STOPPED: &str = "the address is stopped: mail to it came back";

/// Outcome of a report about a mail of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BounceOutcome {
    /// It counts.
    Recorded,
    /// The same was told before.
    Repeated,
    /// It tells of no failure.
    Unclear,
    /// The return path is not one that we made, or its mail is gone.
    Unknown,
}

/// Counts a report that came to the return path of mail number `id` with this signature.
pub(crate) async fn record_report(
    tx: &mut WriteTx,
    links: &Links,
    (id, signature): (&str, &str),
    failures: &[Failure],
    now: Millis,
) -> Result<BounceOutcome, StoreError> {
    if failures.is_empty() {
        return Ok(BounceOutcome::Unclear);
    }
    let Ok(id) = id.parse::<i64>() else { return Ok(BounceOutcome::Unknown) };
    let Some(recipient) = tx.outbox_recipient(OutboxKey(id)).await? else {
        return Ok(BounceOutcome::Unknown);
    };
    if !links.is_bounce_signature(signature, id, &recipient) {
        return Ok(BounceOutcome::Unknown);
    }
    let Some(trouble) = Failure::of_address(failures, &recipient) else { return Ok(BounceOutcome::Unclear) };
    record_trouble(tx, OutboxKey(id), &recipient, &trouble, now).await
}

/// Counts a mail that was not taken, or came back, and stops its address when that is too much.
pub(crate) async fn record_trouble(
    tx: &mut WriteTx,
    mail: OutboxKey,
    recipient: &str,
    trouble: &Trouble,
    now: Millis,
) -> Result<BounceOutcome, StoreError> {
    let address = recipient.to_lowercase();
    if !tx.insert_bounce(mail, &address, trouble, now).await? {
        return Ok(BounceOutcome::Repeated);
    }
    if comes_back_too_often(tx, &address, now).await? {
        tx.stop_address(&address, &trouble.said, now).await?;
    }
    Ok(BounceOutcome::Recorded)
}

/// Returns true if mail to this address came back on too many days, since the last one that arrived.
async fn comes_back_too_often(tx: &mut WriteTx, address: &str, now: Millis) -> Result<bool, StoreError> {
    let mut since = now.plus(-ANY.1);
    loop {
        let hard_since = since.max(now.plus(-HARD.1));
        let (hard, any) = tx.count_bounce_days(address, hard_since, since).await?;
        if hard < HARD.0 && any < ANY.0 {
            return Ok(false);
        }
        // Looked up only now: it takes a look at many mails.
        let under_way = (since.plus(-ARRIVED_MS), now.plus(-ARRIVED_MS));
        match tx.last_arrival(address, under_way).await? {
            Some(at) => since = at.plus(ARRIVED_MS),
            None => return Ok(true),
        }
    }
}

/// A command was carried out for this user that came from this address: if it is theirs, it is
/// read after all.
pub(crate) async fn heard_from(tx: &mut WriteTx, user: UserKey, sender: &Address) -> Result<(), StoreError> {
    let key = sender.key();
    if tx.address_trouble(&key).await?.is_some()
        && tx.addresses(user).await?.iter().any(|row| row.address.to_lowercase() == key)
    {
        tx.start_address(&key).await?;
    }
    Ok(())
}

/// Takes the notices about the user's other addresses for a mail to `recipient`. Each is told once.
pub(crate) async fn take_notices(
    tx: &mut WriteTx,
    config: &Config,
    user: UserKey,
    recipient: &str,
    now: Millis,
) -> Result<Vec<String>, StoreError> {
    let stopped = tx.stopped_addresses_of(user).await?;
    let untold: Vec<&StoppedAddress> = stopped.iter().filter(|row| row.told_at.is_none()).collect();
    let recipient = recipient.to_lowercase();
    if untold.is_empty() || stopped.iter().any(|row| row.address_key == recipient) {
        return Ok(Vec::new());
    }
    // Only a proven reader may learn of the other addresses.
    let confirmed_only = config.confirms_addresses();
    let held = tx.addresses(user).await?;
    let reads_it = held
        .iter()
        .any(|row| row.address.to_lowercase() == recipient && (row.verified_at.is_some() || !confirmed_only));
    if !reads_it {
        return Ok(Vec::new());
    }
    for row in &untold {
        tx.note_stop_told(user, &row.address_key, now).await?;
    }
    Ok(untold.into_iter().map(|row| stop_notice(&row.address_key)).collect())
}

/// A user lets mail go again to all their addresses from which it came back.
///
/// # Errors
/// The database fails.
pub async fn try_again(app: &Arc<App>, user: UserKey) -> Result<(), StoreError> {
    let started = app.store.write(async move |tx| {
        for row in tx.stopped_addresses_of(user).await? {
            tx.start_address(&row.address_key).await?;
        }
        Ok(())
    });
    started.await
}

/// Notices for the answer to a command over HTTP about the addresses of its user from which mail comes back.
///
/// # Errors
/// The database fails.
pub(crate) async fn http_notices(tx: &mut ReadTx, user: UserKey) -> Result<Vec<String>, StoreError> {
    let stopped = tx.stopped_addresses_of(user).await?;
    let notice = |row: StoppedAddress| {
        let since = Millis(row.stopped_at).to_readable();
        format!(
            "Mail to {0} has come back since {since}, so no more is sent there. Any command that you mail from it starts it \
             again, and so does `add USERID PASSWORD {0}`.",
            row.address_key
        )
    };
    Ok(stopped.into_iter().map(notice).collect())
}

/// All addresses that get no mail any more.
pub async fn view_stopped(store: &Store) -> Result<Vec<AddressStop>, ServiceError> {
    let mut tx = store.read().await?;
    let (mut all, mut after) = (Vec::new(), String::new());
    loop {
        let page = tx.stopped_addresses(&after, 500).await?;
        let Some(last) = page.last() else { return Ok(all) };
        after.clone_from(&last.address_key);
        all.extend(page.into_iter().map(AddressStop::from));
    }
}

/// An administrator lets mail go to an address again.
///
/// # Errors
/// When mail to it is not stopped, or the database fails.
pub(crate) async fn start_stopped(tx: &mut WriteTx, address: &str) -> Result<(), ServiceError> {
    if tx.start_address(&address.trim().to_lowercase()).await? {
        return Ok(());
    }
    Err(Refusal::new(Code::BadValue, format!("mail to {address} is not stopped")).into())
}

/// Stop of an address, to which no more mail goes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Stop")]
pub struct AddressStop {
    /// The address in lower case.
    #[serde(rename = "address")]
    pub address_key: String,
    /// Since when.
    pub since: Moment,
    /// The last answer of its mail server.
    pub why: String,
}

impl From<StoppedAddress> for AddressStop {
    fn from(row: StoppedAddress) -> Self {
        Self { address_key: row.address_key, since: row.stopped_at.into(), why: row.why }
    }
}

/// A mail address of a user.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct UserAddress {
    /// As registered.
    pub address: String,
    /// True if the user has confirmed it.
    pub confirmed: bool,
    /// Since when and why it no longer gets mail.
    pub stopped: Option<AddressStop>,
}

/// The addresses of a user, for the user alone.
pub async fn view_addresses(store: &Store, user: UserKey) -> Result<Vec<UserAddress>, StoreError> {
    list_addresses(&mut store.read().await?, user).await
}

pub(crate) async fn list_addresses(tx: &mut ReadTx, user: UserKey) -> Result<Vec<UserAddress>, StoreError> {
    let stopped = tx.stopped_addresses_of(user).await?;
    let rows = tx.addresses(user).await?.into_iter().map(|row| {
        let key = row.address.to_lowercase();
        let stopped = stopped.iter().find(|stop| stop.address_key == key).cloned().map(AddressStop::from);
        UserAddress { address: row.address, confirmed: row.verified_at.is_some(), stopped }
    });
    Ok(rows.collect())
}

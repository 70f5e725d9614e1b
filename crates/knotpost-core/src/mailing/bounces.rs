//! Addresses from which mail comes back: counted, stopped, told of, and started again.

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::links::Links;
use crate::replies::facts::stop_notice;
use knotpost_model::{Address, BounceKind, Millis, OutboxKey, Trouble, UserKey};
use knotpost_storage::{StoppedAddress, StoreError, WriteTx};

/// So many mails that nobody reads stop an address.
const HARD: i64 = 2;
/// This many soft bounces do, within [`SOFT_WITHIN_MS`].
const SOFT: i64 = 8;
const SOFT_WITHIN_MS: i64 = 7 * 86_400_000;

/// The mail that goes to a stopped address all the same: it asks whether anybody reads it.
pub const CONFIRMATION_KIND: &str = "confirm_address";
/// What stands on the row of a mail to a stopped address.
pub const STOPPED: &str = "the address is stopped: mail to it came back";

/// What became of a report about a mail of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BounceOutcome {
    /// It counts.
    Recorded,
    /// It counts, and the address gets no more mail.
    Stopped,
    /// The same was told before.
    Repeated,
    /// The return path is not one that we made, or its mail is gone.
    Unknown,
}

/// Counts a report that came to the return path of mail number `id` with this signature.
///
/// # Errors
/// When the database fails.
pub async fn record_report(
    tx: &mut WriteTx,
    links: &Links,
    (id, signature): (&str, &str),
    trouble: &Trouble,
    now: Millis,
) -> Result<BounceOutcome, StoreError> {
    let Ok(id) = id.parse::<i64>() else { return Ok(BounceOutcome::Unknown) };
    let Some(recipient) = tx.outbox_recipient(OutboxKey(id)).await? else {
        return Ok(BounceOutcome::Unknown);
    };
    if !links.is_bounce_signature(signature, id, &recipient) {
        return Ok(BounceOutcome::Unknown);
    }
    record_trouble(tx, OutboxKey(id), &recipient, trouble, now).await
}

/// Counts a mail that was not taken, or came back, and stops its address when that is too much.
///
/// # Errors
/// When the database fails.
pub async fn record_trouble(
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
    let (most, since) = match trouble.kind {
        BounceKind::Hard => (HARD, Millis(0)),
        BounceKind::Soft => (SOFT, now.plus(-SOFT_WITHIN_MS)),
    };
    let is_too_much = tx.count_bounces(&address, trouble.kind, since).await? >= most;
    if is_too_much && tx.stop_address(&address, &trouble.said, now).await? {
        return Ok(BounceOutcome::Stopped);
    }
    Ok(BounceOutcome::Recorded)
}

/// A command was carried out for this user that came from this address: if it is theirs, it is
/// read after all.
///
/// # Errors
/// When the database fails.
pub async fn heard_from(tx: &mut WriteTx, user: UserKey, sender: &Address) -> Result<(), StoreError> {
    let key = sender.key();
    if tx.address_trouble(&key).await?.is_some()
        && tx.addresses(user).await?.iter().any(|row| row.address.to_lowercase() == key)
    {
        tx.start_address(&key).await?;
    }
    Ok(())
}

/// What a user must be told in a mail to `recipient` of their other addresses. Each is told once.
///
/// # Errors
/// When the database fails.
pub(crate) async fn take_notices(
    tx: &mut WriteTx,
    app: &App,
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
    let confirmed_only = app.config.confirms_addresses();
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

/// All addresses that get no mail any more.
///
/// # Errors
/// When the database fails.
pub async fn view_stopped(app: &App) -> Result<Vec<AddressStop>, ServiceError> {
    let mut tx = app.store.read().await?;
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

/// An address that no longer gets mail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressStop {
    /// The address in lower case.
    pub address_key: String,
    /// Since when.
    pub since: Millis,
    /// The last answer of its mail server.
    pub why: String,
}

impl From<StoppedAddress> for AddressStop {
    fn from(row: StoppedAddress) -> Self {
        Self { address_key: row.address_key, since: Millis(row.stopped_at), why: row.why }
    }
}

/// An address of a user, and whether mail goes there.
#[derive(Clone, Debug)]
pub struct Reach {
    /// As registered.
    pub address: String,
    /// Whether they have proven to read it.
    pub confirmed: bool,
    /// Since when and why it gets no mail any more.
    pub stopped: Option<AddressStop>,
}

/// The addresses of a user, for the user alone.
///
/// # Errors
/// When the database fails.
pub async fn view_reach(app: &App, user: UserKey) -> Result<Vec<Reach>, StoreError> {
    let mut tx = app.store.read().await?;
    let stopped = tx.stopped_addresses_of(user).await?;
    let rows = tx.addresses(user).await?.into_iter().map(|row| {
        let key = row.address.to_lowercase();
        let stopped = stopped.iter().find(|stop| stop.address_key == key).cloned().map(AddressStop::from);
        Reach { address: row.address, confirmed: row.verified_at.is_some(), stopped }
    });
    Ok(rows.collect())
}

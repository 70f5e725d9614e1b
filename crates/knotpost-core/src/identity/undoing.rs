//! "This was not me": whoever read a user's mail before the addresses changed can take the change back for some days.
//!
//! It gives the address back, ends what may have been added in between and leads to a new password. It logs nobody in.

use std::sync::Arc;

use serde::Serialize;

use crate::app::App;
use crate::identity::resets;
use crate::mailing::post::{post_to_address, post_to_user, registered_addresses};
use crate::mailing::references::{Reference, post_reference_to};
use crate::replies::{Content, Facts, Reply};
use crate::webhooks;
use knotpost_model::{Address, Millis};
use knotpost_storage::{AddressChange, ReadTx, StoreError, UserRow, UserState, WriteTx};

/// For how many days a change can be taken back.
pub(crate) const GOOD_FOR_DAYS: i64 = 7;
const DAY_MS: i64 = 86_400_000;

/// The addresses were changed.
#[derive(Clone, Debug, Serialize)]
struct AddressesChanged {
    /// Whose.
    userid: String,
    /// What they are now.
    addresses: Vec<HeldAddress>,
    /// Whether one of them is not confirmed yet.
    waits: bool,
    /// For an address there was before: the page that takes the change back.
    undo: Option<String>,
    /// How long that is possible.
    days: i64,
}

impl Content for AddressesChanged {
    fn template(&self) -> &'static str {
        "addresses_changed"
    }

    fn facts(&self) -> Facts {
        Facts::of(self)
    }
}

/// An address of a user.
#[derive(Clone, Debug, Serialize)]
struct HeldAddress {
    /// As registered.
    address: String,
    /// Whether it is not confirmed yet.
    waits: bool,
}

impl AddressesChanged {
    async fn of(tx: &mut ReadTx, user: &UserRow) -> Result<Self, StoreError> {
        let rows = tx.addresses(user.id).await?.into_iter();
        let addresses: Vec<HeldAddress> =
            rows.map(|row| HeldAddress { address: row.address, waits: row.verified_at.is_none() }).collect();
        Ok(Self {
            userid: user.userid.clone(),
            waits: addresses.iter().any(|one| one.waits),
            addresses,
            undo: None,
            days: GOOD_FOR_DAYS,
        })
    }
}

/// What became of a link that takes a change back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TakenBack {
    /// It can be, or was just now, for this user at this address.
    Good(String, String),
    /// That was done before.
    Used,
    /// It is too old.
    Expired,
    /// It is none of ours, or the account is not in use.
    Unknown,
}

/// Tells the old addresses of a user and the present ones what they are now, and notes the change: each old one gets
/// the link that takes it back, unless mail to it has come back.
pub(crate) async fn announce_change(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    before: &[String],
    now: Millis,
) -> Result<Reply, StoreError> {
    let mut change = None;
    if !before.is_empty() {
        change = Some(tx.insert_address_change(user.id, &before.join("\n"), now).await?);
    }
    let changed = AddressesChanged::of(tx, user).await?;
    let notice = |undo| Reply::from(AddressesChanged { undo, ..changed.clone() });
    let mut told = registered_addresses(tx, app, user.id).await?;
    told.extend(before.iter().cloned());
    told.sort_unstable();
    told.dedup_by(|a, b| a.eq_ignore_ascii_case(b));
    for address in told {
        let Ok(recipient) = address.parse::<Address>() else { continue };
        let had = before.iter().any(|old| old.eq_ignore_ascii_case(&address));
        let undo = match change.filter(|_| had) {
            Some(change) => link(tx, app, change, &recipient).await?,
            None => None,
        };
        post_to_address(tx, app, &notice(undo), &recipient, Some(user.id), None, now).await?;
    }
    Ok(notice(None))
}

/// The link for one address; none where mail comes back from: somebody else may read there by now.
async fn link(
    tx: &mut ReadTx,
    app: &App,
    change: i64,
    address: &Address,
) -> Result<Option<String>, StoreError> {
    let is_stopped = tx.address_trouble(&address.key()).await?.flatten().is_some();
    Ok((!is_stopped).then(|| app.links.undo(&app.config.server.public_url, change, &address.key())))
}

/// The addresses that a user lost in the last days, each with the link that gives it back. They hear of a new password.
pub(crate) async fn lost_addresses(
    tx: &mut ReadTx,
    app: &App,
    user: &UserRow,
    now: Millis,
) -> Result<Vec<(Address, String)>, StoreError> {
    let here = registered_addresses(tx, app, user.id).await?;
    let mut lost: Vec<(Address, String)> = Vec::new();
    for change in tx.address_changes_since(user.id, now.plus(-GOOD_FOR_DAYS * DAY_MS)).await? {
        for line in change.addresses.lines() {
            let Ok(address) = line.parse::<Address>() else { continue };
            let is_known = here.iter().any(|one| one.eq_ignore_ascii_case(line))
                || lost.iter().any(|(one, _)| one.key() == address.key());
            if !is_known && let Some(link) = link(tx, app, change.id, &address).await? {
                lost.push((address, link));
            }
        }
    }
    Ok(lost)
}

/// The change behind a link, its user and the address that the link went to.
async fn read(
    tx: &mut ReadTx,
    app: &App,
    token: &str,
    now: Millis,
) -> Result<Result<(AddressChange, UserRow, Address), TakenBack>, StoreError> {
    let Some((id, address)) = app.links.read_undo(token) else { return Ok(Err(TakenBack::Unknown)) };
    // Forgotten long after nobody could use it any more.
    let Some(change) = tx.address_change(id).await? else { return Ok(Err(TakenBack::Expired)) };
    if now > change.at.plus(GOOD_FOR_DAYS * DAY_MS) {
        return Ok(Err(TakenBack::Expired));
    }
    if change.undone_at.is_some() {
        return Ok(Err(TakenBack::Used));
    }
    let user = tx.user(change.user_id).await?.filter(|user| user.state == UserState::Active);
    let address: Option<Address> = change
        .addresses
        .lines()
        .filter_map(|line| line.parse().ok())
        .find(|old: &Address| old.key() == address);
    Ok(user.zip(address).map(|(user, address)| (change, user, address)).ok_or(TakenBack::Unknown))
}

/// What a link is good for. Nothing changes.
///
/// # Errors
/// When the database fails.
pub async fn view_address_change(app: &App, token: &str) -> Result<TakenBack, StoreError> {
    let mut tx = app.store.read().await?;
    Ok(match read(&mut tx, app, token, app.clock.now()).await? {
        Ok((_, user, address)) => TakenBack::Good(user.userid, address.to_string()),
        Err(other) => other,
    })
}

/// Takes the change behind a link back, and every later one: once.
///
/// # Errors
/// When the database fails.
pub async fn undo_address_change(app: &Arc<App>, token: &str) -> Result<TakenBack, StoreError> {
    let (shared, token, now) = (Arc::clone(app), token.to_owned(), app.clock.now());
    let (done, user) = app
        .store
        .write(move |tx| {
            let (app, token) = (Arc::clone(&shared), token.clone());
            Box::pin(async move {
                let (change, user, address) = match read(tx, &app, &token, now).await? {
                    Ok(found) => found,
                    Err(other) => return Ok((other, None)),
                };
                if !tx.undo_address_change(&change, now).await? {
                    return Ok((TakenBack::Used, None));
                }
                restore(tx, &app, &change, &user, &address, now).await?;
                Ok((TakenBack::Good(user.userid, address.to_string()), Some(user.id)))
            })
        })
        .await?;
    if let Some(user) = user {
        // Their sessions and keys are gone now: a request before the commit may have cached them.
        app.auth_cache.forget(user);
    }
    app.signals.outbox.notify_one();
    Ok(done)
}

/// The addresses are again what they were; whatever came since ends, and so does every session: one of them may be the
/// browser that was found open.
async fn restore(
    tx: &mut WriteTx,
    app: &App,
    change: &AddressChange,
    user: &UserRow,
    address: &Address,
    now: Millis,
) -> Result<(), StoreError> {
    tx.remove_addresses_since(user.id, change.at).await?;
    for old in change.addresses.lines().filter_map(|line| line.parse::<Address>().ok()) {
        tx.add_address(user.id, &old, Some(now), now).await?;
        tx.verify_address(user.id, &old.key(), now).await?;
        tx.set_address_leaving(user.id, &old.key(), false).await?;
    }
    tx.drop_sessions_of(user.id).await?;
    tx.drop_tokens_since(user.id, change.at).await?;
    webhooks::remove_since(tx, user.id, change.at, now).await?;
    // What was on its way to addresses that are gone opens nothing any more.
    tx.drop_magic_link(user.id).await?;
    let notice = Reply::from(AddressesChanged::of(tx, user).await?);
    post_to_user(tx, app, &notice, user.id, now).await?;
    if user.password_hash.is_some() {
        let at = resets::begin_anew(tx, app, user.id, now).await?;
        post_reference_to(tx, app, &Reference::Reset(at), user.id, &address.to_string(), now).await?;
    } else {
        tx.drop_reset(user.id).await?;
    }
    Ok(())
}

//! "This was not me": reverting a change of addresses or a new passkey for some days, on a page or by a
//! reply, by whoever read the user's mail before it.
//!
//! Restores the addresses, ends credentials added since and leads to a new password. It logs nobody in.

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use crate::app::App;
use crate::identity::resets;
use crate::mailing::post::{post_answerable, post_to_user, registered_addresses};
use crate::mailing::references::{Reference, post_reference_to};
use crate::mailing::reply_address::Purpose;
use crate::mailing::reply_grant::{AnsweredMail, Subject};
use crate::replies::{Answer, Reply};
use crate::webhooks;
use knotpost_model::{Address, Millis};
use knotpost_storage::{
    AddressChange, AddressRow, ReadTx, StoreError, Unwritten, UserRow, UserState, WriteTx,
};

pub(crate) const GOOD_FOR_DAYS: i64 = 7;
const DAY_MS: i64 = 86_400_000;

#[derive(Clone, Debug, Serialize)]
pub(crate) struct Undo {
    page: String,
    by_reply: bool,
    days: i64,
}

/// An undo, and the subject of a reply that asks for it.
type WayBack = (Undo, Option<Subject>);

/// Notice of the present addresses, with the undo for one that was held before.
async fn addresses_changed(
    tx: &mut ReadTx,
    user: &UserRow,
) -> Result<impl Fn(Option<Undo>) -> Reply + use<>, StoreError> {
    let (userid, rows) = (user.userid.clone(), tx.addresses(user.id).await?);
    let held = |row: &AddressRow| json!({ "address": row.address, "waits": row.verified_at.is_none() });
    let (waits, addresses) =
        (rows.iter().any(|row| row.verified_at.is_none()), rows.iter().map(held).collect::<Vec<_>>());
    Ok(move |undo| {
        let facts = json!({ "userid": userid, "addresses": addresses, "waits": waits, "undo": undo });
        Reply::said("addresses_changed", facts)
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PasskeyChange {
    Added,
    Removed,
}

/// Link of an undo that is usable, or was used just now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UndoLink {
    pub userid: String,
    pub address: String,
}

/// Reason for which a change is not undone.
#[derive(Debug)]
pub enum NotUndone {
    Used,
    Expired,
    /// The link is invalid, or the account is not in use.
    Unknown,
}

impl From<NotUndone> for Unwritten<NotUndone> {
    fn from(reason: NotUndone) -> Self {
        Self::Refused(reason)
    }
}

/// Records a change and mails a notice to old and present addresses. Each old one gets the undo link, unless
/// it bounces.
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
    let notice = addresses_changed(tx, user).await?;
    let mut told = registered_addresses(tx, &app.config, user.id).await?;
    told.extend(before.iter().cloned());
    told.sort_unstable();
    told.dedup_by(|a, b| a.eq_ignore_ascii_case(b));
    for address in told {
        let Ok(recipient) = address.parse::<Address>() else { continue };
        let had = before.iter().any(|old| old.eq_ignore_ascii_case(&address));
        let way = match change.filter(|_| had) {
            Some(change) => way_back(tx, app, change, &recipient).await?,
            None => None,
        };
        let (undo, subject) = way.unzip();
        let thread = (None, subject.flatten());
        post_answerable(tx, app, &notice(undo), &recipient, Some(user.id), thread, now).await?;
    }
    Ok(notice(None))
}

/// Records and mails an added or removed passkey, as a change with equal addresses: its undo ends an added
/// passkey with everything since; a removed one does not come back. The passkey's name is left out, as an
/// attacker may have chosen it.
pub(crate) async fn announce_passkey(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    changed: PasskeyChange,
    now: Millis,
) -> Result<(), StoreError> {
    let addresses = registered_addresses(tx, &app.config, user.id).await?;
    if addresses.is_empty() {
        return Ok(());
    }
    let template = match changed {
        PasskeyChange::Added => "passkey_added",
        PasskeyChange::Removed => "passkey_removed",
    };
    let change = tx.insert_address_change(user.id, &addresses.join("\n"), now).await?;
    for address in addresses {
        let Ok(recipient) = address.parse::<Address>() else { continue };
        let way = way_back(tx, app, change, &recipient).await?;
        let (undo, subject) = way.unzip();
        let notice = Reply::said(template, json!({ "userid": user.userid, "undo": undo }));
        let thread = (None, subject.flatten());
        post_answerable(tx, app, &notice, &recipient, Some(user.id), thread, now).await?;
    }
    Ok(())
}

/// Undo for one address; none if it bounces, since somebody else may read it by now.
async fn way_back(
    tx: &mut ReadTx,
    app: &App,
    change: i64,
    address: &Address,
) -> Result<Option<WayBack>, StoreError> {
    if tx.address_trouble(&address.key()).await?.flatten().is_some() {
        return Ok(None);
    }
    let subject = Subject::Change { change }.answerable(app);
    let page = app.links.undo(change, &address.key());
    Ok(Some((Undo { page, by_reply: subject.is_some(), days: GOOD_FOR_DAYS }, subject)))
}

/// Recently lost addresses with their undo. They are told of a new password.
pub(crate) async fn lost_addresses(
    tx: &mut ReadTx,
    app: &App,
    user: &UserRow,
    now: Millis,
) -> Result<Vec<(Address, WayBack)>, StoreError> {
    let here = registered_addresses(tx, &app.config, user.id).await?;
    let mut lost: Vec<(Address, WayBack)> = Vec::new();
    // The first change with this address: an attacker may have added their own before removing it.
    for change in
        tx.address_changes_since(user.id, now.plus(-GOOD_FOR_DAYS * DAY_MS)).await?.into_iter().rev()
    {
        for line in change.addresses.lines() {
            let Ok(address) = line.parse::<Address>() else { continue };
            let is_known = here.iter().any(|one| one.eq_ignore_ascii_case(line))
                || lost.iter().any(|(one, _)| one.key() == address.key());
            if !is_known && let Some(way) = way_back(tx, app, change.id, &address).await? {
                lost.push((address, way));
            }
        }
    }
    Ok(lost)
}

async fn read(
    tx: &mut ReadTx,
    app: &App,
    token: &str,
    now: Millis,
) -> Result<(AddressChange, UserRow, Address), Unwritten<NotUndone>> {
    let (id, address) = app.links.read_undo(token).ok_or(NotUndone::Unknown)?;
    find(tx, id, &address, now).await
}

async fn find(
    tx: &mut ReadTx,
    id: i64,
    address_key: &str,
    now: Millis,
) -> Result<(AddressChange, UserRow, Address), Unwritten<NotUndone>> {
    // Changes are deleted long after they expire.
    let change = tx.address_change(id).await?.ok_or(NotUndone::Expired)?;
    if now > change.at.plus(GOOD_FOR_DAYS * DAY_MS) {
        return Err(NotUndone::Expired.into());
    }
    if change.undone_at.is_some() {
        return Err(NotUndone::Used.into());
    }
    let user = tx.user(change.user_id).await?.filter(|user| user.state == UserState::Active);
    let found = user.and_then(|user| {
        let mut old = change.addresses.lines().filter_map(|line| line.parse().ok());
        let address = old.find(|old: &Address| old.key() == address_key)?;
        Some((user, address))
    });
    found.map(|(user, address)| (change, user, address)).ok_or_else(|| NotUndone::Unknown.into())
}

pub async fn view_address_change(app: &App, token: &str) -> Result<UndoLink, Unwritten<NotUndone>> {
    let mut tx = app.store.read().await?;
    let (_, user, address) = read(&mut tx, app, token, app.clock.now()).await?;
    Ok(UndoLink { userid: user.userid, address: address.to_string() })
}

/// Reverts a change and all later ones, once.
pub async fn undo_address_change(app: &Arc<App>, token: &str) -> Result<UndoLink, Unwritten<NotUndone>> {
    let (token, now) = (token.to_owned(), app.clock.now());
    let done = app
        .write(async move |tx, app| {
            let (change, user, address) = read(tx, app, &token, now).await?;
            if !restore(tx, app, &change, &user, &address, now).await? {
                return Err(Unwritten::Refused(NotUndone::Used));
            }
            Ok(UndoLink { userid: user.userid, address: address.to_string() })
        })
        .await?;
    app.signals.outbox.notify_one();
    Ok(done)
}

/// Restores the addresses and ends everything since, all sessions included: one may be the unattended
/// browser. `false`: done before.
async fn restore(
    tx: &mut WriteTx,
    app: &App,
    change: &AddressChange,
    user: &UserRow,
    address: &Address,
    now: Millis,
) -> Result<bool, StoreError> {
    if !tx.undo_address_change(change, now).await? {
        return Ok(false);
    }
    tx.remove_addresses_since(user.id, change.at).await?;
    for old in change.addresses.lines().filter_map(|line| line.parse::<Address>().ok()) {
        tx.add_address(user.id, &old, Some(now), now).await?;
        tx.verify_address(user.id, &old.key(), now).await?;
        tx.set_address_leaving(user.id, &old.key(), false).await?;
    }
    tx.drop_sessions_of(user.id).await?;
    tx.drop_tokens_since(user.id, change.at).await?;
    tx.drop_passkeys_since(user.id, change.at).await?;
    webhooks::remove_since(tx, user.id, change.at, now).await?;
    // Revokes links mailed to addresses now gone.
    tx.drop_magic_link(user.id).await?;
    let notice = addresses_changed(tx, user).await?(None);
    post_to_user(tx, app, &notice, user.id, now).await?;
    if user.password_hash.is_some() {
        let at = resets::begin_anew(tx, app, user.id, now).await?;
        post_reference_to(tx, app, &Reference::Reset(at), user.id, &address.to_string(), now).await?;
    } else {
        tx.drop_reset(user.id).await?;
    }
    Ok(true)
}

#[derive(Clone, Debug)]
pub(crate) struct Objection {
    user: UserRow,
    address: Address,
    change: AddressChange,
    is_clear: bool,
}

fn says_not_me(line: &str) -> bool {
    let words = line.to_lowercase();
    let words = words.trim().trim_end_matches(['.', '!', ',']).trim_matches(['`', '"', '\'', '*']);
    ["not me", "this was not me", "that was not me", "it was not me", "wasn't me"].contains(&words)
}

pub(crate) async fn read_reply(
    tx: &mut ReadTx,
    mails: &[AnsweredMail],
    line: &str,
    now: Millis,
) -> Result<Option<Objection>, StoreError> {
    for mail in mails.iter().filter(|mail| mail.purpose == Some(Purpose::Reply)) {
        let Some(Subject::Change { change }) = mail.subject else { continue };
        let address_key = mail.row.recipient.to_lowercase();
        match find(tx, change, &address_key, now).await {
            // A later change than the mail only has its number, after old ones were deleted or stayed behind.
            Ok((change, user, address)) if change.at <= mail.row.date => {
                return Ok(Some(Objection { user, address, change, is_clear: says_not_me(line) }));
            }
            Ok(_) | Err(Unwritten::Refused(_)) => {}
            Err(Unwritten::Store(error)) => return Err(error),
        }
    }
    Ok(None)
}

/// Reverts the change if the reply says so; otherwise explains how, once per change.
pub(crate) async fn answer_reply(
    tx: &mut WriteTx,
    app: &App,
    objection: &Objection,
    now: Millis,
) -> Result<Answer, StoreError> {
    let Objection { user, address, change, is_clear } = objection;
    if *is_clear {
        let done = restore(tx, app, change, user, address, now).await?;
        let notice = addresses_changed(tx, user).await?(None);
        return Ok(Answer { changed: done, ..Answer::to_registered(notice) });
    }
    let hint = Reply::said("undo_hint", json!({ "userid": user.userid }));
    let last_hour = (change.at.0 + (GOOD_FOR_DAYS + 1) * DAY_MS) / 3_600_000;
    if tx.count_answer(&format!("undo {}", change.id), last_hour).await? == 1 {
        let way = way_back(tx, app, change.id, address).await?;
        let thread = (None, way.and_then(|(_, subject)| subject));
        post_answerable(tx, app, &hint, address, Some(user.id), thread, now).await?;
    }
    Ok(Answer::to_registered(hint))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn somebody_else_is_named_in_few_words() {
        for line in ["not me", "Not me!", "`not me`", "This was not me."] {
            assert!(says_not_me(line), "{line}");
        }
        for line in ["", "me", "I am away until Monday", "not me, I think", "confirm"] {
            assert!(!says_not_me(line), "{line}");
        }
    }
}

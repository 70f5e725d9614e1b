//! The mails with a link that logs in or sets a new password. They are composed when they are sent, so that no link and
//! no code waits in the outbox.

use serde_json::json;

use crate::links::{Links, TimedLink};
use crate::replies::Reply;
use knotpost_model::{Millis, UserKey};
use knotpost_storage::{ReadTx, StoreError, UserRow, UserState};

const MINUTE_MS: i64 = 60_000;
/// Lifetime of a link or code for a new password.
pub(crate) const RESET_MS: i64 = 24 * 3_600_000;
/// Lifetime of a mailed link that logs its reader in.
const LINK_MS: i64 = 30 * MINUTE_MS;

/// The mail with link and code for a new password, as it is sent; `None` when it would be of no use any more.
pub(crate) async fn password_reset(
    tx: &mut ReadTx,
    links: &Links,
    user: UserKey,
    at: Millis,
    now: Millis,
) -> Result<Option<Reply>, StoreError> {
    let Some(user) = live_reset(tx, user, at, now).await? else { return Ok(None) };
    let facts = json!({
        "userid": user.userid,
        "link": links.timed(TimedLink::Reset, user.id, at),
        // Counts as the present password once.
        "code": links.reset_code(user.id, at),
        "hours": RESET_MS / 3_600_000,
    });
    Ok(Some(Reply::said("password_reset", facts)))
}

/// The user whose reset of that moment can still be used.
pub(crate) async fn live_reset(
    tx: &mut ReadTx,
    user: UserKey,
    at: Millis,
    now: Millis,
) -> Result<Option<UserRow>, StoreError> {
    if now.0 >= at.plus(RESET_MS).0 || !tx.has_reset(user, at).await? {
        return Ok(None);
    }
    Ok(tx.user(user).await?.filter(|user| user.state == UserState::Active))
}

/// The mail with the link that logs in, as it is sent; `None` when it would be of no use any more.
pub(crate) async fn login_link(
    tx: &mut ReadTx,
    links: &Links,
    user: UserKey,
    at: Millis,
    now: Millis,
) -> Result<Option<Reply>, StoreError> {
    let Some(user) = live_link(tx, user, at, now).await? else { return Ok(None) };
    let link = links.timed(TimedLink::Magic, user.id, at);
    let facts = json!({ "userid": user.userid, "link": link, "minutes": LINK_MS / MINUTE_MS });
    Ok(Some(Reply::said("magic_link", facts)))
}

/// The user whom the link of that moment can still log in.
pub(crate) async fn live_link(
    tx: &mut ReadTx,
    user: UserKey,
    at: Millis,
    now: Millis,
) -> Result<Option<UserRow>, StoreError> {
    if now.0 >= at.plus(LINK_MS).0 || tx.magic_link_at(user).await? != Some(at.0) {
        return Ok(None);
    }
    Ok(tx.user(user).await?.filter(|user| user.state == UserState::Active && user.password_hash.is_some()))
}

//! Reset of forgotten passwords. A link and a code go to the registered addresses; either works once, and
//! only until the password changes. Both are derived from the server's secret: neither is in the database,
//! not even in a queued mail.

use std::sync::Arc;

use knotpost_commands::Password;
use serde_json::json;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::identity::undoing::{Undo, lost_addresses};
use crate::links::TimedLink;
use crate::mailing::login_mails::{RESET_MS, live_reset};
use crate::mailing::post::{post_answerable, post_to_user};
use crate::mailing::references::{Reference, post_reference};
use crate::replies::Reply;
use knotpost_model::{Millis, Rate, UserKey};
use knotpost_platform::secret::{KeyRing, Purpose, to_hex};
use knotpost_storage::{Store, StoreError, UserRow, UserState, WriteTx};

const MOST_TRIES: i64 = 5;
/// Valid codes per user. Further requests repeat the newest.
const MOST_LIVE: usize = 5;

/// Issues a code beside existing ones, or reuses the newest of too many; returns its time.
pub(crate) async fn begin(
    tx: &mut WriteTx,
    app: &App,
    user: UserKey,
    now: Millis,
) -> Result<Millis, StoreError> {
    let live = tx.live_resets(user, now.plus(-RESET_MS), MOST_TRIES).await?;
    if let Some(newest) = live.first().filter(|_| live.len() >= MOST_LIVE) {
        return Ok(*newest);
    }
    tx.add_reset(user, &code_digest(&app.secret, &app.links.reset_code(user, now)), now).await?;
    Ok(now)
}

/// As [`begin`], after revoking all codes and links. Its time is later than theirs, since equal times give
/// equal codes.
pub(crate) async fn begin_anew(
    tx: &mut WriteTx,
    app: &App,
    user: UserKey,
    now: Millis,
) -> Result<Millis, StoreError> {
    let live = tx.live_resets(user, now.plus(-RESET_MS), MOST_TRIES).await?;
    let at = live.first().map_or(now, |newest| Millis(now.0.max(newest.0 + 1)));
    tx.drop_reset(user).await?;
    begin(tx, app, user, at).await
}

pub(crate) async fn send(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    now: Millis,
) -> Result<(), ServiceError> {
    if user.state != UserState::Active || user.password_hash.is_none() {
        let message = format!("{} is suspended or has no password to replace", user.userid);
        return Err(Refusal::new(Code::Conflict, message).into());
    }
    let at = begin(tx, app, user.id, now).await?;
    if post_reference(tx, app, Reference::Reset(at), user.id, now).await? == 0 {
        let message = format!("{} has no confirmed address to write to", user.userid);
        return Err(Refusal::new(Code::Conflict, message).into());
    }
    Ok(())
}

/// Checks a reset code. Each try counts; words not shaped like a code are skipped. Without a user it fails on
/// the same path.
pub(crate) async fn try_code(
    store: &Store,
    secret: &KeyRing,
    user: Option<UserKey>,
    word: &str,
    now: Millis,
) -> Result<bool, StoreError> {
    let Some(code) = read_code(word) else { return Ok(false) };
    let (key, since) = (user.unwrap_or(UserKey(0)), now.plus(-RESET_MS));
    let right = store.write(async move |tx| tx.try_resets(key, since, MOST_TRIES).await).await?;
    let digest = code_digest(secret, &code);
    Ok(right.iter().any(|right| crate::identity::credentials::same_hash(right, &digest)))
}

/// Normalises a code: three groups of four, any case, dashes optional.
fn read_code(word: &str) -> Option<String> {
    let bare: String = word.chars().filter(|sign| *sign != '-').collect::<String>().to_uppercase();
    let is_code =
        bare.len() == 12 && bare.chars().all(|sign| crate::links::CODE_SIGNS.contains(&(sign as u8)));
    is_code.then(|| bare.as_bytes().chunks(4).map(String::from_utf8_lossy).collect::<Vec<_>>().join("-"))
}

fn code_digest(secret: &KeyRing, code: &str) -> String {
    to_hex(&secret.digest(Purpose::Tokens, &[b"reset code digest", code.as_bytes()]))
}

/// User of a valid reset link; `None`: used, expired or invalid.
pub async fn view_reset(app: &App, token: &str) -> Result<Option<String>, StoreError> {
    let Some((user, at)) = app.links.read_timed(TimedLink::Reset, token) else { return Ok(None) };
    let mut tx = app.store.read().await?;
    Ok(live_reset(&mut tx, user, at, app.clock.now()).await?.map(|user| user.userid))
}

/// Sets the password and consumes the link; returns the user's name.
pub async fn set_password_by_link(
    app: &Arc<App>,
    token: &str,
    password: &str,
) -> Result<String, ServiceError> {
    let spent =
        || Refusal::new(Code::NotAllowed, "this link was used already or is too old; ask for a new one");
    let Some((user, at)) = app.links.read_timed(TimedLink::Reset, token) else { return Err(spent().into()) };
    let password = Password::choose(password)
        .map_err(|rule| Refusal::new(Code::BadValue, format!("this password cannot be taken: {rule}")))?;
    if view_reset(app, token).await?.is_none() {
        return Err(spent().into());
    }
    if app.limits.count(Rate::Password, &format!("reset {}", user.0)).is_err() {
        return Err(Refusal::new(Code::RateLimited, "this link was used too often; try again later").into());
    }
    let hash = app.credentials.hash(password.expose()).await;
    let hash = hash.map_err(|error| Refusal::new(Code::Unavailable, error.to_string()))?;
    let now = app.clock.now();
    let userid = app
        .write(async move |tx, app| {
            let user = live_reset(tx, user, at, now).await?.ok_or_else(spent)?;
            replace_password(tx, app, &user, &hash, now).await?;
            Ok::<_, ServiceError>(user.userid)
        })
        .await?;
    app.credentials.forget(user);
    app.signals.outbox.notify_one();
    Ok(userid)
}

/// Replaces the password, which revokes codes and links, and mails a notice.
pub(crate) async fn replace_password(
    tx: &mut WriteTx,
    app: &App,
    user: &UserRow,
    hash: &str,
    now: Millis,
) -> Result<Reply, StoreError> {
    tx.set_password_hash(user.id, Some(hash), now).await?;
    tx.drop_reset(user.id).await?;
    let notice =
        |undo: Option<Undo>| Reply::said("password_changed", json!({ "userid": user.userid, "undo": undo }));
    post_to_user(tx, app, &notice(None), user.id, now).await?;
    for (address, (undo, subject)) in lost_addresses(tx, app, user, now).await? {
        post_answerable(tx, app, &notice(Some(undo)), &address, Some(user.id), (None, subject), now).await?;
    }
    Ok(notice(None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_however_they_are_typed() {
        assert_eq!(read_code("abcd-EFGH-2345").as_deref(), Some("ABCD-EFGH-2345"));
        assert_eq!(read_code("abcdefgh2345").as_deref(), Some("ABCD-EFGH-2345"));
        for word in ["abcd-efgh-234", "abcd-efgh-2341", "ABCD-EFGH-23456", "", "pässword1234"] {
            assert_eq!(read_code(word), None, "{word}");
        }
    }
}

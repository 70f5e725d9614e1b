//! Whether somebody is who he says: by his password, by a code, or because he is logged in.

use super::acquaintances::Named;
use super::{Code, HashError, Login, Proof, ProvenUser, Rate, Refusal, ServiceError, resets};
use crate::app::App;
use crate::store::{StoreError, UserState};

/// Whether hashing passwords is allowed to take its time.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Patience {
    Hash,
    OnlyRemembered,
}

/// Whether what was given as the present password is the code of somebody who forgot his.
pub(super) async fn check_code(app: &App, userid: &str, word: &str) -> Result<Login, StoreError> {
    let user = app.store.glance().await?.find_user(userid).await?;
    let user = user.filter(|user| user.state == UserState::Active);
    let right = resets::try_code(app, user.as_ref().map(|user| user.id), word, app.clock.now()).await?;
    Ok(match user.and_then(|user| Some((user.id, user.password_hash?))) {
        Some((user, hash)) if right => Login::Known { user, hash, key: None },
        _ => Login::Wrong,
    })
}

/// Whether this is the password of that user, typed into a form or sent with a request. Tries are counted.
///
/// # Errors
/// When the database fails.
pub(super) async fn check_typed_password(
    app: &App,
    rate_key: &str,
    userid: &str,
    password: &str,
) -> Result<Result<Login, HashError>, StoreError> {
    let checked = check_password(app, (rate_key, &Proof::Password), userid, password, Patience::Hash).await?;
    Ok(checked.unwrap_or(Ok(Login::Wrong)))
}

/// Whose password this is; `None`: nobody's of that name. Tries are counted.
///
/// # Errors
/// When it was tried too often or cannot be checked now; when the database fails.
pub async fn whose_password(
    app: &App,
    rate_key: &str,
    userid: &str,
    password: &str,
) -> Result<Option<ProvenUser>, ServiceError> {
    match check_typed_password(app, rate_key, userid, password).await? {
        Ok(Login::Known { user, hash, key }) => {
            let password_at = Some(app.clock.now());
            Ok(Some(ProvenUser { user, userid: userid.to_owned(), hash, key, password_at }))
        }
        Ok(Login::TooMany(seconds)) => {
            let refusal = Refusal::new(Code::RateLimited, "too many tries with this userid; try again later");
            Err(Refusal { retry_after: Some(seconds), ..refusal }.into())
        }
        Err(_) => Err(Refusal::new(Code::Unavailable, "the server is too busy to check passwords").into()),
        Ok(Login::Wrong | Login::NotNeeded | Login::Stale) => Ok(None),
    }
}

/// Who this was a moment ago, if that is the password he had then: for what looks at him again in its transaction.
pub(super) fn recall(app: &App, userid: &str, password: &str) -> Option<Login> {
    let now = app.clock.now();
    let Named { user, hash } = app.acquaintances.of_name(&userid.to_lowercase(), now)?;
    let is_right = app.credentials.remembers(user, password, &hash, now);
    is_right.then_some(Login::Known { user, hash, key: None })
}

/// Whether this is the password of that user, or stands for it; `None` when it would have to be hashed and must not
/// be.
pub(super) async fn check_password(
    app: &App,
    (rate_key, proof): (&str, &Proof),
    userid: &str,
    password: &str,
    patience: Patience,
) -> Result<Option<Result<Login, HashError>>, StoreError> {
    // Whether that is still so is looked at in the transaction.
    if let Proof::LoggedIn(visitor) = proof
        && visitor.userid.eq_ignore_ascii_case(userid)
        && password == knotpost_commands::MASK
    {
        let (user, hash, key) = (visitor.user, visitor.hash.clone(), visitor.key);
        return Ok(Some(Ok(Login::Known { user, hash, key })));
    }
    let user = app.store.glance().await?.find_user(userid).await?;
    let user = user.filter(|user| user.state == UserState::Active);
    let stored = user.and_then(|user| user.password_hash.map(|hash| (user.id, hash)));
    let now = app.clock.now();
    if let Some((user, hash)) = &stored {
        let named = Named { user: *user, hash: hash.clone() };
        app.acquaintances.remember_name(userid.to_lowercase(), named, now);
        if app.credentials.remembers(*user, password, hash, now) {
            return Ok(Some(Ok(Login::Known { user: *user, hash: hash.clone(), key: None })));
        }
    }
    if patience == Patience::OnlyRemembered {
        return Ok(None);
    }
    let account = userid.to_lowercase();
    if let Err(seconds) = app.limits.count(Rate::Password, &format!("{account} {rate_key}")) {
        return Ok(Some(Ok(Login::TooMany(seconds))));
    }
    let verified = app
        .credentials
        .verify(stored.as_ref().map(|(user, hash)| (*user, hash.as_str())), password, now)
        .await;
    Ok(Some(verified.map(|right| match (right, stored) {
        (true, Some((user, hash))) => Login::Known { user, hash, key: None },
        _ => Login::Wrong,
    })))
}

//! Private URLs of a user's feeds. Feed readers cannot log in, so the URL carries a key good for these two
//! feeds alone.
//!
//! The key is derived from the server's secret, a random salt and the password hash. Hence the settings can
//! show it any time, a stolen database does not reveal it, a new salt replaces it, and a new password ends
//! it.

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::identity::ProvenUser;
use crate::identity::authentication::check_proven;
use knotpost_model::{Millis, Rate, UserKey};
use knotpost_platform::clock::random_bytes;
use knotpost_platform::secret::{KeyRing, to_hex};
use knotpost_storage::{FeedKeyRow, Store, StoreError, UserRow, UserState};

const KEY: usize = 20;

#[derive(Clone)]
pub struct FeedKey {
    pub key: String,
    pub since: Millis,
}

#[derive(Clone, Debug)]
pub struct FeedReader {
    pub user: UserKey,
    pub userid: String,
    pub since: Millis,
}

pub async fn view_feed_key(
    store: &Store,
    secret: &KeyRing,
    user: UserKey,
) -> Result<Option<FeedKey>, StoreError> {
    let mut tx = store.read().await?;
    let (Some(user), Some(row)) = (tx.user(user).await?, tx.feed_key(user).await?) else { return Ok(None) };
    Ok(Some(FeedKey { key: derive(secret, &user, &row), since: row.at }))
}

pub async fn renew_feed_key(app: &App, proven: ProvenUser) -> Result<(), ServiceError> {
    let salt: [u8; 16] = random_bytes(app.entropy.as_ref()).map_err(|error| {
        tracing::error!(%error, "without random bytes no feeds can be given out");
        Refusal::new(Code::Unavailable, "no address can be made at the moment")
    })?;
    let (salt, now) = (to_hex(&salt), app.clock.now());
    let renewed = app.store.write(async move |tx| {
        check_proven(tx, &proven).await?;
        Ok(tx.set_feed_key(proven.user, &salt, now).await?)
    });
    renewed.await
}

pub async fn end_feed_key(store: &Store, user: UserKey) -> Result<(), StoreError> {
    store.write(async move |tx| tx.drop_feed_key(user).await).await
}

/// Authenticates a feed URL. Failures count like wrong passwords and do not reveal whether user or feeds
/// exist.
pub async fn find_feed_reader(
    app: &App,
    userid: &str,
    key: &str,
    rate_key: &str,
) -> Result<Option<FeedReader>, ServiceError> {
    let mut tx = app.store.read().await?;
    let user = tx.find_user(userid).await?.filter(|user| user.state == UserState::Active);
    let row = match &user {
        Some(user) => tx.feed_key(user.id).await?,
        None => None,
    };
    drop(tx);
    let found = user.zip(row).filter(|(user, row)| {
        let salt = row.salt.as_bytes();
        app.secret.is_signed_text(&parts(&user.id.0.to_be_bytes(), salt, hash(user)), KEY, key)
    });
    if let Some((user, row)) = found {
        return Ok(Some(FeedReader { user: user.id, userid: user.userid, since: row.at }));
    }
    let words = "too many wrong feed addresses were tried; try again later";
    app.limits.admit(Rate::Password, &format!("feed {rate_key}"), words)?;
    Ok(None)
}

fn derive(secret: &KeyRing, user: &UserRow, row: &FeedKeyRow) -> String {
    secret.sign(&parts(&user.id.0.to_be_bytes(), row.salt.as_bytes(), hash(user))).to_text(KEY)
}

fn parts<'a>(user: &'a [u8], salt: &'a [u8], hash: &'a [u8]) -> [&'a [u8]; 4] {
    [b"feeds", user, salt, hash]
}

fn hash(user: &UserRow) -> &[u8] {
    user.password_hash.as_deref().unwrap_or_default().as_bytes()
}

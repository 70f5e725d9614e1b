//! API keys: random tokens of a user with scopes and an expiry.
//!
//! A token is shown once; its keyed digest is stored. It ends by expiry, revocation, a new password,
//! suspension or deletion, like a web session.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::identity::ProvenUser;
use crate::identity::authentication::check_proven;
use crate::identity::bearer::{Bearer, Scope};
use crate::identity::credentials::same_hash;
use crate::identity::sessions::password_mark;
use knotpost_model::{Millis, Moment, Rate, UserKey, clean_line};
use knotpost_platform::clock::{Clock, random_bytes};
use knotpost_platform::secret::{KeyRing, Purpose, to_hex};
use knotpost_storage::{NewToken, ReadTx, Store, StoreError, TokenRow, UserRow, UserState, WriteTx};

/// Recognisable prefix for secret scanners.
const PREFIX: &str = "knotpost_";
const MOST: usize = 30;
pub const LONGEST_NAME: usize = 60;
pub const USUAL_DAYS: u32 = 365;
pub const MOST_DAYS: u32 = 3650;
const DAY_MS: i64 = 86_400_000;
const TOUCH_MS: i64 = 3_600_000;

#[derive(Clone, Debug)]
pub struct TokenWish {
    pub name: String,
    pub scopes: Vec<Scope>,
    pub days: u32,
}

/// A key, without the secret.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[schemars(rename = "Key")]
pub struct TokenView {
    /// Its number.
    pub id: i64,
    /// Its name, chosen by its owner.
    pub name: String,
    /// Permissions.
    pub scopes: Vec<Scope>,
    /// Time at which it was made.
    #[serde(rename = "created")]
    pub created_at: Moment,
    /// Time of its last use, to the hour.
    #[serde(rename = "used")]
    pub used_at: Option<Moment>,
    /// Time of its end.
    #[serde(rename = "expires")]
    pub expires_at: Moment,
}

/// A key that was just made.
#[derive(Clone, Serialize, JsonSchema)]
#[schemars(rename = "FreshKey")]
pub struct FreshToken {
    #[serde(flatten)]
    pub view: TokenView,
    /// The key itself. It is not shown again.
    pub token: String,
}

pub async fn create_token(
    app: &Arc<App>,
    proven: ProvenUser,
    wish: TokenWish,
) -> Result<FreshToken, ServiceError> {
    let (name, scopes, days) = check(wish)?;
    let bytes: [u8; 32] = random_bytes(app.entropy.as_ref()).map_err(|error| {
        tracing::error!(%error, "without random bytes no key can be made");
        Refusal::new(Code::Unavailable, "no key can be made at the moment")
    })?;
    let token = format!("{PREFIX}{}", to_hex(&bytes));
    let (digest, now) = (digest(&app.secret, &token), app.clock.now());
    let expires_at = now.plus(i64::from(days) * DAY_MS);
    let wish = (name.clone(), scopes.clone());
    let id = app
        .write(async move |tx, app| {
            let (name, scopes) = &wish;
            let row = check_proven(tx, &proven).await?;
            let refuse = |why: &str| Err(Refusal::new(Code::NotAllowed, why).into());
            if scopes.contains(&Scope::Bot) && !row.is_bot() {
                return refuse(
                    "keys with the scope `bot` are for accounts of programs: set USERID PASSWORD bot=on",
                );
            }
            if scopes.contains(&Scope::Admin) && row.role != "admin" {
                return refuse("only administrators have keys with the scope `admin`");
            }
            if forget_ended(tx, &app.secret, &row, now).await? >= MOST {
                return refuse("there are too many keys; revoke some first");
            }
            let token = NewToken {
                digest: digest.clone(),
                user: row.id,
                name: name.clone(),
                scopes: Scope::join(scopes),
                password_mark: password_mark(&app.secret, &row),
                expires_at,
            };
            Ok::<_, ServiceError>(tx.insert_token(&token, now).await?)
        })
        .await?;
    let (created_at, expires_at) = (now.into(), expires_at.into());
    Ok(FreshToken { token, view: TokenView { id, name, scopes, created_at, used_at: None, expires_at } })
}

fn check(wish: TokenWish) -> Result<(String, Vec<Scope>, u32), Refusal> {
    let name = clean_line(&wish.name).trim().to_owned();
    if name.is_empty() || name.chars().count() > LONGEST_NAME {
        let message = format!("a key needs a name of at most {LONGEST_NAME} characters");
        return Err(Refusal::new(Code::BadValue, message));
    }
    let mut scopes = wish.scopes;
    scopes.sort_unstable();
    scopes.dedup();
    if scopes.is_empty() {
        let known = Scope::join(Scope::ALL).replace(',', ", ");
        return Err(Refusal::new(Code::BadValue, format!("a key needs a scope: one or more of {known}")));
    }
    if !(1..=MOST_DAYS).contains(&wish.days) {
        return Err(Refusal::new(Code::BadValue, format!("a key lives for 1 to {MOST_DAYS} days")));
    }
    Ok((name, scopes, wish.days))
}

async fn sort_out(
    tx: &mut ReadTx,
    secret: &KeyRing,
    owner: &UserRow,
    now: Millis,
) -> Result<(Vec<TokenRow>, Vec<TokenRow>), StoreError> {
    let mark = password_mark(secret, owner);
    let rows = tx.tokens_of(owner.id).await?.into_iter();
    Ok(rows.partition(|row| now.0 < row.expires_at.0 && same_hash(&row.password_mark, &mark)))
}

async fn forget_ended(
    tx: &mut WriteTx,
    secret: &KeyRing,
    owner: &UserRow,
    now: Millis,
) -> Result<usize, StoreError> {
    let (living, ended) = sort_out(tx, secret, owner, now).await?;
    for row in ended {
        tx.drop_token(owner.id, row.id).await?;
    }
    Ok(living.len())
}

pub(crate) async fn count_tokens(
    tx: &mut ReadTx,
    clock: &dyn Clock,
    secret: &KeyRing,
    owner: &UserRow,
) -> Result<usize, StoreError> {
    Ok(sort_out(tx, secret, owner, clock.now()).await?.0.len())
}

/// Valid keys, newest first.
pub async fn view_tokens(app: &App, user: UserKey) -> Result<Vec<TokenView>, StoreError> {
    let (mut tx, now) = (app.store.read().await?, app.clock.now());
    let Some(owner) = tx.user(user).await? else { return Ok(Vec::new()) };
    let (living, _) = sort_out(&mut tx, &app.secret, &owner, now).await?;
    let view = |row: TokenRow| TokenView {
        id: row.id,
        name: row.name,
        scopes: Scope::split(&row.scopes),
        created_at: row.created_at.into(),
        used_at: row.used_at.map(Moment::from),
        expires_at: row.expires_at.into(),
    };
    Ok(living.into_iter().map(view).collect())
}

pub async fn revoke_token(store: &Store, user: UserKey, id: i64) -> Result<(), ServiceError> {
    if store.write(async move |tx| tx.drop_token(user, id).await).await? {
        return Ok(());
    }
    Err(Refusal::new(Code::BadValue, format!("there is no key {id} of yours")).into())
}

/// Authenticates a token; `None`: invalid. Failures count like wrong passwords.
pub async fn find_bearer(app: &App, token: &str, rate_key: &str) -> Result<Option<Bearer>, ServiceError> {
    let (digest, now) = (digest(&app.secret, token), app.clock.now());
    let found = app.store.query().await?.token_and_owner(&digest).await?.filter(|(row, user)| {
        now.0 < row.expires_at.0
            && user.state == UserState::Active
            && same_hash(&row.password_mark, &password_mark(&app.secret, user))
    });
    let Some((row, user)) = found else {
        let words = "too many wrong tokens were tried; try again later";
        app.limits.admit(Rate::Password, &format!("token {rate_key}"), words)?;
        return Ok(None);
    };
    if row.used_at.is_none_or(|used| now.0 - used >= TOUCH_MS) {
        let id = row.id;
        app.store.write_queue(async move |tx| tx.touch_token(id, now).await).await?;
    }
    let is_admin = user.role == "admin";
    let proven = ProvenUser {
        user: user.id,
        userid: user.userid,
        hash: user.password_hash.unwrap_or_default(),
        key: Some(row.id),
        session: None,
        password_at: None,
    };
    Ok(Some(Bearer { proven, is_admin, scopes: Scope::split(&row.scopes) }))
}

/// A fast digest suffices: the token has 256 random bits.
fn digest(secret: &KeyRing, token: &str) -> String {
    to_hex(&secret.digest(Purpose::Tokens, &[b"api token", token.as_bytes()]))
}

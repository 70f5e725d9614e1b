//! Authentication by password or code.
//!
//! Wrong passwords are limited by place, whichever way they come. A host from which the account logged in
//! before, or a vouched-for mail from one of its confirmed addresses, has a share of its own. All other
//! places share one per account and one per host, so strangers cannot lock the owner out. After that, an
//! unvouched mail from a confirmed address has a small share per connecting host. A right password costs
//! nothing; without a share left even a right one is refused unchecked.

use knotpost_platform::clock::Clock;
use std::sync::Arc;

use serde_json::json;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::identity::credentials::{Try, same_hash};
use crate::identity::limits::{Limited, Reservation};
use crate::identity::{Credentials, Limits, Login, Origin, ProvenUser, resets};
use crate::mailing::post::post_to_user;
use crate::replies::Reply;
use knotpost_model::{Address, Channel, Host, Millis, Rate, Share, ShareOf, UserKey};
use knotpost_storage::{ReadTx, Store, StoreError, UserRow, UserState};

const KNOWN_MS: i64 = 30 * 86_400_000;
const TOUCH_MS: i64 = 86_400_000;
const WARNING_PAUSE_MS: i64 = 86_400_000;

/// Permission for slow work now: hashing, a computer player's search.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum SlowWork {
    Allowed,
    /// Cached results only; the caller comes back later.
    Refused,
}

#[derive(Clone, Debug)]
pub(crate) struct Place {
    channel: Channel,
    host: Option<Host>,
    sender: Option<Address>,
    aligned: bool,
    key: String,
}

impl Place {
    pub(crate) fn of(origin: &Origin) -> Self {
        let host = origin.host.map(|host| host.to_string()).unwrap_or_default();
        let key = match origin.channel {
            Channel::Http => format!("host {host}"),
            // Host and alignment are part of the key, so that a forged From does not use up the share of its
            // victim.
            Channel::Mail => format!("mail {} {host} {}", origin.rate_key, origin.aligned),
            Channel::Operator => "operator".to_owned(),
        };
        let (channel, host, sender) = (origin.channel, origin.host, origin.sender.clone());
        Self { channel, host, sender, aligned: origin.aligned, key }
    }

    fn of_client(rate_key: &str) -> Self {
        let host = rate_key.parse().ok();
        Self { channel: Channel::Http, host, sender: None, aligned: false, key: format!("host {rate_key}") }
    }

    fn share(&self, scope: ShareOf) -> Share {
        Share { rate: Rate::Password, scope, channel: self.channel }
    }
}

struct Tried {
    login: Login,
    reservation: Option<Reservation>,
}

/// Checks a user's password from a form or request. Wrong ones are counted.
pub(crate) async fn check_typed_password(
    app: &Arc<App>,
    rate_key: &str,
    userid: &str,
    password: &str,
) -> Result<Login, StoreError> {
    let place = Place::of_client(rate_key);
    let checked = check_password(app, &place, (userid, password), Words::Password, SlowWork::Allowed).await?;
    Ok(checked.unwrap_or(Login::Wrong))
}

/// Looks up a user by name and password; `None`: wrong. Wrong ones are counted; too many are refused.
pub async fn whose_password(
    app: &Arc<App>,
    rate_key: &str,
    userid: &str,
    password: &str,
) -> Result<Option<ProvenUser>, ServiceError> {
    match check_typed_password(app, rate_key, userid, password).await? {
        Login::Known { user, hash, key, session } => {
            let password_at = Some(app.clock.now());
            Ok(Some(ProvenUser { user, userid: userid.to_owned(), hash, key, session, password_at }))
        }
        Login::TooMany(seconds) => {
            Err(Refusal::limited("too many tries with this userid; try again later", seconds).into())
        }
        Login::Overloaded => {
            Err(Refusal::new(Code::Unavailable, "the server is too busy to check passwords").into())
        }
        Login::Wrong | Login::NotNeeded | Login::Stale => Ok(None),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Words {
    Password,
    /// The password, or a reset code.
    PasswordOrCode,
}

/// The user, unless what they proved themselves by has ended meanwhile.
pub(crate) async fn check_proven(tx: &mut ReadTx, proven: &ProvenUser) -> Result<UserRow, ServiceError> {
    Ok(find_proven(tx, proven).await?.ok_or_else(logged_out)?)
}

pub(crate) async fn find_proven(tx: &mut ReadTx, proven: &ProvenUser) -> Result<Option<UserRow>, StoreError> {
    if let Some(session) = &proven.session
        && tx.session(session).await?.is_none()
    {
        return Ok(None);
    }
    let row = match proven.key {
        Some(key) => tx.user_with_token(proven.user, key).await?,
        None => tx.user(proven.user).await?,
    };
    let is_same = |row: &UserRow| {
        row.state == UserState::Active
            && row.password_hash.as_deref().is_some_and(|stored| same_hash(stored, &proven.hash))
    };
    Ok(row.filter(is_same))
}

pub(crate) fn logged_out() -> Refusal {
    Refusal::new(Code::BadCredentials, "you are not logged in any more; log in once more")
}

/// Checks a user's password; `None`: a hash would be needed and is not allowed. All password checks pass
/// through here.
pub(crate) async fn check_password(
    app: &Arc<App>,
    place: &Place,
    (userid, password): (&str, &str),
    words: Words,
    slow_work: SlowWork,
) -> Result<Option<Login>, StoreError> {
    let account = userid.to_lowercase();
    let own = format!("{account} {}", place.key);
    let own = match app.limits.reserve(&[(place.share(ShareOf::Sender), &own)]) {
        Ok(own) => own,
        Err(limited) => return Ok(Some(Login::TooMany(limited.seconds))),
    };
    let user = app.store.query().await?.find_user(userid).await?;
    let user = user.filter(|user| user.state == UserState::Active);
    if let Some(login) = find_verified(app.clock.as_ref(), &app.credentials, place, user.as_ref(), password) {
        app.limits.give_back(own);
        return Ok(Some(login));
    }
    if slow_work == SlowWork::Refused {
        app.limits.give_back(own);
        return Ok(None);
    }
    match try_password(app, place, &account, user.as_ref(), password, words).await {
        Ok(Tried { login, reservation }) => {
            conclude(app, &account, user.as_ref(), &login, (own, reservation)).await;
            Ok(Some(login))
        }
        Err(error) => {
            app.limits.give_back(own);
            Err(error)
        }
    }
}

/// The user, if that password was right from there a short while ago.
fn find_verified(
    clock: &dyn Clock,
    credentials: &Credentials,
    place: &Place,
    user: Option<&UserRow>,
    password: &str,
) -> Option<Login> {
    let (user, now) = (user?, clock.now());
    let hash = user.password_hash.clone()?;
    let tried = Try { password, place: &place.key, host: place.host };
    let is_right = credentials.has_verified(user.id, tried, &hash, now);
    is_right.then_some(Login::Known { user: user.id, hash, key: None, session: None })
}

async fn try_password(
    app: &Arc<App>,
    place: &Place,
    account: &str,
    user: Option<&UserRow>,
    password: &str,
    words: Words,
) -> Result<Tried, StoreError> {
    let now = app.clock.now();
    let known = known_as(&app.store, place, user, now).await?;
    let is_registered = is_registered(&app.store, place, user).await?;
    let reservation = match reserve(&app.limits, place, account, known, is_registered) {
        Ok(reservation) => reservation,
        Err(limited) => {
            return Ok(Tried { login: Login::TooMany(limited.seconds), reservation: None });
        }
    };
    let stored = user.and_then(|user| Some((user.id, user.password_hash.as_deref()?)));
    let tried = Try { password, place: &place.key, host: place.host };
    let is_right = match app.credentials.verify(stored, tried, now).await {
        Ok(false) if words == Words::PasswordOrCode => {
            resets::try_code(&app.store, &app.secret, user.map(|user| user.id), password, now).await
        }
        Ok(is_right) => Ok(is_right),
        Err(error) => {
            tracing::warn!(%error, "a password could not be checked");
            app.limits.give_back(reservation);
            return Ok(Tried { login: Login::Overloaded, reservation: None });
        }
    };
    let login = match is_right {
        Ok(is_right) => match stored.filter(|_| is_right) {
            Some((user, hash)) => Login::Known { user, hash: hash.to_owned(), key: None, session: None },
            None => Login::Wrong,
        },
        Err(error) => {
            app.limits.give_back(reservation);
            return Err(error);
        }
    };
    if let (Login::Known { user, .. }, Some(host)) = (&login, place.host) {
        record_host(&app.store, *user, host, known, now).await;
    }
    Ok(Tried { login, reservation: Some(reservation) })
}

/// Relation of a place to an account.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    Not,
    /// A confirmed address, vouched for.
    Address,
    /// A host, with the time of its last login.
    Host(Millis),
}

/// Runs the same queries for an unknown user, against timing attacks.
async fn known_as(
    store: &Store,
    place: &Place,
    user: Option<&UserRow>,
    now: Millis,
) -> Result<Known, StoreError> {
    let user = user.map_or(UserKey(0), |user| user.id);
    let mut tx = store.query().await?;
    if let Some(sender) = place.sender.as_ref().filter(|_| place.aligned)
        && tx.users_at(&sender.key()).await?.iter().any(|reader| reader.id == user)
    {
        return Ok(Known::Address);
    }
    let Some(host) = place.host else { return Ok(Known::Not) };
    let seen = tx.login_host_seen(user, &host.to_string()).await?;
    Ok(seen.filter(|seen| now.since(*seen).0 < KNOWN_MS).map_or(Known::Not, Known::Host))
}

/// True if a mail claims a confirmed address of the account. Runs the same queries for an unknown user.
async fn is_registered(store: &Store, place: &Place, user: Option<&UserRow>) -> Result<bool, StoreError> {
    let Some(sender) = &place.sender else { return Ok(false) };
    let readers = store.query().await?.users_at(&sender.key()).await?;
    Ok(readers.iter().any(|reader| Some(reader.id) == user.map(|user| user.id)))
}

fn reserve(
    limits: &Limits,
    place: &Place,
    account: &str,
    known: Known,
    is_registered: bool,
) -> Result<Reservation, Limited> {
    let host = place.host.map(|host| host.to_string());
    let at_host = format!("{account} host {}", host.as_deref().unwrap_or_default());
    let shares: Vec<(Share, &str)> = match known {
        Known::Address => Vec::new(),
        // The host is its place over HTTP. A mail can name any sender from the same host.
        Known::Host(_) if place.channel == Channel::Http => Vec::new(),
        Known::Host(_) => vec![(place.share(ShareOf::Sender), at_host.as_str())],
        Known::Not => {
            let of_host = host.as_deref().map(|host| (place.share(ShareOf::Host), host));
            of_host.into_iter().chain([(place.share(ShareOf::Name), account)]).collect()
        }
    };
    match limits.reserve(&shares) {
        // Charged to that address at that host: naming it from elsewhere costs nothing here.
        Err(_) if is_registered => {
            let own = format!("{account} {}", place.key);
            limits.reserve(&[(place.share(ShareOf::Address), own.as_str())])
        }
        reserved => reserved,
    }
}

/// Refunds a right password; for a wrong one, may warn the owner.
async fn conclude(
    app: &Arc<App>,
    account: &str,
    user: Option<&UserRow>,
    login: &Login,
    (own, others): (Reservation, Option<Reservation>),
) {
    let Some(others) = others else { return app.limits.give_back(own) };
    let taken = own.and(others);
    if !matches!(login, Login::Wrong) {
        return app.limits.give_back(taken);
    }
    app.limits.commit(taken);
    let many = app.limits.note_wrong_password(account);
    if let (Some(tries), Some(user)) = (many, user)
        && let Err(error) = warn(app, user.id, tries).await
    {
        tracing::warn!(
            error = error.with_causes(),
            "the owner of an account could not be told of wrong passwords"
        );
    }
}

/// Records a login without a password, which gives its host a share of wrong passwords of its own.
pub(crate) async fn record_login(store: &Store, clock: &dyn Clock, user: UserKey, rate_key: &str) {
    let (place, now) = (Place::of_client(rate_key), clock.now());
    let Some(host) = place.host else { return };
    let seen = async { store.query().await?.login_host_seen(user, &host.to_string()).await };
    let known = match seen.await {
        Ok(seen) => seen.map_or(Known::Not, Known::Host),
        Err(error) => {
            tracing::warn!(
                error = error.with_causes(),
                "from where somebody logged in could not be looked up"
            );
            return;
        }
    };
    record_host(store, user, host, known, now).await;
}

async fn record_host(store: &Store, user: UserKey, host: Host, known: Known, now: Millis) {
    if matches!(known, Known::Host(seen) if now.since(seen).0 < TOUCH_MS) {
        return;
    }
    let host = host.to_string();
    let noted = store.write(async move |tx| tx.note_login_host(user, &host, now).await);
    if let Err(error) = noted.await {
        tracing::warn!(error = error.with_causes(), "from where somebody logged in could not be noted");
    }
}

async fn warn(app: &Arc<App>, user: UserKey, tries: u64) -> Result<(), StoreError> {
    let now = app.clock.now();
    let since = now.plus(-WARNING_PAUSE_MS);
    let warned = app.store.query().await?.password_warning_at(user).await?;
    if warned.is_some_and(|at| at.0 > since.0) {
        return Ok(());
    }
    app.write(async move |tx, app| {
        let Some(row) = tx.user(user).await? else { return Ok(()) };
        if tx.claim_password_warning(user, since, now).await? {
            let reply = Reply::said("wrong_passwords", json!({ "userid": row.userid, "tries": tries }));
            post_to_user(tx, app, &reply, user, now).await?;
        }
        Ok::<_, StoreError>(())
    })
    .await?;
    app.signals.outbox.notify_one();
    Ok(())
}

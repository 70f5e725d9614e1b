//! Web sessions, begun by password, passkey or mailed link.
//!
//! A random token in the browser, its digest in the database. Ends by idleness, age, logout, a new password
//! or suspension.

use std::sync::Arc;

use knotpost_commands::Credentials;

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::identity::authentication::{check_typed_password, whose_password};
use crate::identity::credentials::same_hash;
use crate::identity::limits::Asker;
use crate::identity::passkeys::UsedPasskey;
use crate::identity::{Login, ProvenUser};
use crate::links::TimedLink;
use crate::mailing::login_mails::live_link;
use crate::mailing::post::registered_addresses;
use crate::mailing::references::{Reference, post_reference};
use knotpost_model::{Channel, Millis, Moment, Rate, UserKey, clean_line};
use knotpost_platform::clock::random_bytes;
use knotpost_platform::secret::{KeyRing, Purpose, to_hex};
use knotpost_storage::{SessionRow, Store, StoreError, UserRow, UserState};

const MINUTE_MS: i64 = 60_000;
const DAY_MS: i64 = 24 * 60 * MINUTE_MS;
const IDLE_MS: i64 = 14 * DAY_MS;
pub const SESSION_MS: i64 = 60 * DAY_MS;
const TOUCH_MS: i64 = 60 * MINUTE_MS;
/// Time for which a password entry counts for account changes.
pub const RECENT_MS: i64 = 10 * MINUTE_MS;
const LONGEST_AGENT: usize = 160;

#[derive(Clone, Debug)]
pub(crate) enum Entry {
    Password,
    /// A login link of that time, consumed.
    Link(Millis),
    /// A passkey, whose challenge is consumed.
    Passkey(UsedPasskey),
}

#[derive(Clone, Debug)]
pub struct Visitor {
    pub user: UserKey,
    pub userid: String,
    pub hash: String,
    pub is_admin: bool,
    /// Digest of the token.
    pub session: String,
    /// Last password or passkey entry in this session.
    pub password_at: Option<Millis>,
    /// A bouncing address of theirs, and since when.
    pub stopped: Option<(String, Millis)>,
    /// An address of theirs, if they have confirmed none and confirmations are asked for.
    pub unconfirmed: Option<String>,
}

impl Visitor {
    /// Credentials for commands of their pages: the session replaces the password.
    pub fn credentials(&self) -> Credentials {
        Credentials::without_password(self.userid.as_str())
    }

    pub fn proven(&self) -> ProvenUser {
        ProvenUser {
            user: self.user,
            userid: self.userid.clone(),
            hash: self.hash.clone(),
            key: None,
            session: Some(self.session.clone()),
            password_at: self.password_at,
        }
    }
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct SessionView {
    pub is_this: bool,
    pub user_agent: String,
    pub created_at: Moment,
    /// Rounded to the hour.
    pub seen_at: Moment,
}

/// Logs in by password; returns the session token. Unknown user and wrong password are not told apart.
pub async fn log_in(
    app: &Arc<App>,
    userid: &str,
    password: &str,
    rate_key: &str,
    user_agent: &str,
) -> Result<String, ServiceError> {
    match check_typed_password(app, rate_key, userid, password).await? {
        Login::Known { user, hash, .. } => {
            let known = move |row: &UserRow| {
                row.password_hash.as_deref().is_some_and(|stored| same_hash(stored, &hash))
            };
            let begun = begin(app, user, user_agent, Entry::Password, known).await?;
            begun.ok_or_else(|| wrong().into())
        }
        Login::TooMany(seconds) => Err(too_many(seconds).into()),
        Login::Wrong | Login::NotNeeded | Login::Stale => Err(wrong().into()),
        Login::Overloaded => Err(Refusal::new(
            Code::Unavailable,
            "the server is too busy to check passwords; try again in a minute",
        )
        .into()),
    }
}

fn wrong() -> Refusal {
    Refusal::new(Code::BadCredentials, "the userid or the password is wrong")
}

fn too_many(seconds: u64) -> Refusal {
    let words = format!("too many tries; try again in {} minutes", seconds.div_ceil(60));
    Refusal::limited(words, seconds)
}

/// Begins a session if `known` still holds. `None`: it does not, or the link or passkey was used before.
pub(crate) async fn begin(
    app: &Arc<App>,
    user: UserKey,
    user_agent: &str,
    entry: Entry,
    known: impl Fn(&UserRow) -> bool + Send + Sync + 'static,
) -> Result<Option<String>, ServiceError> {
    let bytes: [u8; 32] = random_bytes(app.entropy.as_ref()).map_err(|error| {
        tracing::error!(%error, "without random bytes nobody can log in");
        Refusal::new(Code::Unavailable, "the server cannot log anybody in at the moment")
    })?;
    let token = to_hex(&bytes);
    let (digest, now) = (digest(&app.secret, &token), app.clock.now());
    let agent: String = clean_line(user_agent).chars().take(LONGEST_AGENT).collect();
    let begun = app
        .write(async move |tx, app| {
            let row = tx.user(user).await?.filter(|row| row.state == UserState::Active && known(row));
            let Some(row) = row else { return Ok(false) };
            let is_good = match &entry {
                Entry::Password => true,
                Entry::Link(at) => tx.take_magic_link(user, *at).await?,
                Entry::Passkey(used) => used.take(tx, now).await?,
            };
            if !is_good {
                return Ok(false);
            }
            let session = SessionRow {
                digest: digest.clone(),
                user_id: user,
                password_mark: password_mark(&app.secret, &row),
                user_agent: agent.clone(),
                created_at: now,
                seen_at: now,
                expires_at: now.plus(SESSION_MS),
                password_at: (!matches!(entry, Entry::Link(_))).then_some(now.0),
                stopped_address: None,
                stopped_at: None,
                unconfirmed_address: None,
            };
            tx.insert_session(&session).await?;
            Ok::<_, StoreError>(true)
        })
        .await?;
    Ok(begun.then_some(token))
}

pub async fn find_visitor(app: &Arc<App>, token: &str) -> Result<Option<Visitor>, StoreError> {
    let (digest, now) = (digest(&app.secret, token), app.clock.now());
    let mut tx = app.store.read().await?;
    let Some(session) = tx.session(&digest).await? else { return Ok(None) };
    let row = tx.user(session.user_id).await?.filter(|row| is_live(&app.secret, row, &session, now));
    let Some(row) = row else { return Ok(None) };
    drop(tx);
    if now.0 - session.seen_at.0 >= TOUCH_MS {
        let digest = digest.clone();
        app.store.write(async move |tx| tx.touch_session(&digest, now).await).await?;
    }
    Ok(Some(Visitor {
        user: row.id,
        userid: row.userid,
        hash: row.password_hash.unwrap_or_default(),
        is_admin: row.role == "admin",
        session: digest,
        password_at: session.password_at.map(Millis),
        stopped: session.stopped_address.zip(session.stopped_at.map(Millis)),
        unconfirmed: session.unconfirmed_address.filter(|_| app.config.confirms_addresses()),
    }))
}

fn is_live(secret: &KeyRing, row: &UserRow, session: &SessionRow, now: Millis) -> bool {
    row.state == UserState::Active
        && now.0 < session.expires_at.0
        && now.0 - session.seen_at.0 < IDLE_MS
        && same_hash(&session.password_mark, &password_mark(secret, row))
}

pub async fn give_password(
    app: &Arc<App>,
    visitor: &mut Visitor,
    password: &str,
    rate_key: &str,
) -> Result<(), ServiceError> {
    let known = whose_password(app, rate_key, &visitor.userid, password).await?;
    if known.is_none_or(|known| known.user != visitor.user) {
        return Err(Refusal::new(Code::BadCredentials, "the password is wrong").into());
    }
    let (digest, now) = (visitor.session.clone(), app.clock.now());
    app.store.write(async move |tx| tx.set_session_password(&digest, now).await).await?;
    visitor.password_at = Some(now);
    Ok(())
}

pub async fn view_sessions(app: &App, visitor: &Visitor) -> Result<Vec<SessionView>, StoreError> {
    let (mut tx, now) = (app.store.read().await?, app.clock.now());
    let Some(row) = tx.user(visitor.user).await? else { return Ok(Vec::new()) };
    let sessions = tx.sessions_of(visitor.user).await?.into_iter();
    let live = sessions.filter(|session| is_live(&app.secret, &row, session, now));
    let view = |session: SessionRow| SessionView {
        is_this: session.digest == visitor.session,
        user_agent: session.user_agent,
        created_at: session.created_at.into(),
        seen_at: session.seen_at.into(),
    };
    Ok(live.map(view).collect())
}

pub async fn log_out(store: &Store, secret: &KeyRing, token: &str) -> Result<(), StoreError> {
    let digest = digest(secret, token);
    store.write(async move |tx| tx.drop_session(&digest).await).await
}

pub async fn log_out_everywhere(store: &Store, user: UserKey) -> Result<(), StoreError> {
    store.write(async move |tx| tx.drop_sessions_of(user).await).await
}

/// Mails a login link to the user's confirmed addresses, if the user exists. The answer does not reveal that.
pub async fn ask_for_link(app: &Arc<App>, userid: &str, rate_key: &str) -> Result<(), ServiceError> {
    let asker = Asker {
        rate: Rate::Reset,
        channel: Channel::Http,
        sender: None,
        host: Some(rate_key.to_owned()),
        name: Some(format!("link {}", userid.to_lowercase())),
        is_proven: false,
    };
    app.limits.ask(&asker).map_err(|limited| limited.refusal())?;
    let (userid, now) = (userid.to_owned(), app.clock.now());
    let made = app
        .write(async move |tx, app| {
            let user = tx.find_user(&userid).await?;
            let active = |user: &UserRow| user.state == UserState::Active && user.password_hash.is_some();
            let Some(user) = user.filter(active) else { return Ok(false) };
            if registered_addresses(tx, &app.config, user.id).await?.is_empty() {
                return Ok(false);
            }
            tx.set_magic_link(user.id, now).await?;
            post_reference(tx, app, Reference::Magic(now), user.id, now).await?;
            Ok::<_, StoreError>(true)
        })
        .await?;
    if made {
        app.limits.made(&asker);
    }
    app.signals.outbox.notify_one();
    Ok(())
}

/// User of a valid login link; `None`: used, expired or invalid.
pub async fn view_link(app: &App, token: &str) -> Result<Option<String>, StoreError> {
    let Some((user, at)) = app.links.read_timed(TimedLink::Magic, token) else { return Ok(None) };
    let mut tx = app.store.read().await?;
    Ok(live_link(&mut tx, user, at, app.clock.now()).await?.map(|user| user.userid))
}

/// Logs in by link, once; returns the session token.
pub async fn log_in_by_link(app: &Arc<App>, token: &str, user_agent: &str) -> Result<String, ServiceError> {
    let spent = || {
        let words = "this link was used already or is too old; ask for a new one";
        ServiceError::from(Refusal::new(Code::NotAllowed, words))
    };
    let Some((user, at)) = app.links.read_timed(TimedLink::Magic, token) else { return Err(spent()) };
    if view_link(app, token).await?.is_none() {
        return Err(spent());
    }
    let begun = begin(app, user, user_agent, Entry::Link(at), |row| row.password_hash.is_some()).await?;
    begun.ok_or_else(spent)
}

/// A fast digest suffices: the token has 256 random bits.
fn digest(secret: &KeyRing, token: &str) -> String {
    to_hex(&secret.digest(Purpose::Tokens, &[b"web session", token.as_bytes()]))
}

/// Changes with the password without revealing anything about it.
pub(crate) fn password_mark(secret: &KeyRing, user: &UserRow) -> String {
    let hash = user.password_hash.as_deref().unwrap_or_default();
    to_hex(&secret.digest(Purpose::Tokens, &[b"web session password", hash.as_bytes()]))
}

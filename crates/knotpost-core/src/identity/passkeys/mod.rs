//! Passkeys: keys in a user's device or password manager, with which they log in beside password and mailed link.
//!
//! `ceremony` checks what a browser says, `challenge` makes what a passkey signs; here is what a user does with them.
//! Another password does not end them: a user who chose one because the old one was known still has their passkeys.

mod ceremony;
mod challenge;

use std::sync::Arc;

use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::config::Config;
use crate::identity::authentication::{find_proven, logged_out, record_login};
use crate::identity::sessions::{Entry, begin};
use crate::identity::undoing::{PasskeyChange, announce_passkey};
use crate::identity::{Visitor, gave_password_lately};
use ceremony::{Algorithm, Fault, Party, Shown, read_bytes};
use challenge::{Aim, Challenge, GOOD_FOR_MS};
use knotpost_model::{Millis, Rate, UserKey, clean_line};
use knotpost_platform::clock::random_bytes;
use knotpost_platform::secret::to_hex;
use knotpost_storage::{NewPasskey, PasskeyRow, StoreError, WriteTx};

/// Passkeys of one user.
const MOST: usize = 20;
/// Characters of a passkey's name.
const LONGEST_NAME: usize = 60;

/// What a browser answers when it made a passkey; bytes are base64url.
#[derive(Clone, Debug)]
pub struct PasskeyWish {
    /// What its owner calls it.
    pub name: String,
    /// `clientDataJSON`.
    pub client_data: String,
    /// `attestationObject`.
    pub attestation: String,
}

/// What a browser answers when a passkey was used; bytes are base64url.
#[derive(Clone, Debug)]
pub struct PasskeyAnswer {
    /// The credential id.
    pub credential: String,
    /// `clientDataJSON`.
    pub client_data: String,
    /// `authenticatorData`.
    pub data: String,
    /// The signature of both.
    pub signature: String,
    /// For whom the passkey was made.
    pub user_handle: String,
}

/// A passkey as its owner sees it.
#[derive(Clone, Debug)]
pub struct PasskeyView {
    /// Its number.
    pub id: i64,
    /// What they call it.
    pub name: String,
    /// When it was added.
    pub created_at: Millis,
    /// When they logged in with it last.
    pub used_at: Option<Millis>,
}

/// What a browser is asked when somebody wants to log in.
#[derive(Clone, Debug)]
pub struct LoginQuestion {
    /// The options of the request, as `PublicKeyCredentialRequestOptions` with bytes in base64url.
    pub options: Value,
    /// What the browser must show together with the answer.
    pub holder: String,
    /// For how many seconds.
    pub seconds: i64,
}

/// A passkey that was used, when the session begins.
#[derive(Clone, Debug)]
pub(crate) struct UsedPasskey {
    id: i64,
    counter: u32,
    challenge: Challenge,
}

impl UsedPasskey {
    /// Uses up the challenge and stores the counter; `false`: the challenge was answered before, or the passkey was
    /// removed or copied.
    pub(crate) async fn take(&self, tx: &mut WriteTx, now: Millis) -> Result<bool, StoreError> {
        let Challenge { nonce, expires_at } = &self.challenge;
        Ok(tx.spend_passkey_challenge(nonce, *expires_at).await?
            && tx.use_passkey(self.id, i64::from(self.counter), now).await?)
    }
}

/// For whom passkeys of a server are; `None`: browsers make none for its address.
fn party(config: &Config) -> Option<Party> {
    let url = url::Url::parse(&config.server.public_url).ok()?;
    let domain = match url.host()? {
        url::Host::Domain(domain) => domain.to_owned(),
        url::Host::Ipv4(_) | url::Host::Ipv6(_) => return None,
    };
    let is_secure = url.scheme() == "https" || (url.scheme() == "http" && domain == "localhost");
    is_secure.then(|| Party { id: domain, origin: url.origin().ascii_serialization() })
}

/// Whether this server has passkeys: browsers make them for domains with TLS and for `localhost` alone.
pub fn offers_passkeys(config: &Config) -> bool {
    party(config).is_some()
}

fn need_party(app: &App) -> Result<Party, Refusal> {
    party(&app.config).ok_or_else(|| {
        let words = "this server has no passkeys, because its address is neither https:// with a domain nor localhost";
        Refusal::new(Code::NotAllowed, words)
    })
}

impl From<Fault> for Refusal {
    fn from(fault: Fault) -> Self {
        Self::new(Code::BadValue, fault.to_string())
    }
}

fn no_chance(error: &std::io::Error) -> Refusal {
    tracing::error!(%error, "without random bytes no passkey can be asked");
    Refusal::new(Code::Unavailable, "no passkey can be used at the moment")
}

/// What an authenticator knows a user by: always the same, so that one authenticator keeps one passkey of a user, and no
/// name.
fn handle(user: UserKey) -> String {
    let digest = Sha256::digest([b"knotpost passkeys of user ".as_slice(), &user.0.to_be_bytes()].concat());
    BASE64URL_NOPAD.encode(&digest)
}

fn require_recent(visitor: &Visitor, now: Millis) -> Result<(), Refusal> {
    if gave_password_lately(visitor.password_at, now) {
        return Ok(());
    }
    Err(Refusal::new(Code::NotAllowed, "write your present password with it; nothing was changed"))
}

/// What the browser of a user is asked when a passkey is to be made: `PublicKeyCredentialCreationOptions` with bytes in
/// base64url.
///
/// # Errors
/// When there are no passkeys here, or the password was not given lately; when the database fails.
pub async fn ask_for_passkey(app: &App, visitor: &Visitor) -> Result<Value, ServiceError> {
    let (party, now) = (need_party(app)?, app.clock.now());
    require_recent(visitor, now)?;
    let challenge =
        challenge::issue(app, Aim::Add, &visitor.session, now).map_err(|error| no_chance(&error))?;
    let rows = app.store.read().await?.passkeys_of(visitor.user).await?;
    let known: Vec<Value> =
        rows.iter().map(|row| json!({ "type": "public-key", "id": row.credential })).collect();
    let algorithms =
        Algorithm::ALL.map(|algorithm| json!({ "type": "public-key", "alg": algorithm.number() }));
    Ok(json!({
        "rp": { "id": party.id, "name": app.config.server.name },
        "user": { "id": handle(visitor.user), "name": visitor.userid, "displayName": visitor.userid },
        "challenge": challenge,
        "pubKeyCredParams": algorithms,
        "timeout": GOOD_FOR_MS,
        "excludeCredentials": known,
        "authenticatorSelection": {
            "residentKey": "required", "requireResidentKey": true, "userVerification": "required",
        },
        "attestation": "none",
    }))
}

/// A name that fits on a line.
fn read_name(name: &str) -> Result<String, Refusal> {
    let name: String = clean_line(name).trim().chars().take(LONGEST_NAME).collect();
    if name.is_empty() {
        return Err(Refusal::new(Code::BadValue, "a passkey needs a name"));
    }
    Ok(name)
}

fn no_such_passkey() -> Refusal {
    Refusal::new(Code::BadValue, "there is no such passkey of yours")
}

/// Stores the passkey that the browser of a user made, and tells their addresses.
///
/// # Errors
/// When what the browser says does not hold, or the password was not given lately; when the database fails.
pub async fn add_passkey(app: &Arc<App>, visitor: &Visitor, wish: PasskeyWish) -> Result<(), ServiceError> {
    let (party, now) = (need_party(app)?, app.clock.now());
    require_recent(visitor, now)?;
    let name = read_name(&wish.name)?;
    let bytes = |text: &str| read_bytes(text).ok_or(Fault::Malformed).map_err(Refusal::from);
    let (client_data, attestation) = (bytes(&wish.client_data)?, bytes(&wish.attestation)?);
    let mut challenge = None;
    let is_ours = |text: &str| {
        challenge = challenge::read(app, Aim::Add, &visitor.session, text, now);
        challenge.is_some()
    };
    let made = ceremony::read_made(&party, &client_data, &attestation, is_ours).map_err(Refusal::from)?;
    let challenge = challenge.ok_or_else(|| Refusal::from(Fault::Challenge))?;
    let passkey = NewPasskey {
        user: visitor.user,
        credential: BASE64URL_NOPAD.encode(&made.credential),
        algorithm: made.algorithm.number(),
        public_key: BASE64URL_NOPAD.encode(&made.public_key),
        counter: i64::from(made.counter),
        name,
    };
    let work = Arc::new((Arc::clone(app), passkey, challenge, visitor.proven()));
    let added = app.store.write(move |tx| {
        let work = Arc::clone(&work);
        Box::pin(async move {
            let (app, passkey, challenge, proven) = &*work;
            let Some(owner) = find_proven(tx, proven).await? else { return Ok(Err(logged_out())) };
            if !tx.spend_passkey_challenge(&challenge.nonce, challenge.expires_at).await? {
                return Ok(Err(Fault::Challenge.into()));
            }
            if tx.passkeys_of(proven.user).await?.len() >= MOST {
                let words = format!("{MOST} passkeys are enough; remove one first");
                return Ok(Err(Refusal::new(Code::NotAllowed, words)));
            }
            if !tx.insert_passkey(passkey, now).await? {
                return Ok(Err(Refusal::new(Code::NotAllowed, "this passkey was added before")));
            }
            announce_passkey(tx, app, &owner, PasskeyChange::Added, now).await?;
            Ok(Ok(()))
        })
    });
    added.await??;
    app.signals.outbox.notify_one();
    Ok(())
}

/// The passkeys of a user, the oldest first.
pub async fn view_passkeys(app: &App, user: UserKey) -> Result<Vec<PasskeyView>, StoreError> {
    let view = |row: PasskeyRow| PasskeyView {
        id: row.id,
        name: row.name,
        created_at: row.created_at,
        used_at: row.used_at.map(Millis),
    };
    Ok(app.store.read().await?.passkeys_of(user).await?.into_iter().map(view).collect())
}

/// Gives a passkey of a user another name.
///
/// # Errors
/// When the user has no such passkey, or the name is empty; when the database fails.
pub async fn rename_passkey(app: &App, user: UserKey, id: i64, name: &str) -> Result<(), ServiceError> {
    let name = read_name(name)?;
    let renamed = app.store.write(move |tx| {
        let name = name.clone();
        Box::pin(async move { tx.rename_passkey(user, id, &name).await })
    });
    if renamed.await? { Ok(()) } else { Err(no_such_passkey().into()) }
}

/// Deletes a passkey of a user, and tells their addresses: somebody at a browser that was left open could take away what
/// its owner logs in with.
///
/// # Errors
/// When the user has no such passkey, or the password was not given lately; when the database fails.
pub async fn remove_passkey(app: &Arc<App>, visitor: &Visitor, id: i64) -> Result<(), ServiceError> {
    let now = app.clock.now();
    require_recent(visitor, now)?;
    let work = Arc::new((Arc::clone(app), visitor.proven()));
    let removed = app.store.write(move |tx| {
        let work = Arc::clone(&work);
        Box::pin(async move {
            let (app, proven) = &*work;
            let Some(owner) = find_proven(tx, proven).await? else { return Ok(Err(logged_out())) };
            if !tx.drop_passkey(owner.id, id).await? {
                return Ok(Err(no_such_passkey()));
            }
            announce_passkey(tx, app, &owner, PasskeyChange::Removed, now).await?;
            Ok(Ok(()))
        })
    });
    removed.await??;
    app.signals.outbox.notify_one();
    Ok(())
}

/// What a browser is asked when somebody wants to log in. Nothing is stored.
///
/// # Errors
/// When there are no passkeys here.
pub fn ask_to_log_in(app: &App) -> Result<LoginQuestion, ServiceError> {
    let party = need_party(app)?;
    let holder: [u8; 16] = random_bytes(app.entropy.as_ref()).map_err(|error| no_chance(&error))?;
    let holder = to_hex(&holder);
    let challenge =
        challenge::issue(app, Aim::LogIn, &holder, app.clock.now()).map_err(|error| no_chance(&error))?;
    let options = json!({
        "challenge": challenge, "rpId": party.id, "timeout": GOOD_FOR_MS, "allowCredentials": [],
        "userVerification": "required",
    });
    Ok(LoginQuestion { options, holder, seconds: GOOD_FOR_MS / 1000 })
}

/// Logs in with a passkey, in the browser that has `holder`: the token for the browser. The passkey counts as the
/// password would. Wrong answers are counted as wrong passwords are.
///
/// # Errors
/// When the answer does not hold, or too many of there did not; when the database fails.
pub async fn log_in_by_passkey(
    app: &Arc<App>,
    holder: &str,
    answer: &PasskeyAnswer,
    rate_key: &str,
    user_agent: &str,
) -> Result<String, ServiceError> {
    let party = need_party(app)?;
    let refusal = match check_answer(app, &party, holder, answer).await? {
        Ok((user, used)) => {
            let entry = Entry::Passkey(used);
            let begun = begin(app, user, user_agent, entry, |row| row.password_hash.is_some()).await?;
            match begun {
                Some(token) => {
                    record_login(app, user, rate_key).await;
                    return Ok(token);
                }
                None => Refusal::new(
                    Code::BadCredentials,
                    "the passkey did not log you in; try again, or use password or link",
                ),
            }
        }
        Err(fault) => fault,
    };
    if let Err(seconds) = app.limits.count(Rate::Password, &format!("passkey {rate_key}")) {
        let words = "too many passkeys were refused; try again later";
        return Err(Refusal { retry_after: Some(seconds), ..Refusal::new(Code::RateLimited, words) }.into());
    }
    Err(refusal.into())
}

/// Whose passkey answered, and that it did.
async fn check_answer(
    app: &App,
    party: &Party,
    holder: &str,
    answer: &PasskeyAnswer,
) -> Result<Result<(UserKey, UsedPasskey), Refusal>, StoreError> {
    let unknown = || Refusal::new(Code::BadCredentials, "this passkey is not known here, or was removed");
    let (Some(client_data), Some(data), Some(signature)) =
        (read_bytes(&answer.client_data), read_bytes(&answer.data), read_bytes(&answer.signature))
    else {
        return Ok(Err(Fault::Malformed.into()));
    };
    let Some(row) = app.store.read().await?.passkey(&answer.credential).await? else {
        return Ok(Err(unknown()));
    };
    let key = Algorithm::from_number(row.algorithm).zip(read_bytes(&row.public_key));
    let Some((algorithm, public_key)) = key.filter(|_| answer.user_handle == handle(row.user_id)) else {
        return Ok(Err(unknown()));
    };
    let mut challenge = None;
    let is_ours = |text: &str| {
        challenge = challenge::read(app, Aim::LogIn, holder, text, app.clock.now());
        challenge.is_some()
    };
    let shown = Shown { client_data: &client_data, data: &data, signature: &signature };
    let checked = ceremony::check_shown(party, (algorithm, &public_key), shown, is_ours);
    Ok(match (checked, challenge) {
        (Ok(counter), Some(challenge)) => Ok((row.user_id, UsedPasskey { id: row.id, counter, challenge })),
        (Err(fault), _) => Err(fault.into()),
        (Ok(_), None) => Err(Fault::Challenge.into()),
    })
}

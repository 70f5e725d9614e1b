//! Passkeys: login by a key in a device or password manager, beside password and mailed link.
//!
//! `ceremony` verifies browser messages, `challenge` makes challenges; here are the use cases. A new password
//! does not end passkeys: a user whose password leaked still has them.

mod ceremony;
mod challenge;

use std::sync::Arc;

use data_encoding::BASE64URL_NOPAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError};
use crate::config::Config;
use crate::identity::authentication::{check_proven, record_login};
use crate::identity::sessions::{Entry, begin};
use crate::identity::undoing::{PasskeyChange, announce_passkey};
use crate::identity::{Visitor, gave_password_lately};
use ceremony::{Algorithm, Fault, Party, Shown, read_bytes};
use challenge::{Aim, Challenge, GOOD_FOR_MS};
use knotpost_model::{Millis, Moment, Rate, UserKey, clean_line};
use knotpost_platform::clock::random_bytes;
use knotpost_platform::secret::to_hex;
use knotpost_storage::{NewPasskey, PasskeyRow, Store, StoreError, WriteError as _, WriteTx};

const MOST: usize = 20;
const LONGEST_NAME: usize = 60;

/// Browser's answer to a registration; bytes are base64url.
#[derive(Clone, Debug)]
pub struct PasskeyWish {
    pub name: String,
    pub client_data: String,
    pub attestation: String,
}

/// Browser's answer to a login; bytes are base64url.
#[derive(Clone, Debug)]
pub struct PasskeyAnswer {
    pub credential: String,
    pub client_data: String,
    pub data: String,
    pub signature: String,
    pub user_handle: String,
}

#[derive(Clone, Debug, serde::Serialize)]
pub struct PasskeyView {
    pub id: i64,
    pub name: String,
    pub created_at: Moment,
    pub used_at: Option<Moment>,
}

#[derive(Clone, Debug)]
pub struct LoginQuestion {
    /// `PublicKeyCredentialRequestOptions` with bytes in base64url.
    pub options: Value,
    /// Value that the browser must return with the answer.
    pub holder: String,
    pub seconds: i64,
}

/// A verified passkey, to be consumed when the session begins.
#[derive(Clone, Debug)]
pub(crate) struct UsedPasskey {
    id: i64,
    counter: u32,
    challenge: Challenge,
}

impl UsedPasskey {
    /// Consumes the challenge and stores the counter; `false`: replayed, removed or cloned.
    pub(crate) async fn take(&self, tx: &mut WriteTx, now: Millis) -> Result<bool, StoreError> {
        let Challenge { nonce, expires_at } = &self.challenge;
        Ok(tx.spend_passkey_challenge(nonce, *expires_at).await?
            && tx.use_passkey(self.id, i64::from(self.counter), now).await?)
    }
}

/// `None`: browsers support no passkeys at its address.
fn party(config: &Config) -> Option<Party> {
    let url = url::Url::parse(&config.server.public_url).ok()?;
    let domain = match url.host()? {
        url::Host::Domain(domain) => domain.to_owned(),
        url::Host::Ipv4(_) | url::Host::Ipv6(_) => return None,
    };
    let is_secure = url.scheme() == "https" || (url.scheme() == "http" && domain == "localhost");
    is_secure.then(|| Party { id: domain, origin: url.origin().ascii_serialization() })
}

/// True for domains with TLS and for `localhost`, where browsers support passkeys.
pub fn offers_passkeys(config: &Config) -> bool {
    party(config).is_some()
}

fn need_party(config: &Config) -> Result<Party, Refusal> {
    party(config).ok_or_else(|| {
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

/// User handle: stable, so that an authenticator keeps one passkey per user, and not the name.
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

/// `PublicKeyCredentialCreationOptions` with bytes in base64url. Requires a recent password.
pub async fn ask_for_passkey(app: &App, visitor: &Visitor) -> Result<Value, ServiceError> {
    let (party, now) = (need_party(&app.config)?, app.clock.now());
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

/// Verifies and stores a passkey, and mails a notice to its owner. Requires a recent password.
pub async fn add_passkey(app: &Arc<App>, visitor: &Visitor, wish: PasskeyWish) -> Result<(), ServiceError> {
    let (party, now) = (need_party(&app.config)?, app.clock.now());
    require_recent(visitor, now)?;
    let name = read_name(&wish.name)?;
    let bytes = |text: &str| read_bytes(text).ok_or(Fault::Malformed).map_err(Refusal::from);
    let (client_data, attestation) = (bytes(&wish.client_data)?, bytes(&wish.attestation)?);
    let read = |text: &str| challenge::read(app, Aim::Add, &visitor.session, text, now);
    let made = ceremony::read_made(&party, &client_data, &attestation, read);
    let (made, challenge) = made.map_err(Refusal::from)?;
    let passkey = NewPasskey {
        user: visitor.user,
        credential: BASE64URL_NOPAD.encode(&made.credential),
        algorithm: made.algorithm.number(),
        public_key: BASE64URL_NOPAD.encode(&made.public_key),
        counter: i64::from(made.counter),
        name,
    };
    let proven = visitor.proven();
    let added = app.write(async move |tx, app| {
        let owner = check_proven(tx, &proven).await?;
        if !tx.spend_passkey_challenge(&challenge.nonce, challenge.expires_at).await? {
            return Err(Refusal::from(Fault::Challenge).into());
        }
        if tx.passkeys_of(proven.user).await?.len() >= MOST {
            let words = format!("{MOST} passkeys are enough; remove one first");
            return Err(Refusal::new(Code::NotAllowed, words).into());
        }
        if !tx.insert_passkey(&passkey, now).await? {
            return Err(Refusal::new(Code::NotAllowed, "this passkey was added before").into());
        }
        Ok::<_, ServiceError>(announce_passkey(tx, app, &owner, PasskeyChange::Added, now).await?)
    });
    added.await?;
    app.signals.outbox.notify_one();
    Ok(())
}

/// Oldest first.
pub async fn view_passkeys(store: &Store, user: UserKey) -> Result<Vec<PasskeyView>, StoreError> {
    let view = |row: PasskeyRow| PasskeyView {
        id: row.id,
        name: row.name,
        created_at: row.created_at.into(),
        used_at: row.used_at.map(Moment::from),
    };
    Ok(store.read().await?.passkeys_of(user).await?.into_iter().map(view).collect())
}

pub async fn rename_passkey(store: &Store, user: UserKey, id: i64, name: &str) -> Result<(), ServiceError> {
    let name = read_name(name)?;
    let renamed = store.write(async move |tx| tx.rename_passkey(user, id, &name).await);
    if renamed.await? { Ok(()) } else { Err(no_such_passkey().into()) }
}

/// Deletes a passkey and mails a notice to its owner. Requires a recent password, against an unattended
/// browser.
pub async fn remove_passkey(app: &Arc<App>, visitor: &Visitor, id: i64) -> Result<(), ServiceError> {
    let now = app.clock.now();
    require_recent(visitor, now)?;
    let proven = visitor.proven();
    let removed = app.write(async move |tx, app| {
        let owner = check_proven(tx, &proven).await?;
        if !tx.drop_passkey(owner.id, id).await? {
            return Err(no_such_passkey().into());
        }
        Ok::<_, ServiceError>(announce_passkey(tx, app, &owner, PasskeyChange::Removed, now).await?)
    });
    removed.await?;
    app.signals.outbox.notify_one();
    Ok(())
}

pub fn ask_to_log_in(app: &App) -> Result<LoginQuestion, ServiceError> {
    let party = need_party(&app.config)?;
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

/// Logs in by passkey in the browser with `holder`; returns the session token. Counts as a password entry;
/// failures count as wrong passwords.
pub async fn log_in_by_passkey(
    app: &Arc<App>,
    holder: &str,
    answer: &PasskeyAnswer,
    rate_key: &str,
    user_agent: &str,
) -> Result<String, ServiceError> {
    let party = need_party(&app.config)?;
    let refusal = match check_answer(app, &party, holder, answer).await {
        Ok((user, used)) => {
            let entry = Entry::Passkey(used);
            let begun = begin(app, user, user_agent, entry, |row| row.password_hash.is_some()).await?;
            if let Some(token) = begun {
                record_login(&app.store, app.clock.as_ref(), user, rate_key).await;
                return Ok(token);
            }
            let words = "the passkey did not log you in; try again, or use password or link";
            Refusal::new(Code::BadCredentials, words).into()
        }
        Err(error) => error,
    };
    let refusal = refusal.into_refusal()?;
    let words = "too many passkeys were refused; try again later";
    app.limits.admit(Rate::Password, &format!("passkey {rate_key}"), words)?;
    Err(refusal)
}

async fn check_answer(
    app: &App,
    party: &Party,
    holder: &str,
    answer: &PasskeyAnswer,
) -> Result<(UserKey, UsedPasskey), ServiceError> {
    let unknown = || Refusal::new(Code::BadCredentials, "this passkey is not known here, or was removed");
    let (Some(client_data), Some(data), Some(signature)) =
        (read_bytes(&answer.client_data), read_bytes(&answer.data), read_bytes(&answer.signature))
    else {
        return Err(Refusal::from(Fault::Malformed).into());
    };
    let row = app.store.read().await?.passkey(&answer.credential).await?.ok_or_else(unknown)?;
    let key = Algorithm::from_number(row.algorithm).zip(read_bytes(&row.public_key));
    let key = key.filter(|_| answer.user_handle == handle(row.user_id));
    let (algorithm, public_key) = key.ok_or_else(unknown)?;
    let read = |text: &str| challenge::read(app, Aim::LogIn, holder, text, app.clock.now());
    let shown = Shown { client_data: &client_data, data: &data, signature: &signature };
    let checked = ceremony::check_shown(party, (algorithm, &public_key), shown, read);
    let (counter, challenge) = checked.map_err(Refusal::from)?;
    Ok((row.user_id, UsedPasskey { id: row.id, counter, challenge }))
}

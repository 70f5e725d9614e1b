//! Source of a request and proof of its sender.

use crate::identity::sessions::RECENT_MS;
use knotpost_model::{Address, Channel, Host, Millis, UserKey};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    #[default]
    Password,
    /// A session or key; commands in this user's name need no password.
    LoggedIn(ProvenUser),
}

/// An authenticated user, with conditions rechecked in the transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenUser {
    pub user: UserKey,
    pub userid: String,
    /// Password hash at login; must be unchanged.
    pub hash: String,
    /// API key used; must not be revoked.
    pub key: Option<i64>,
    /// Digest of the session; must not have ended, for commands with lasting effect.
    pub session: Option<String>,
    /// Last password entry; `None`: a key or link was used.
    pub password_at: Option<Millis>,
}

/// True if the password need not be asked for again. Times in the future do not count.
pub fn gave_password_lately(password_at: Option<Millis>, now: Millis) -> bool {
    password_at.is_some_and(|at| (now.0 - at.0).abs() < RECENT_MS)
}

#[derive(Clone, Debug)]
pub struct Origin {
    pub channel: Channel,
    pub sender: Option<Address>,
    /// Rate limiting key: a mail address or a network address.
    pub rate_key: String,
    /// Connecting host, behind known proxies and relays; `None`: unknown.
    pub host: Option<Host>,
    /// True if the sender's domain vouches for the mail (aligned DKIM or SPF).
    pub aligned: bool,
    pub proof: Proof,
}

impl Origin {
    pub fn http(host: Host, proof: Proof) -> Self {
        let rate_key = host.to_string();
        Self { channel: Channel::Http, sender: None, rate_key, host: Some(host), aligned: false, proof }
    }

    /// A mail, with no further proof of its sender.
    pub fn mail(sender: Option<Address>, host: Option<Host>, aligned: bool) -> Self {
        let rate_key = sender.as_ref().map(Address::key).unwrap_or_default();
        Self { channel: Channel::Mail, sender, rate_key, host, aligned, proof: Proof::Password }
    }

    pub fn operator() -> Self {
        Self {
            channel: Channel::Operator,
            sender: None,
            rate_key: "operator".to_owned(),
            host: None,
            aligned: false,
            proof: Proof::Password,
        }
    }
}

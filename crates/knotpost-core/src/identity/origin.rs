//! Where a request came from, and how its sender proves who they are.

use crate::identity::sessions::RECENT_MS;
use knotpost_model::{Address, Channel, Host, Millis, UserKey};

/// How the sender of a command proves who they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Proof {
    /// By the password in the command.
    #[default]
    Password,
    /// By a session or a key of this user: commands in the user's name need no password.
    LoggedIn(ProvenUser),
}

/// A user who has proved who they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProvenUser {
    pub user: UserKey,
    /// Their name.
    pub userid: String,
    /// The password hash that they had then. A command is refused when they have another one by then.
    pub hash: String,
    /// The API key that they showed. A command is refused when it has been revoked by then.
    pub key: Option<i64>,
    /// Digest of the session in which they are logged in. What gives power for longer is refused when it has ended by
    /// then.
    pub session: Option<String>,
    /// When they last gave their password; `None`: a key or a link stood for it.
    pub password_at: Option<Millis>,
}

/// Returns true if a password given then still stands for one that is asked for now; one of a clock that was ahead does
/// not.
pub fn gave_password_lately(password_at: Option<Millis>, now: Millis) -> bool {
    password_at.is_some_and(|at| (now.0 - at.0).abs() < RECENT_MS)
}

/// Where a command came from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The channel it came by.
    pub channel: Channel,
    /// The address of its sender, when it came by mail.
    pub sender: Option<Address>,
    /// The key under which its rates are counted: a mail address or a network address.
    pub rate_key: String,
    /// The connecting host, behind proxies and relays that are known; `None`: it cannot be told, or there is none.
    pub host: Option<Host>,
    /// Whether the sender's domain vouches for the mail (aligned DKIM or SPF).
    pub aligned: bool,
    /// How the sender proves who they are.
    pub proof: Proof,
}

impl Origin {
    /// A request over HTTP.
    pub fn http(host: Host, proof: Proof) -> Self {
        let rate_key = host.to_string();
        Self { channel: Channel::Http, sender: None, rate_key, host: Some(host), aligned: false, proof }
    }

    /// A mail whose sender proves nothing but what the mail itself proves.
    pub fn mail(sender: Option<Address>, host: Option<Host>, aligned: bool) -> Self {
        let rate_key = sender.as_ref().map(Address::key).unwrap_or_default();
        Self { channel: Channel::Mail, sender, rate_key, host, aligned, proof: Proof::Password }
    }

    /// A command of whoever operates the server.
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

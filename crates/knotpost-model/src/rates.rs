//! Rates that are limited, the scopes in which they are counted, and the channel a command came by.

use serde::{Deserialize, Serialize};

/// The channel a command came by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    Mail,
    /// Over HTTP.
    Http,
    /// From the operator's shell.
    Operator,
}

impl Channel {
    /// Its name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Http => "http",
            Self::Operator => "operator",
        }
    }
}

/// A rate that is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// New accounts.
    Signup,
    Challenge,
    /// New passwords and links to log in that are asked for.
    Reset,
    /// Messages and broadcasts.
    Message,
    /// Chats on boards.
    Chat,
    /// Proposals on boards: draws, and moves to be taken back.
    Proposal,
    /// Hints of computer players.
    Hint,
    /// Analyses of finished games by computer players.
    Analysis,
    /// Archives of all that is held about a user.
    Archive,
    /// Passwords that are not known to be right.
    Password,
    /// Requests, per network address.
    Http,
}

/// The scope in which a rate is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShareOf {
    /// The user, or the address a mail says it is from.
    Sender,
    /// The connecting host or its network.
    Host,
    /// The name or board it is about.
    Name,
    /// An account whose owner is told of wrong passwords.
    Owner,
    /// An account, one of its registered addresses that a mail says it is from, and the connecting host.
    Address,
    /// A user who is mailed what others say and do.
    Reader,
    /// All senders who did not prove who they are.
    Strangers,
    /// All senders who did.
    Proven,
}

impl Rate {
    /// All rates.
    pub const ALL: [Self; 11] = [
        Self::Signup,
        Self::Challenge,
        Self::Reset,
        Self::Message,
        Self::Chat,
        Self::Proposal,
        Self::Hint,
        Self::Analysis,
        Self::Archive,
        Self::Password,
        Self::Http,
    ];

    /// Its name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Signup => "signup",
            Self::Challenge => "challenge",
            Self::Reset => "reset",
            Self::Message => "message",
            Self::Chat => "chat",
            Self::Proposal => "proposal",
            Self::Hint => "hint",
            Self::Analysis => "analysis",
            Self::Archive => "archive",
            Self::Password => "password",
            Self::Http => "http",
        }
    }

    /// What there was too much of, as a refusal says it.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Signup => "accounts were signed up",
            Self::Challenge => "challenges were sent",
            Self::Reset => "new passwords were asked for",
            Self::Message => "messages were sent",
            Self::Chat => "words were said on boards",
            Self::Proposal => "proposals were made",
            Self::Hint => "hints were asked for",
            Self::Analysis => "analyses were asked for",
            Self::Archive => "archives were asked for",
            Self::Password => "passwords were tried",
            Self::Http => "requests were made",
        }
    }
}

impl ShareOf {
    /// Its name in metrics.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sender => "sender",
            Self::Host => "host",
            Self::Name => "name",
            Self::Owner => "owner",
            Self::Address => "address",
            Self::Reader => "reader",
            Self::Strangers => "strangers",
            Self::Proven => "proven",
        }
    }
}

/// A share of a rate: one count in one scope. Each channel has its own share of what all senders have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Share {
    pub rate: Rate,
    pub scope: ShareOf,
    pub channel: Channel,
}

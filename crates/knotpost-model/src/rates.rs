//! Kinds of rate limits, their scopes and channels.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    Mail,
    Http,
    Operator,
}

impl Channel {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mail => "mail",
            Self::Http => "http",
            Self::Operator => "operator",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    Signup,
    Challenge,
    Reset,
    Message,
    Chat,
    /// Draws, undos and substitutions.
    Proposal,
    Hint,
    Analysis,
    Archive,
    /// Passwords not known to be right.
    Password,
    Http,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShareOf {
    Sender,
    Host,
    Name,
    Owner,
    /// An account with a claimed registered address and the connecting host.
    Address,
    /// A user mailed because of others.
    Reader,
    Strangers,
    Proven,
}

impl Rate {
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

/// A counter: one rate in one scope. Channels have separate shares of all senders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Share {
    pub rate: Rate,
    pub scope: ShareOf,
    pub channel: Channel,
}

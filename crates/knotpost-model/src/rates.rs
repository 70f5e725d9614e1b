//! What is limited, whose share of it is spent, and by which way a command came.

use serde::{Deserialize, Serialize};

/// How a command came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// As a mail.
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

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// New accounts.
    Signup,
    /// Challenges.
    Challenge,
    /// New passwords and links to log in that are asked for.
    Reset,
    /// Messages and broadcasts.
    Message,
    /// What is said on boards.
    Chat,
    /// Draws that are proposed on boards, and moves that are to be taken back.
    Proposal,
    /// Passwords that are not known to be right.
    Password,
    /// Requests, per network address.
    Http,
}

/// Whose share is spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ShareOf {
    /// That of the user, or of the address a mail says it is from.
    Sender,
    /// That of the connecting host or its network.
    Host,
    /// That of the name or board it is about.
    Name,
    /// That of an account whose owner hears of wrong passwords.
    Owner,
    /// That of all who did not prove who they are.
    Strangers,
    /// That of all who did.
    Proven,
}

impl Rate {
    /// All there are.
    pub const ALL: [Self; 8] = [
        Self::Signup,
        Self::Challenge,
        Self::Reset,
        Self::Message,
        Self::Chat,
        Self::Proposal,
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
            Self::Password => "password",
            Self::Http => "http",
        }
    }

    /// What there was too much of.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Signup => "accounts were signed up",
            Self::Challenge => "challenges were sent",
            Self::Reset => "new passwords were asked for",
            Self::Message => "messages were sent",
            Self::Chat => "words were said on boards",
            Self::Proposal => "proposals were made",
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
            Self::Strangers => "strangers",
            Self::Proven => "proven",
        }
    }
}

/// One share: what, whose, and which way. Each way has shares of its own where all share them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Share {
    /// What.
    pub rate: Rate,
    /// Whose.
    pub scope: ShareOf,
    /// Which way.
    pub channel: Channel,
}

//! Kinds of rate limits, their scopes and channels.

use serde::{Deserialize, Serialize};

use crate::words;

words! {
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    Channel {
        Mail = "mail",
        Http = "http",
        Operator = "operator",
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    Rate {
        Signup = "signup",
        Challenge = "challenge",
        Reset = "reset",
        Message = "message",
        Chat = "chat",
        /// Draws, undos and substitutions.
        Proposal = "proposal",
        Hint = "hint",
        Analysis = "analysis",
        Archive = "archive",
        /// Passwords not known to be right.
        Password = "password",
        Http = "http",
    }

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    ShareOf {
        Sender = "sender",
        Host = "host",
        Name = "name",
        Owner = "owner",
        /// An account with a claimed registered address and the connecting host.
        Address = "address",
        /// A user mailed because of others.
        Reader = "reader",
        Strangers = "strangers",
        Proven = "proven",
    }
}

impl Rate {
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

/// A counter: one rate in one scope. Channels have separate shares of all senders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Share {
    pub rate: Rate,
    pub scope: ShareOf,
    pub channel: Channel,
}

//! The user behind an API key, and its permissions.

use crate::identity::ProvenUser;

/// A permission of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// To look, also at what concerns its owner alone.
    Read,
    /// To act on boards.
    Play,
    /// To play as a program: to look, to hear of all boards, to act and to speak on them, and nothing of the account.
    Bot,
    /// To look after the server, if its owner does.
    Admin,
}

impl Scope {
    pub const ALL: [Self; 4] = [Self::Read, Self::Play, Self::Bot, Self::Admin];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Play => "play",
            Self::Bot => "bot",
            Self::Admin => "admin",
        }
    }

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.as_str() == word)
    }
}

#[derive(Clone, Debug)]
pub struct Bearer {
    pub proven: ProvenUser,
    pub is_admin: bool,
    pub scopes: Vec<Scope>,
}

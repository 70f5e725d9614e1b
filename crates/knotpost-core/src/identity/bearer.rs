//! The user behind an API key, and its permissions.

use crate::identity::ProvenUser;
use knotpost_model::words;

words! {
    /// A permission of a key.
    #[derive(PartialOrd, Ord, serde::Serialize, schemars::JsonSchema)]
    #[serde(rename_all = "lowercase")]
    Scope {
        /// To look, also at what concerns its owner alone.
        Read = "read",
        /// To act on boards.
        Play = "play",
        /// To play as a program: to look, to hear of all boards, to act and to speak on them, and nothing of the account.
        Bot = "bot",
        /// To look after the server, if its owner does.
        Admin = "admin",
    }
}

#[derive(Clone, Debug)]
pub struct Bearer {
    pub proven: ProvenUser,
    pub is_admin: bool,
    pub scopes: Vec<Scope>,
}

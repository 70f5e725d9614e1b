use crate::connection::{row, words};
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserState {
    Active,
    /// Closed by an administrator for now.
    Suspended,
    /// The name stays on finished boards.
    Deleted,
}

impl UserState {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Suspended => "suspended",
            Self::Deleted => "deleted",
        }
    }
}

impl TryFrom<String> for UserState {
    type Error = String;

    fn try_from(word: String) -> Result<Self, String> {
        [Self::Active, Self::Suspended, Self::Deleted]
            .into_iter()
            .find(|state| state.as_str() == word)
            .ok_or_else(|| format!("unknown user state `{word}`"))
    }
}

words!(UserState);

/// Role of an account played by a program of its owner.
pub const PROGRAM: &str = "program";

row! {
    #[derive(Clone, Debug)]
    pub struct UserRow {
        pub id: UserKey,
        pub userid: String,
        /// Argon2id hash as a PHC string; without one the user cannot log in.
        pub password_hash: Option<String>,
        /// `player`, `admin`, `bot` (a computer player of this server) or `program` (an account of a program).
        pub role: String,
        pub state: UserState,
        pub created_at: Millis,
        pub password_changed_at: Option<i64>,
    }
}

impl UserRow {
    /// True for a computer player of this server.
    pub fn is_computer_player(&self) -> bool {
        self.role == "bot"
    }

    pub fn is_bot(&self) -> bool {
        self.is_computer_player() || self.role == PROGRAM
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct MoverRow {
        pub user: UserRow,
        pub confirm: Option<String>,
        /// True if the API key is still theirs, or none was used.
        pub has_key: bool,
    }
}

//! Users as they are stored.

use sqlx::FromRow;

use knotpost_model::{Millis, UserKey};

/// Whether an account is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserState {
    /// In use.
    Active,
    /// Closed by an administrator for now.
    Suspended,
    /// Gone for good; the name stays on finished boards.
    Deleted,
}

impl UserState {
    /// The stored word.
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

/// The role of accounts for which a program of their owner plays.
pub const PROGRAM: &str = "program";

#[derive(Clone, Debug, FromRow)]
pub struct UserRow {
    /// The row.
    #[sqlx(try_from = "i64")]
    pub id: UserKey,
    /// The name, as signed up.
    pub userid: String,
    /// The argon2id hash as a PHC string; without one the user cannot log in.
    pub password_hash: Option<String>,
    /// `player`, `admin`, `bot` (a computer player of this server) or `program` (an account of a program).
    pub role: String,
    /// Whether the account is in use.
    #[sqlx(try_from = "String")]
    pub state: UserState,
    /// When it was signed up.
    #[sqlx(try_from = "i64")]
    pub created_at: Millis,
    /// When the password was last replaced.
    pub password_changed_at: Option<i64>,
}

impl UserRow {
    /// Whether it is a computer player of this server.
    pub fn is_computer_player(&self) -> bool {
        self.role == "bot"
    }

    /// Whether a program plays for the account: one of this server, or one of the account's owner.
    pub fn is_bot(&self) -> bool {
        self.is_computer_player() || self.role == PROGRAM
    }
}

/// A user who moves in a game.
#[derive(Clone, Debug, FromRow)]
pub struct MoverRow {
    #[sqlx(flatten)]
    pub user: UserRow,
    /// Their preference about confirming moves; `None`: none is set.
    pub confirm: Option<String>,
    /// Whether the API key that they showed is still theirs; without one this is true.
    pub has_key: bool,
}

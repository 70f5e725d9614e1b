//! Facts that decide which users get a mail about a board.

use knotpost_model::UserKey;

#[derive(Clone, Debug)]
pub struct ReaderWish {
    pub user_id: UserKey,
    pub name: String,
    pub value: String,
}

#[derive(Clone, Debug)]
pub struct ReaderAddress {
    pub user_id: UserKey,
    pub address: String,
    /// Time of the confirmation; `None`: unconfirmed.
    pub verified_at: Option<i64>,
    pub stopped_at: Option<i64>,
    pub stop_told_at: Option<i64>,
}

/// A mail about a board, dropped before it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedMail {
    pub recipient: String,
    pub user_id: Option<UserKey>,
    pub ply: i64,
    pub facts: String,
}

#[derive(Clone, Debug, Default)]
pub struct ReaderFacts {
    pub watchers: Vec<(UserKey, String)>,
    /// Of all readers, each one's oldest first.
    pub addresses: Vec<ReaderAddress>,
    /// Preferences of all readers for the game. The later of two equal names wins: those of the game itself
    /// come last.
    pub wishes: Vec<ReaderWish>,
    pub with_webhooks: Vec<UserKey>,
}

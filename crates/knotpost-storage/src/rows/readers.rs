//! What decides which users get a mail about a board.

use knotpost_model::UserKey;

/// A preference of a player or watcher of a board.
#[derive(Clone, Debug)]
pub struct ReaderWish {
    /// The user it belongs to.
    pub user_id: UserKey,
    pub name: String,
    pub value: String,
}

/// An address of a player or watcher of a board.
#[derive(Clone, Debug)]
pub struct ReaderAddress {
    /// The user it belongs to.
    pub user_id: UserKey,
    /// The address as registered.
    pub address: String,
    /// When the user proved that they read it; `None`: not yet.
    pub verified_at: Option<i64>,
    /// Since when no mail goes there because it came back.
    pub stopped_at: Option<i64>,
    /// When the user was notified of that.
    pub stop_told_at: Option<i64>,
}

/// A mail about a board that was dropped before it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DroppedMail {
    /// To whom.
    pub recipient: String,
    pub user_id: Option<UserKey>,
    /// The number of the move after which it showed the board.
    pub ply: i64,
    /// What it showed beside the board, as JSON.
    pub facts: String,
}

/// The facts about the readers of a board.
#[derive(Clone, Debug, Default)]
pub struct ReaderFacts {
    /// The watchers, by name.
    pub watchers: Vec<(UserKey, String)>,
    /// The addresses of all readers, each one's oldest first.
    pub addresses: Vec<ReaderAddress>,
    /// The preferences of all readers about the game. Of two with the same name the later counts: those for the game itself
    /// come last.
    pub wishes: Vec<ReaderWish>,
    /// The users with an active webhook.
    pub with_webhooks: Vec<UserKey>,
}

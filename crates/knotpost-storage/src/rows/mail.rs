//! Rows of mails.

use knotpost_model::{BoardKey, Millis, UserKey};

/// Duration of the lease of a mail. A relay may take ten minutes to answer a message: RFC 5321, section 4.5.3.2.6.
pub const MAIL_LEASE_MS: i64 = 15 * 60_000;

#[derive(Clone, Debug)]
pub struct NewInbox {
    pub received_at: Millis,
    pub way: &'static str,
    pub peer: Option<String>,
    /// Envelope sender; `None`: the null sender.
    pub mail_from: Option<String>,
    /// Envelope recipients, one a line.
    pub recipients: String,
    pub size: i64,
    pub sender: Option<String>,
    pub message_id: Option<String>,
    pub subject: Option<String>,
    pub text: Option<String>,
    /// Sealed message; `None`: the outcome is stored at once.
    pub raw: Option<Vec<u8>>,
    pub reason: Option<&'static str>,
    /// As JSON; `None`: not checked.
    pub verdicts: Option<String>,
    pub host: Option<String>,
}

/// A board mail: rendered when it is sent, from facts that do not change once it was tried.
#[derive(Clone, Debug)]
pub struct BoardMail {
    pub board: BoardKey,
    pub ply: i64,
    /// Content beside the board, as JSON.
    pub facts: String,
    /// Time for which it is not sent, though queued.
    pub wait_ms: i64,
}

#[derive(Clone, Debug)]
pub enum OutboxContent {
    Board(BoardMail),
    /// Facts, written as a message at sending, as JSON.
    Reference(String),
}

#[derive(Clone, Debug)]
pub struct NewOutbox {
    pub kind: &'static str,
    pub recipient: String,
    pub user: Option<UserKey>,
    pub content: OutboxContent,
    /// Subject of a reply, as JSON, if not the board of a board mail.
    pub on_reply: Option<String>,
    /// Without angle brackets.
    pub message_id: String,
    pub date: Millis,
}

//! Mails as they are stored.

use knotpost_model::{BoardKey, InboxKey, Millis, UserKey};

/// How long the lease of a mail lasts. A relay may take ten minutes to answer a message: RFC 5321, section 4.5.3.2.6.
pub const MAIL_LEASE_MS: i64 = 15 * 60_000;

/// A mail to be stored.
#[derive(Clone, Debug)]
pub struct NewInbox {
    /// When it came.
    pub received_at: Millis,
    /// The way it came.
    pub way: &'static str,
    /// The peer's network address.
    pub peer: Option<String>,
    /// Envelope sender; `None`: the null sender.
    pub mail_from: Option<String>,
    /// Envelope recipients, one a line.
    pub recipients: String,
    /// Bytes of the message.
    pub size: i64,
    /// Address in From.
    pub sender: Option<String>,
    pub message_id: Option<String>,
    /// Subject with passwords masked.
    pub subject: Option<String>,
    /// Text with passwords masked.
    pub text: Option<String>,
    /// The message, sealed; `None` when its outcome is stored with it.
    pub raw: Option<Vec<u8>>,
    /// The named outcome, when it is known already.
    pub reason: Option<&'static str>,
    /// What is known about where it comes from; `None`: it was not checked.
    pub verdicts: Option<String>,
    /// The connecting host that it counts for while it waits.
    pub host: Option<String>,
}

/// A mail that is carried out as it is stored.
#[derive(Clone, Debug)]
pub struct DirectMail {
    /// The mail, done from the beginning.
    pub row: NewInbox,
    /// The address in From, as addresses are looked up.
    pub sender_key: String,
    /// Identifies the mail: a second mail with the same key is a duplicate.
    pub dedupe_key: String,
    /// A mail acted on after this under the same key is the same mail.
    pub since: Millis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredMail {
    /// Its row.
    pub key: InboxKey,
    /// Whether it is no duplicate, so that it is to be acted on.
    pub is_first: bool,
}

/// A board mail by reference: rendered when it is sent, from facts that do not change once it was tried.
#[derive(Clone, Debug)]
pub struct BoardMail {
    pub board: BoardKey,
    /// After this move.
    pub ply: i64,
    /// What it shows beside the board, as JSON.
    pub facts: String,
}

/// What an outgoing mail says.
#[derive(Clone, Debug)]
pub enum OutboxContent {
    Board(BoardMail),
    /// The message itself.
    Message(Vec<u8>),
    /// Something that is completed when it is sent, as JSON.
    Reference(String),
}

/// An outgoing mail to be stored.
#[derive(Clone, Debug)]
pub struct NewOutbox {
    /// What kind of mail it is.
    pub kind: &'static str,
    pub recipient: String,
    pub user: Option<UserKey>,
    /// What it says.
    pub content: OutboxContent,
    /// Without angle brackets.
    pub message_id: String,
    /// The Date it carries.
    pub date: Millis,
}

impl NewOutbox {
    /// The board it shows, when it is rendered from facts.
    pub(crate) fn board(&self) -> Option<BoardKey> {
        match &self.content {
            OutboxContent::Board(mail) => Some(mail.board),
            OutboxContent::Message(_) | OutboxContent::Reference(_) => None,
        }
    }
}

//! Mails as an administrator's programs read them, from the shell and through the API alike.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::mailing::inspector::mail_text::mask_tokens;
use knotpost_model::{Millis, Moment};
use knotpost_storage::{InboxEntry, OutboxEntry};

/// A received mail. Passwords and reply tokens are masked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReceivedMail {
    /// Its number.
    pub id: i64,
    /// When it came.
    pub received: Moment,
    /// The way it came, such as `smtp`.
    pub way: String,
    /// The network address it came from.
    pub peer: Option<String>,
    /// Envelope sender; `null`: the null sender.
    pub mail_from: Option<String>,
    /// Envelope recipients.
    pub recipients: Vec<String>,
    /// Bytes of the message.
    pub size: i64,
    /// Address in From.
    pub sender: Option<String>,
    /// Its Message-ID.
    pub message_id: Option<String>,
    /// Its subject.
    pub subject: Option<String>,
    /// Its text.
    pub text: Option<String>,
    /// What is known of its sender's proof.
    pub verdicts: Option<Map<String, Value>>,
    /// Whether the message itself is kept.
    pub kept: bool,
    /// `new`, `done` or `failed`.
    pub state: String,
    /// The named outcome.
    pub reason: Option<String>,
    /// How often its processing began.
    pub attempts: i64,
    /// When it is processed, while it waits.
    pub due: Option<Moment>,
    /// When it ended.
    pub done: Option<Moment>,
}

/// An outgoing mail.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutgoingMail {
    /// Its number.
    pub id: i64,
    /// What kind of mail it is, such as `board`.
    pub kind: String,
    /// To whom.
    pub recipient: String,
    /// The user it is for.
    pub userid: Option<String>,
    /// The game of the board it shows.
    pub game: Option<String>,
    /// That board's number.
    pub number: Option<i64>,
    /// After which move.
    pub ply: Option<i64>,
    /// Its Message-ID.
    pub message_id: String,
    /// The Date it carries.
    pub date: Moment,
    /// `queued`, `sent`, `failed` or `dropped`.
    pub state: String,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is tried next, while it waits.
    pub due: Option<Moment>,
    /// When it ended.
    pub done: Option<Moment>,
    /// Why it was not sent, the last time.
    pub error: Option<String>,
}

impl From<&InboxEntry> for ReceivedMail {
    fn from(mail: &InboxEntry) -> Self {
        Self {
            id: mail.id,
            received: mail.received_at.into(),
            way: mail.way.clone(),
            peer: mail.peer.clone(),
            mail_from: mail.mail_from.clone(),
            recipients: masked_recipients(mail),
            size: mail.size,
            sender: mail.sender.clone(),
            message_id: mail.message_id.clone(),
            subject: mail.subject.clone(),
            text: mail.text.clone(),
            verdicts: mail.verdicts.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            kept: mail.kept > 0,
            state: mail.state.clone(),
            reason: mail.reason.clone(),
            attempts: mail.attempts,
            due: is_waiting(&mail.state).then(|| mail.due_at.into()),
            done: mail.done_at.map(Moment::from),
        }
    }
}

impl From<&OutboxEntry> for OutgoingMail {
    fn from(mail: &OutboxEntry) -> Self {
        Self {
            id: mail.id,
            kind: mail.kind.clone(),
            recipient: mail.recipient.clone(),
            userid: mail.userid.clone(),
            game: mail.game.clone(),
            number: mail.number,
            ply: mail.ply,
            message_id: mail.message_id.clone(),
            date: mail.date.into(),
            state: mail.state.clone(),
            attempts: mail.attempts,
            due: is_waiting(&mail.state).then(|| mail.due_at.into()),
            done: mail.done_at.map(Moment::from),
            error: mail.error.clone(),
        }
    }
}

fn is_waiting(state: &str) -> bool {
    matches!(state, "new" | "queued")
}

/// When a mail is due that waits.
pub fn waits(state: &str, due_at: i64) -> Option<String> {
    is_waiting(state).then(|| Millis(due_at).to_rfc3339())
}

/// To whom a mail came, reply addresses without their tokens.
pub fn masked_recipients(mail: &InboxEntry) -> Vec<String> {
    mail.recipients.lines().map(mask_tokens).collect()
}

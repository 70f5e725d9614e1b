//! Mails as administrators see them: the shell, the pages and the API all show these structs.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::mailing::inspector::mail_text::mask_tokens;
use knotpost_model::Moment;
use knotpost_storage::{InboxEntry, OutboxEntry};

/// A received mail. Passwords and reply tokens are masked.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReceivedMail {
    /// Its number.
    pub id: i64,
    /// Time of its arrival.
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
    /// Results of the authentication of its sender.
    pub verdicts: Option<Map<String, Value>>,
    /// The same as stored: JSON text.
    #[serde(skip)]
    pub verdicts_text: Option<String>,
    /// True if the message itself is kept.
    pub kept: bool,
    /// `new`, `done` or `failed`.
    pub state: String,
    /// The named outcome.
    pub reason: Option<String>,
    /// Number of times that its processing began.
    pub attempts: i64,
    /// Time at which it is processed, while it waits.
    pub due: Option<Moment>,
    /// Time at which it ended.
    pub done: Option<Moment>,
}

/// A received mail with what it was made of.
#[derive(Serialize, JsonSchema)]
pub struct WholeReceivedMail {
    #[serde(flatten)]
    pub mail: ReceivedMail,
    /// Its parts, one line each, if the message is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<String>>,
    /// Its readable text, if the message is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message_text: Option<String>,
    /// The message as it came, with its secrets.
    #[serde(skip)]
    pub message: Option<Vec<u8>>,
}

/// A page of received mails.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Inbox {
    /// The newest first.
    pub mails: Vec<ReceivedMail>,
    /// Goes into the next request; `null`: that was all.
    pub cursor: Option<String>,
}

/// A page of outgoing mails.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Outbox {
    /// The newest first.
    pub mails: Vec<OutgoingMail>,
    /// Goes into the next request; `null`: that was all.
    pub cursor: Option<String>,
}

/// An outgoing mail.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct OutgoingMail {
    /// Its number.
    pub id: i64,
    /// Kind of mail, such as `board`.
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
    /// Number of attempts to send it.
    pub attempts: i64,
    /// Time of the next attempt, while it waits.
    pub due: Option<Moment>,
    /// Time at which it ended.
    pub done: Option<Moment>,
    /// Reason why it was not sent, the last time.
    pub error: Option<String>,
}

impl From<InboxEntry> for ReceivedMail {
    fn from(mail: InboxEntry) -> Self {
        let due = (mail.state == "new").then(|| mail.due_at.into());
        Self {
            id: mail.id,
            received: mail.received_at.into(),
            way: mail.way,
            peer: mail.peer,
            mail_from: mail.mail_from,
            recipients: mail.recipients.lines().map(mask_tokens).collect(),
            size: mail.size,
            sender: mail.sender,
            message_id: mail.message_id,
            subject: mail.subject,
            text: mail.text,
            verdicts: mail.verdicts.as_deref().and_then(|text| serde_json::from_str(text).ok()),
            verdicts_text: mail.verdicts,
            kept: mail.kept > 0,
            state: mail.state,
            reason: mail.reason,
            attempts: mail.attempts,
            due,
            done: mail.done_at.map(Moment::from),
        }
    }
}

impl From<OutboxEntry> for OutgoingMail {
    fn from(mail: OutboxEntry) -> Self {
        let due = (mail.state == "queued").then(|| mail.due_at.into());
        Self {
            id: mail.id,
            kind: mail.kind,
            recipient: mail.recipient,
            userid: mail.userid,
            game: mail.game,
            number: mail.number,
            ply: mail.ply,
            message_id: mail.message_id,
            date: mail.date.into(),
            state: mail.state,
            attempts: mail.attempts,
            due,
            done: mail.done_at.map(Moment::from),
            error: mail.error,
        }
    }
}

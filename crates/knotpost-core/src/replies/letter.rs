//! A mail as plain data; `outbound` turns it into bytes.

use std::sync::Arc;

use knotpost_rules::View;
use serde::{Deserialize, Serialize};

use crate::boards::picture_ref::PictureRef;
use crate::replies::Reply;
use knotpost_model::{BoardRef, Millis};

/// `Auto-Submitted` (RFC 3834, section 5).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auto {
    Generated,
    Replied,
}

/// Wanted alternatives of a mail.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailForm {
    #[default]
    Both,
    Text,
}

impl MailForm {
    /// True for the default, which is not serialised.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// Parses the preference `mail`.
    pub(crate) fn of_wish(value: &str) -> Self {
        if value == "text" { Self::Text } else { Self::Both }
    }
}

/// Content and headers of a mail.
///
/// Addresses are bare (`local@domain`), ids without brackets. Line ends in display texts become blanks;
/// anywhere else they are an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    pub from: (String, String),
    pub to: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_name: Option<String>,
    /// In any script.
    pub subject: String,
    /// In any script, with any line ends.
    pub text: String,
    /// HTML alternative; pictures are referenced by `cid:`, between [`picture_begins`] and [`PICTURE_ENDS`].
    pub html: Option<String>,
    pub message_id: String,
    /// Unix milliseconds.
    pub date: i64,
    pub in_reply_to: Option<String>,
    /// Thread, oldest first.
    pub references: Vec<String>,
    pub auto: Auto,
    /// Name of the list, and its id (labels and dots).
    pub list_id: Option<(String, String)>,
    pub reply_to: Option<String>,
    /// Marks our own mail, to detect loops.
    pub x_loop: String,
    /// One-click URL (RFC 8058).
    pub unsubscribe: Option<String>,
    /// Mail address (RFC 2369).
    #[serde(default)]
    pub unsubscribe_to: Option<String>,
}

/// Ways to unsubscribe from a kind of mails.
#[derive(Clone, Debug)]
pub struct Refusing {
    pub page: String,
    pub reply_to: Option<String>,
}

/// HTML marker before a picture that may be missing.
pub fn picture_begins(content_id: &str) -> String {
    format!("<!--picture {content_id}-->")
}

/// HTML marker after it.
pub const PICTURE_ENDS: &str = "<!--end of picture-->";

#[derive(Clone, Debug)]
pub struct Depicted {
    pub content_id: String,
    pub view: Arc<View>,
    pub basis: PictureRef,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    pub userid: String,
    pub is_shared: bool,
}

/// Everything of a mail but its content.
#[derive(Clone, Debug)]
pub struct Envelope {
    pub recipient: String,
    /// `None`: not a user's mail.
    pub addressee: Option<Addressee>,
    /// Without angle brackets.
    pub message_id: String,
    pub date: Millis,
    pub in_reply_to: Option<String>,
    pub is_answer: bool,
    pub board: Option<BoardRef>,
    pub unsubscribe: Option<Refusing>,
    pub form: MailForm,
    pub notices: Vec<String>,
    /// Reply address, if not the server's plain one.
    pub reply_to: Option<String>,
}

#[derive(Clone, Debug)]
pub struct Draft {
    pub letter: Letter,
    pub pictures: Vec<Depicted>,
}

/// A [`Draft`] as stored; pictures are rebuilt at sending.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredDraft {
    pub letter: Letter,
    pub pictures: Vec<(String, PictureRef)>,
}

impl From<Draft> for StoredDraft {
    fn from(draft: Draft) -> Self {
        let pictures = draft.pictures.into_iter().map(|one| (one.content_id, one.basis)).collect();
        Self { letter: draft.letter, pictures }
    }
}

#[derive(Clone, Debug)]
pub struct Drawn {
    pub content_id: String,
    pub png: std::sync::Arc<[u8]>,
}

/// Composes mails. Implemented outside: use cases know no MIME.
pub trait Composer: Send + Sync {
    /// Fails if a template is wrong.
    fn draft(&self, reply: &Reply, envelope: &Envelope) -> Result<Draft, String>;

    /// Serialises; deterministic for a letter with its pictures. Missing pictures are left out.
    fn write(&self, letter: &Letter, pictures: &[Drawn]) -> Result<Vec<u8>, String>;

    /// Signs as of `date`, deterministically; `None`: this server does not sign.
    fn sign(&self, message: &[u8], date: Millis) -> Result<Option<Vec<u8>>, String>;

    fn text(&self, reply: &Reply) -> Result<(String, String), String>;

    /// Rereads templates and the signing key; unchanged on an error.
    fn reload(&self) -> Result<(), String>;
}

//! A mail as plain data: what it says and to whom. How it becomes bytes is the business of `outbound`.

use std::sync::Arc;

use knotpost_rules::View;
use serde::{Deserialize, Serialize};

use crate::boards::picture_ref::PictureRef;
use crate::replies::Reply;
use knotpost_model::{BoardRef, Millis};

/// Whether a mail answers another one: RFC 3834, section 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Auto {
    /// Written without being asked by this mail's recipient.
    Generated,
    /// The answer to a mail.
    Replied,
}

/// Which forms of a mail its reader takes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MailForm {
    /// Text, and the same as a page with pictures.
    #[default]
    Both,
    /// Text alone.
    Text,
}

impl MailForm {
    /// Whether it is what holds without a wish.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// What a value of the preference `mail` means.
    pub(crate) fn of_wish(value: &str) -> Self {
        if value == "text" { Self::Text } else { Self::Both }
    }
}

/// What a mail says and to whom.
///
/// Addresses are bare (`local@domain`), ids without brackets. Line ends in display texts become blanks; anywhere
/// else they are an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Letter {
    /// The name and the address in `From`.
    pub from: (String, String),
    /// The recipient.
    pub to: String,
    /// The user it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_name: Option<String>,
    /// The Subject, in any script.
    pub subject: String,
    /// The text, in any script, with any line ends.
    pub text: String,
    /// The same as an HTML page; pictures are named by `cid:` and stand between [`picture_begins`] and
    /// [`PICTURE_ENDS`].
    pub html: Option<String>,
    /// The `Message-ID`.
    pub message_id: String,
    /// The `Date`, in Unix milliseconds.
    pub date: i64,
    /// The mail that this one answers or follows.
    pub in_reply_to: Option<String>,
    /// The thread, oldest first.
    pub references: Vec<String>,
    /// `Auto-Submitted`.
    pub auto: Auto,
    /// What the list is called, and its id (a name of labels and dots).
    pub list_id: Option<(String, String)>,
    /// The address that a reply goes to.
    pub reply_to: Option<String>,
    /// The address by which we know our own mail when it comes back.
    pub x_loop: String,
    /// Where one request ends mails of this kind (RFC 8058).
    pub unsubscribe: Option<String>,
    /// Where a mail does (RFC 2369).
    #[serde(default)]
    pub unsubscribe_to: Option<String>,
}

/// How a reader takes no more mails of a kind.
#[derive(Clone, Debug)]
pub struct Refusing {
    pub page: String,
    /// By a mail to this address.
    pub reply_to: Option<String>,
}

/// What stands in the page before a picture that may be missing.
pub fn picture_begins(content_id: &str) -> String {
    format!("<!--picture {content_id}-->")
}

/// What stands behind it.
pub const PICTURE_ENDS: &str = "<!--end of picture-->";

/// A picture that a letter shows, not drawn yet.
#[derive(Clone, Debug)]
pub struct Depicted {
    /// How the page names it, without `cid:`.
    pub content_id: String,
    /// What to draw.
    pub view: Arc<View>,
    /// Where that is found again.
    pub basis: PictureRef,
}

/// The user whom a mail is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Addressee {
    pub userid: String,
    /// True if others read mail at the same address.
    pub is_shared: bool,
}

/// Everything around the content of a mail.
#[derive(Clone, Debug)]
pub struct Envelope {
    /// To whom.
    pub recipient: String,
    /// The user whose mail it is; `None`: nobody's.
    pub addressee: Option<Addressee>,
    /// Without angle brackets.
    pub message_id: String,
    /// The Date it carries.
    pub date: Millis,
    /// The message it answers.
    pub in_reply_to: Option<String>,
    /// Whether it answers a mail, or was caused by something else.
    pub is_answer: bool,
    /// The board whose thread it belongs to.
    pub board: Option<BoardRef>,
    /// How its reader takes no more of its kind.
    pub unsubscribe: Option<Refusing>,
    /// Which forms of it are wanted.
    pub form: MailForm,
    /// What its reader should know beside, whatever the mail is about.
    pub notices: Vec<String>,
    /// Where it is answered, when not at the server's plain address.
    pub reply_to: Option<String>,
}

/// A mail that is whole but for its pictures.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The mail.
    pub letter: Letter,
    /// Its pictures, in the order of the page.
    pub pictures: Vec<Depicted>,
}

/// A [`Draft`] as it is stored: its pictures are found again when it is sent.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StoredDraft {
    /// The mail.
    pub letter: Letter,
    /// The pictures: how the page names them, and what they show.
    pub pictures: Vec<(String, PictureRef)>,
}

impl From<Draft> for StoredDraft {
    fn from(draft: Draft) -> Self {
        let pictures = draft.pictures.into_iter().map(|one| (one.content_id, one.basis)).collect();
        Self { letter: draft.letter, pictures }
    }
}

/// A picture of a mail, drawn.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// How the page names it, without `cid:`.
    pub content_id: String,
    /// The bytes of a PNG file.
    pub png: std::sync::Arc<[u8]>,
}

/// Turns what the server says into mails. Lives outside: use cases know no MIME.
pub trait Composer: Send + Sync {
    /// The mail that says it.
    ///
    /// # Errors
    /// When a template is wrong.
    fn draft(&self, reply: &Reply, envelope: &Envelope) -> Result<Draft, String>;

    /// The whole message, the same for the same letter and pictures. Pictures that are not given are left out.
    ///
    /// # Errors
    /// When a header cannot be made.
    fn write(&self, letter: &Letter, pictures: &[Drawn]) -> Result<Vec<u8>, String>;

    /// The message as it leaves, signed as of `date`; `None`: this server does not sign. Sent again, it is the same.
    ///
    /// # Errors
    /// When the key fails.
    fn sign(&self, message: &[u8], date: Millis) -> Result<Option<Vec<u8>>, String>;

    /// The name of the reply's kind, as stored with the mail.
    fn kind(&self, reply: &Reply) -> &'static str;

    /// Subject and text alone.
    ///
    /// # Errors
    /// When a template is wrong.
    fn text(&self, reply: &Reply) -> Result<(String, String), String>;

    /// Reads again what lies in files: templates and the key that signs.
    ///
    /// # Errors
    /// When something of it cannot be used; then all stays as it is.
    fn reload(&self) -> Result<(), String>;
}

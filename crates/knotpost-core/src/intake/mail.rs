//! A mail that came in, as plain data: how it arrived, and what was read in it.

use std::net::IpAddr;

use super::reason::Reason;
use knotpost_model::{Address, Host, Millis, Verdicts};

/// The way a message came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Way {
    /// The SMTP listener.
    Smtp,
    /// The LMTP listener.
    Lmtp,
    /// Piped into `deliver`.
    Pipe,
    /// `POST /inbound`.
    Http,
    /// A watched Maildir.
    Maildir,
}

impl Way {
    /// Whether a mail server waits for the receipt and tells the sender.
    pub fn has_session(self) -> bool {
        matches!(self, Self::Smtp | Self::Lmtp)
    }

    /// Whether a mail that is put off is delivered again later. A file in a folder that is put off would hold up those
    /// behind it.
    pub(super) fn can_come_again(self) -> bool {
        match self {
            Self::Smtp | Self::Lmtp | Self::Pipe | Self::Http => true,
            Self::Maildir => false,
        }
    }

    /// The stored name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Smtp => "smtp",
            Self::Lmtp => "lmtp",
            Self::Pipe => "pipe",
            Self::Http => "http",
            Self::Maildir => "maildir",
        }
    }
}

/// How and when a mail arrived.
#[derive(Debug)]
pub struct Arrival<'a> {
    /// The way it came.
    pub way: Way,
    /// The host that connected.
    pub peer: Option<IpAddr>,
    /// The return path; `None` is the null path `<>`.
    pub mail_from: Option<&'a str>,
    /// The recipients as written.
    pub recipients: &'a [String],
    /// The message.
    pub raw: &'a [u8],
    /// What authentication found; `None`: it was not checked.
    pub verdicts: Option<Verdicts>,
    /// The host that counts as the sender's.
    pub host: Option<Host>,
    /// When it arrived.
    pub now: Millis,
}

/// How a mail is to be treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// From a program: neither executed nor answered.
    Automatic(Reason),
    /// From a list or a gateway: executed and answered only with a valid password or token, and never published as
    /// chat.
    Bulk,
    Person,
}

/// Where the command of a mail stands, with the lines that stand in its text.
#[derive(Debug)]
pub enum CommandText {
    /// In the Subject, or nowhere.
    Subject,
    /// On this line of the text.
    Body(String),
    /// On each of these lines of the text.
    Multiple(Vec<String>),
}

/// What was read in a mail.
#[derive(Debug)]
pub struct IncomingMail {
    /// How it is to be treated.
    pub class: Class,
    /// Its author, if there is exactly one.
    pub sender: Option<Address>,
    /// Its Subject as written, with any passwords.
    pub subject: String,
    /// Its text as written, with any passwords.
    pub text: Option<String>,
    /// Its Message-ID, without brackets.
    pub message_id: Option<String>,
    /// Where its command stands.
    pub command: CommandText,
    /// The key by which the same mail is recognised when it comes again.
    pub dedupe_key: String,
}

//! Incoming mail as plain data: its arrival, and its parsed content.

use std::net::IpAddr;

use super::reason::Reason;
use knotpost_model::{Address, Host, Millis, Verdicts, words};

words! {
    Way {
        Smtp = "smtp",
        Lmtp = "lmtp",
        Pipe = "pipe",
        Http = "http",
        Maildir = "maildir",
    }
}

impl Way {
    /// True if a mail server waits for the receipt and would bounce.
    pub fn has_session(self) -> bool {
        matches!(self, Self::Smtp | Self::Lmtp)
    }

    /// True if a deferred mail is delivered again. Deferring a file of a folder would block those behind it.
    pub(super) fn can_come_again(self) -> bool {
        self != Self::Maildir
    }
}

#[derive(Debug)]
pub struct Arrival<'a> {
    pub way: Way,
    /// Connecting host.
    pub peer: Option<IpAddr>,
    /// Return path; `None`: the null path `<>`.
    pub mail_from: Option<&'a str>,
    pub recipients: &'a [String],
    pub raw: &'a [u8],
    /// Result of authentication; `None`: not checked.
    pub verdicts: Option<Verdicts>,
    /// Host that counts as the sender's.
    pub host: Option<Host>,
    pub now: Millis,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// From a program: neither executed nor answered.
    Automatic(Reason),
    /// From a list or gateway: processed only with a valid password or token, and never published as chat.
    Bulk,
    Person,
}

#[derive(Debug)]
pub enum CommandText {
    /// In the Subject, or nowhere.
    Subject,
    /// One line of the text.
    Body(String),
    /// Several lines of the text.
    Multiple(Vec<String>),
}

#[derive(Debug)]
pub struct IncomingMail {
    pub class: Class,
    /// Author, if exactly one.
    pub sender: Option<Address>,
    /// As written, with any passwords.
    pub subject: String,
    /// As written, with any passwords.
    pub text: Option<String>,
    /// Without brackets.
    pub message_id: Option<String>,
    pub command: CommandText,
    /// Recognises a repeated delivery.
    pub dedupe_key: String,
}

//! The contract of listeners and the pipeline: a message with its envelope goes in, a receipt comes back.

use std::net::IpAddr;

use futures_util::future::BoxFuture;

use knotpost_core::intake::{Arrival, Way};
use knotpost_model::Millis;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    pub way: Way,
    pub peer: Option<IpAddr>,
    pub helo: Option<String>,
    /// `None` is the null path `<>`.
    pub mail_from: Option<String>,
    /// As written; all were accepted by [`Intake::recipient`].
    pub recipients: Vec<String>,
}

impl Envelope {
    pub(super) fn arrival<'a>(&'a self, raw: &'a [u8], now: Millis) -> Arrival<'a> {
        Arrival {
            way: self.way,
            peer: self.peer,
            mail_from: self.mail_from.as_deref(),
            recipients: &self.recipients,
            raw,
            verdicts: None,
            host: None,
            now,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientVerdict {
    Accepted,
    /// An unknown address of our domain; the text suggests known ones.
    Unknown {
        text: String,
    },
    /// An address of another domain: this server does not relay.
    NotOurs,
    TryLater {
        text: String,
    },
}

impl RecipientVerdict {
    /// The receipt of a mail to this address, if it is not accepted.
    pub(super) fn refuse(self, address: &str) -> Option<Receipt> {
        let (enhanced, text) = match self {
            Self::Accepted => return None,
            Self::TryLater { text } => return Some(Receipt::try_later(text)),
            Self::Unknown { text } => ("5.1.1", text),
            Self::NotOurs => ("5.7.1", format!("{address} is not an address of this server")),
        };
        Some(Receipt::Refused { code: 550, enhanced, text })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    /// Durably stored.
    Stored {
        /// One line for the log of the other side.
        text: String,
    },
    Refused {
        /// 5xx.
        code: u16,
        /// "5.x.y".
        enhanced: &'static str,
        text: String,
    },
    TryLater {
        /// 4xx.
        code: u16,
        /// "4.x.y".
        enhanced: &'static str,
        text: String,
    },
}

/// Enhanced status code of [`Receipt::TryLater`] if no mail at all can be stored.
pub(super) const STORE_TROUBLE: &str = "4.3.0";

impl Receipt {
    /// Puts off with 451 4.3.0, because of this server's own state.
    pub fn try_later(text: impl Into<String>) -> Self {
        Self::TryLater { code: 451, enhanced: STORE_TROUBLE, text: text.into() }
    }
}

pub trait Intake: Send + Sync {
    /// Must not wait: the client does.
    fn recipient(&self, address: &str) -> RecipientVerdict;

    /// The receipt is sent to the client as it is: `Stored` means committed.
    fn receive(&self, envelope: Envelope, raw: Vec<u8>) -> BoxFuture<'_, Receipt>;
}

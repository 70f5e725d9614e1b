//! What listeners and the pipeline agree on: a message with its envelope goes in, a receipt comes back.
//!
//! Knows neither protocols nor what is done with a message.

use std::net::IpAddr;

use futures_util::future::BoxFuture;

use knotpost_core::intake::{Arrival, Way};
use knotpost_model::Millis;

/// What is known about a message besides its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Envelope {
    /// The way it came.
    pub way: Way,
    /// The host that connected.
    pub peer: Option<IpAddr>,
    /// The name that host gave in its greeting.
    pub helo: Option<String>,
    /// The return path; `None` is the null path `<>`.
    pub mail_from: Option<String>,
    /// The recipients as written; all were accepted by [`Intake::recipient`].
    pub recipients: Vec<String>,
}

impl Envelope {
    /// How a message with this envelope arrived, before its authentication.
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

/// The reply to `RCPT TO`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RecipientVerdict {
    /// An address of ours.
    Accepted,
    /// Our domain, but no address of ours; the text says what would be.
    Unknown {
        /// One sentence for the sender.
        text: String,
    },
    /// An address of another domain: this server does not relay.
    NotOurs,
    /// Not at the moment.
    TryLater {
        /// One sentence for the sender.
        text: String,
    },
}

/// The reply to a complete message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Receipt {
    /// It is stored, durably.
    Stored {
        /// One line for the log of the other side.
        text: String,
    },
    /// It will not be taken, now or later.
    Refused {
        /// The reply code, 5xx.
        code: u16,
        /// The enhanced status code, "5.x.y".
        enhanced: &'static str,
        /// One sentence for the sender.
        text: String,
    },
    /// It cannot be taken now.
    TryLater {
        /// The reply code, 4xx.
        code: u16,
        /// The enhanced status code, "4.x.y".
        enhanced: &'static str,
        /// One line for the log of the other side.
        text: String,
    },
}

/// The enhanced status code of [`Receipt::TryLater`] when no mail at all can be stored.
pub(super) const STORE_TROUBLE: &str = "4.3.0";

impl Receipt {
    /// Not now, because of this server's own state (451 4.3.0).
    pub fn try_later(text: impl Into<String>) -> Self {
        Self::TryLater { code: 451, enhanced: STORE_TROUBLE, text: text.into() }
    }
}

/// Takes mail in for every listener.
pub trait Intake: Send + Sync {
    /// Judges a recipient, quickly and without waiting.
    fn recipient(&self, address: &str) -> RecipientVerdict;

    /// Takes a message. The receipt is sent to the client as it is: `Stored` means committed.
    fn receive(&self, envelope: Envelope, raw: Vec<u8>) -> BoxFuture<'_, Receipt>;
}

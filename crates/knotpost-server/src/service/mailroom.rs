//! Mail that comes as a web request. The web translates the request; whoever takes mail does the rest.

use futures_util::future::BoxFuture;

use crate::store::StoreError;

/// Who a posted message is from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnPath {
    /// The request does not say: the message does.
    OfMessage,
    /// The null path `<>` of reports.
    Null,
    /// This address.
    Address(String),
}

/// A message as a web hook brings it.
#[derive(Clone, Debug)]
pub struct Posted {
    /// Who it is from.
    pub return_path: ReturnPath,
    /// The addresses it was sent to; without any, those of ours that stand in the message.
    pub recipients: Vec<String>,
    /// The caller's `Idempotency-Key`.
    pub key: Option<Vec<u8>>,
    /// The message.
    pub raw: Vec<u8>,
}

/// What came of a posted message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PostedOutcome {
    /// It is stored, durably, now or when it was posted before.
    Taken {
        /// The outcome's name, or `queued`.
        outcome: String,
    },
    /// It will not be taken, now or later.
    Refused {
        /// The enhanced status code of mail servers, "5.x.y".
        enhanced: &'static str,
        /// One sentence for the sender.
        text: String,
    },
    /// It cannot be taken now.
    TryLater {
        /// One sentence for the log of the other side.
        text: String,
    },
    /// Its `Idempotency-Key` came with another message before.
    OtherMessage,
}

/// Whoever takes posted messages.
pub trait Mailroom: Send + Sync {
    /// Takes a message. The same one again has the same outcome, and nothing happens twice.
    fn take_posted(&self, posted: Posted) -> BoxFuture<'_, Result<PostedOutcome, StoreError>>;
}

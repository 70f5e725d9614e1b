//! Mail that a mail provider delivers by web hook. The web translates the request into a [`WebhookMail`], and the
//! intake of mail takes it.

use futures_util::future::BoxFuture;

use knotpost_storage::StoreError;

/// The return path of a delivered message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReturnPath {
    /// The request does not say: the message does.
    OfMessage,
    /// The null path `<>` of reports.
    Null,
    Address(String),
}

/// A message as a web hook delivers it.
#[derive(Clone, Debug)]
pub struct WebhookMail {
    pub return_path: ReturnPath,
    /// Its recipients; if empty, those of our addresses that the message names.
    pub recipients: Vec<String>,
    /// The caller's `Idempotency-Key`.
    pub key: Option<Vec<u8>>,
    /// The message.
    pub raw: Vec<u8>,
}

/// Outcome of a delivered message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WebhookOutcome {
    /// It is committed, now or when it was delivered before.
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
        /// One sentence for the client's log.
        text: String,
    },
    /// Its `Idempotency-Key` was used for another message before.
    OtherMessage,
}

/// Takes messages that web hooks deliver.
pub trait WebhookIntake: Send + Sync {
    /// Takes a message. The same message again has the same outcome, and is not processed twice.
    fn take_webhook_mail(&self, mail: WebhookMail) -> BoxFuture<'_, Result<WebhookOutcome, StoreError>>;
}

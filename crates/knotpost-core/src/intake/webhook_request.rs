//! Idempotency of messages that webhooks deliver: the same request again has the outcome it had, and is not processed
//! twice.

use crate::app::App;
use crate::mailing::{ReturnPath, WebhookMail, WebhookOutcome};
use knotpost_model::Millis;
use knotpost_platform::secret::{Purpose, to_hex};
use knotpost_storage::{RequestKey, SavedResponse, StoreError};

/// How long the outcome of a request is stored; the mail itself is recognised for longer.
const OUTCOME_STORED_MS: i64 = 86_400_000;

/// A request that delivers a message, identified by digests.
#[derive(Debug)]
pub struct WebhookRequest {
    /// Identifies the request: the digest of its `Idempotency-Key`, or else of the complete request.
    key: RequestKey,
    /// The digest of the complete request.
    digest: String,
    now: Millis,
}

impl WebhookRequest {
    /// The request that delivers this message.
    pub fn new(app: &App, mail: &WebhookMail) -> Self {
        let digest = |parts: &[&[u8]]| to_hex(&app.secret.digest(Purpose::Idempotency, parts));
        let from = match &mail.return_path {
            ReturnPath::OfMessage => "of the message".to_owned(),
            ReturnPath::Null => "<>".to_owned(),
            ReturnPath::Address(address) => format!("<{address}>"),
        };
        let to = mail.recipients.join("\n");
        let request = digest(&[b"posted mail", from.as_bytes(), to.as_bytes(), &mail.raw]);
        let key = match &mail.key {
            Some(key) => digest(&[b"posted mail, key", key]),
            None => digest(&[b"posted mail, itself", request.as_bytes()]),
        };
        let now = app.clock.now();
        Self { key: RequestKey { digest: key, since: now.plus(-OUTCOME_STORED_MS) }, digest: request, now }
    }

    /// The outcome of the request when it came before; `None`: it is new.
    pub async fn find_outcome(&self, app: &App) -> Result<Option<WebhookOutcome>, StoreError> {
        let saved = app.store.query().await?.saved_response(&self.key).await?;
        Ok(saved.map(|saved| {
            if saved.request_digest == self.digest {
                WebhookOutcome::Taken { outcome: saved.body }
            } else {
                WebhookOutcome::OtherMessage
            }
        }))
    }

    /// Stores the outcome of the request. That this fails is logged only: the mail itself is stored, so that delivered
    /// again it is recognised, and reported as a duplicate.
    pub async fn save_outcome(self, app: &App, outcome: &str) {
        let Self { key, digest, now } = self;
        let response = SavedResponse {
            request_digest: digest,
            status: 200,
            content_type: "text/plain".to_owned(),
            retry_after: None,
            body: outcome.to_owned(),
        };
        let saving = app.store.write(move |tx| {
            let (key, response) = (key.clone(), response.clone());
            Box::pin(async move { tx.save_response(&key.digest, &response, now).await })
        });
        if let Err(error) = saving.await {
            tracing::warn!(error = error.with_causes(), "the outcome of a posted mail could not be kept");
        }
    }
}

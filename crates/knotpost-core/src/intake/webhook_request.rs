//! Idempotency of inbound webhook requests: a repeated request gets its first outcome.

use crate::app::App;
use crate::mailing::{ReturnPath, WebhookMail, WebhookOutcome};
use knotpost_model::Millis;
use knotpost_platform::secret::{Purpose, to_hex};
use knotpost_storage::{RequestKey, SavedResponse, Store, StoreError};

/// Lifetime of a stored outcome; the mail itself is recognised for longer.
const OUTCOME_STORED_MS: i64 = 86_400_000;

#[derive(Debug)]
pub struct WebhookRequest {
    /// Digest of the `Idempotency-Key`, or else of the whole request.
    key: RequestKey,
    digest: String,
    now: Millis,
}

impl WebhookRequest {
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

    /// `None`: a new request.
    pub async fn find_outcome(&self, store: &Store) -> Result<Option<WebhookOutcome>, StoreError> {
        let saved = store.query().await?.saved_response(&self.key).await?;
        Ok(saved.map(|saved| {
            if saved.request_digest == self.digest {
                WebhookOutcome::Taken { outcome: saved.body }
            } else {
                WebhookOutcome::OtherMessage
            }
        }))
    }

    /// Stores the outcome. A failure is only logged: a repeated mail is reported as a duplicate.
    pub async fn save_outcome(self, store: &Store, outcome: &str) {
        let Self { key, digest, now } = self;
        let response = SavedResponse {
            request_digest: digest,
            status: 200,
            content_type: "text/plain".to_owned(),
            retry_after: None,
            body: outcome.to_owned(),
        };
        let saving = store.write(async move |tx| tx.save_response(&key.digest, &response, now).await);
        if let Err(error) = saving.await {
            tracing::warn!(error = error.with_causes(), "the outcome of a posted mail could not be kept");
        }
    }
}

//! Mail that web hooks deliver: the same request again has the outcome it had, and is not processed twice.
//!
//! Knows nothing of HTTP; the web translates requests.

use futures_util::future::BoxFuture;

use crate::inbound::intake::{Envelope, Intake, Receipt, RecipientVerdict, Way};
use crate::inbound::mail_intake::MailIntake;
use crate::inbound::parse::parse;
use crate::inbound::read::addressed::addressed;
use knotpost_core::mailing::{ReturnPath, WebhookIntake, WebhookMail, WebhookOutcome};
use knotpost_platform::secret::{Purpose, to_hex};
use knotpost_storage::{RequestKey, SavedResponse, StoreError};

/// How long the outcome of a request is stored; the mail itself is recognised for longer.
const OUTCOME_KEPT_MS: i64 = 86_400_000;

impl WebhookIntake for MailIntake {
    fn take_webhook_mail(&self, mail: WebhookMail) -> BoxFuture<'_, Result<WebhookOutcome, StoreError>> {
        Box::pin(self.take_once(mail))
    }
}

impl MailIntake {
    async fn take_once(&self, mail: WebhookMail) -> Result<WebhookOutcome, StoreError> {
        let app = &self.app;
        let (key, request) = self.digests(&mail);
        let now = app.clock.now();
        let key = RequestKey { digest: key, since: now.plus(-OUTCOME_KEPT_MS) };
        let saved = app.store.query().await?.saved_response(&key).await?;
        if let Some(saved) = saved {
            return Ok(if saved.request_digest == request {
                WebhookOutcome::Taken { outcome: saved.body }
            } else {
                WebhookOutcome::OtherMessage
            });
        }
        let envelope = match self.address(&mail) {
            Ok(envelope) => envelope,
            Err(refused) => return Ok(refused),
        };
        let outcome = match self.receive(envelope, mail.raw).await {
            Receipt::Stored { text } => text,
            Receipt::Refused { enhanced, text, .. } => return Ok(WebhookOutcome::Refused { enhanced, text }),
            Receipt::TryLater { text, .. } => return Ok(WebhookOutcome::TryLater { text }),
        };
        let response = SavedResponse {
            request_digest: request,
            status: 200,
            content_type: "text/plain".to_owned(),
            retry_after: None,
            body: outcome.clone(),
        };
        let saving = app.store.write(move |tx| {
            let (key, response) = (key.clone(), response.clone());
            Box::pin(async move { tx.save_response(&key.digest, &response, now).await })
        });
        // The mail itself is stored: delivered again it is recognised, and reported as a duplicate.
        if let Err(error) = saving.await {
            tracing::warn!(error = error.with_causes(), "the outcome of a posted mail could not be kept");
        }
        Ok(WebhookOutcome::Taken { outcome })
    }

    /// The key under which an outcome is stored, and the digest of the complete request.
    fn digests(&self, mail: &WebhookMail) -> (String, String) {
        let digest = |parts: &[&[u8]]| to_hex(&self.app.secret.digest(Purpose::Idempotency, parts));
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
        (key, request)
    }

    /// The envelope of a message; the refusal of one without a recipient here.
    fn address(&self, mail: &WebhookMail) -> Result<Envelope, WebhookOutcome> {
        let message = parse(&mail.raw).unwrap_or_default();
        let recipients = if mail.recipients.is_empty() {
            addressed(&message, &self.app.own)
        } else {
            self.ours(&mail.recipients)?
        };
        let mail_from = match &mail.return_path {
            ReturnPath::OfMessage => message.envelope_sender().map(ToOwned::to_owned),
            ReturnPath::Null => None,
            ReturnPath::Address(address) => Some(address.clone()),
        };
        // The client is the provider; the host that sent the mail is not known.
        Ok(Envelope { way: Way::Http, peer: None, helo: None, mail_from, recipients })
    }

    /// Those addresses that are ours; the first refusal when there is none.
    fn ours(&self, recipients: &[String]) -> Result<Vec<String>, WebhookOutcome> {
        let mut ours = Vec::new();
        let mut refused = None;
        for address in recipients {
            let refusal = match self.recipient(address) {
                RecipientVerdict::Accepted => {
                    ours.push(address.clone());
                    continue;
                }
                RecipientVerdict::Unknown { text } => WebhookOutcome::Refused { enhanced: "5.1.1", text },
                RecipientVerdict::NotOurs => WebhookOutcome::Refused {
                    enhanced: "5.7.1",
                    text: format!("{address} is not an address of this server"),
                },
                RecipientVerdict::TryLater { text } => WebhookOutcome::TryLater { text },
            };
            refused.get_or_insert(refusal);
        }
        match refused {
            Some(refused) if ours.is_empty() => Err(refused),
            _ => Ok(ours),
        }
    }
}

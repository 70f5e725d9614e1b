//! Messages that web hooks post: the same message again has the outcome it had.

use futures_util::future::BoxFuture;

use super::addressed::addressed;
use super::parse::parse;
use super::pipeline::Desk;
use super::smtp::{Envelope, Intake, Receipt, RecipientVerdict, Way};
use crate::secret::{Purpose, to_hex};
use crate::service::{Mailroom, Posted, PostedOutcome, ReturnPath};
use crate::store::{RequestKey, SavedResponse, StoreError};

/// How long an outcome is kept by itself; the mail is recognised for longer.
const KEPT_MS: i64 = 86_400_000;

impl Mailroom for Desk {
    fn take_posted(&self, posted: Posted) -> BoxFuture<'_, Result<PostedOutcome, StoreError>> {
        Box::pin(self.take_once(posted))
    }
}

impl Desk {
    async fn take_once(&self, posted: Posted) -> Result<PostedOutcome, StoreError> {
        let app = &self.app;
        let (key, request) = self.digests(&posted);
        let now = app.clock.now();
        let key = RequestKey { digest: key, since: now.plus(-KEPT_MS) };
        let saved = app.store.glance().await?.saved_response(&key).await?;
        if let Some(saved) = saved {
            return Ok(if saved.request_digest == request {
                PostedOutcome::Taken { outcome: saved.body }
            } else {
                PostedOutcome::OtherMessage
            });
        }
        let envelope = match self.address(&posted) {
            Ok(envelope) => envelope,
            Err(refused) => return Ok(refused),
        };
        let outcome = match self.receive(envelope, posted.raw).await {
            Receipt::Stored { text } => text,
            Receipt::Refused { enhanced, text, .. } => return Ok(PostedOutcome::Refused { enhanced, text }),
            Receipt::TryLater { text, .. } => return Ok(PostedOutcome::TryLater { text }),
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
        // The mail itself is stored: posted again it would be recognised, and be called a duplicate.
        if let Err(error) = saving.await {
            tracing::warn!(error = error.with_causes(), "the outcome of a posted mail could not be kept");
        }
        Ok(PostedOutcome::Taken { outcome })
    }

    /// The key an outcome is kept under, and the digest of the whole request.
    fn digests(&self, posted: &Posted) -> (String, String) {
        let digest = |parts: &[&[u8]]| to_hex(&self.app.secret.digest(Purpose::Idempotency, parts));
        let from = match &posted.return_path {
            ReturnPath::OfMessage => "of the message".to_owned(),
            ReturnPath::Null => "<>".to_owned(),
            ReturnPath::Address(address) => format!("<{address}>"),
        };
        let to = posted.recipients.join("\n");
        let request = digest(&[b"posted mail", from.as_bytes(), to.as_bytes(), &posted.raw]);
        let key = match &posted.key {
            Some(key) => digest(&[b"posted mail, key", key]),
            None => digest(&[b"posted mail, itself", request.as_bytes()]),
        };
        (key, request)
    }

    /// The envelope of a posted message; the refusal of one that is for nobody here.
    fn address(&self, posted: &Posted) -> Result<Envelope, PostedOutcome> {
        let message = parse(&posted.raw).unwrap_or_default();
        let recipients = if posted.recipients.is_empty() {
            addressed(&message, &self.app.own)
        } else {
            self.ours(&posted.recipients)?
        };
        let mail_from = match &posted.return_path {
            ReturnPath::OfMessage => message.envelope_sender().map(ToOwned::to_owned),
            ReturnPath::Null => None,
            ReturnPath::Address(address) => Some(address.clone()),
        };
        // The host that posts is the provider's; the one that sent the mail is not known here.
        Ok(Envelope { way: Way::Http, peer: None, helo: None, mail_from, recipients })
    }

    /// Those of the addresses that are ours; the first refusal when none is.
    fn ours(&self, recipients: &[String]) -> Result<Vec<String>, PostedOutcome> {
        let mut ours = Vec::new();
        let mut refused = None;
        for address in recipients {
            let refusal = match self.recipient(address) {
                RecipientVerdict::Accepted => {
                    ours.push(address.clone());
                    continue;
                }
                RecipientVerdict::Unknown { text } => PostedOutcome::Refused { enhanced: "5.1.1", text },
                RecipientVerdict::NotOurs => PostedOutcome::Refused {
                    enhanced: "5.7.1",
                    text: format!("{address} is not an address of this server"),
                },
                RecipientVerdict::TryLater { text } => PostedOutcome::TryLater { text },
            };
            refused.get_or_insert(refusal);
        }
        match refused {
            Some(refused) if ours.is_empty() => Err(refused),
            _ => Ok(ours),
        }
    }
}

//! Mail by webhook: a repeated request has its first outcome, and is not processed twice.

use futures_util::future::BoxFuture;

use crate::inbound::intake::{Envelope, Intake, Receipt};
use crate::inbound::mail_intake::MailIntake;
use crate::inbound::parse::parse;
use crate::inbound::read::addressed::addressed;
use knotpost_core::StoreError;
use knotpost_core::intake::{Way, WebhookRequest};
use knotpost_core::mailing::{ReturnPath, WebhookIntake, WebhookMail, WebhookOutcome};

impl WebhookIntake for MailIntake {
    fn take_webhook_mail(&self, mail: WebhookMail) -> BoxFuture<'_, Result<WebhookOutcome, StoreError>> {
        Box::pin(self.take_once(mail))
    }
}

impl MailIntake {
    async fn take_once(&self, mail: WebhookMail) -> Result<WebhookOutcome, StoreError> {
        let app = &self.app;
        let request = WebhookRequest::new(app, &mail);
        if let Some(outcome) = request.find_outcome(&app.store).await? {
            return Ok(outcome);
        }
        let receipt = match self.address(&mail) {
            Ok(envelope) => self.receive(envelope, mail.raw).await,
            Err(refused) => refused,
        };
        let outcome = match receipt {
            Receipt::Stored { text } => text,
            Receipt::Refused { enhanced, text, .. } => return Ok(WebhookOutcome::Refused { enhanced, text }),
            Receipt::TryLater { text, .. } => return Ok(WebhookOutcome::TryLater { text }),
        };
        request.save_outcome(&app.store, &outcome).await;
        Ok(WebhookOutcome::Taken { outcome })
    }

    /// Refuses a message without a recipient here.
    fn address(&self, mail: &WebhookMail) -> Result<Envelope, Receipt> {
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
        // The client is the provider; the host that sent the mail is unknown.
        Ok(Envelope { way: Way::Http, peer: None, helo: None, mail_from, recipients })
    }

    /// Keeps our own addresses; if there is none, returns the first refusal.
    fn ours(&self, recipients: &[String]) -> Result<Vec<String>, Receipt> {
        let mut ours = Vec::new();
        let mut refused = None;
        for address in recipients {
            match self.recipient(address).refuse(address) {
                None => ours.push(address.clone()),
                Some(refusal) if refused.is_none() => refused = Some(refusal),
                Some(_) => {}
            }
        }
        match refused {
            Some(refused) if ours.is_empty() => Err(refused),
            _ => Ok(ours),
        }
    }
}

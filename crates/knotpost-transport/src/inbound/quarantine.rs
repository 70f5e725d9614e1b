//! Quarantine: messages that cannot be processed and whose senders cannot be told.

use super::intake::Envelope;
use super::mail_intake::MailIntake;
use super::parse::parse;
use super::read::Mail;
use knotpost_core::StoreError;
use knotpost_core::intake::{Reason, UnreadMail, quarantine};

impl MailIntake {
    /// Stores the reason; the message only if configured.
    pub(super) async fn quarantine(
        &self,
        envelope: &Envelope,
        raw: &[u8],
        reason: Reason,
    ) -> Result<(), StoreError> {
        let message = parse(raw).ok().unwrap_or_default();
        let author = message.author().map(ToOwned::to_owned);
        let mail = UnreadMail { author, subject: message.subject, message_id: message.message_id };
        let arrival = envelope.arrival(raw, self.app.clock.now());
        quarantine(&self.app, mail, &arrival, reason).await
    }

    pub(super) fn refusal_reason(&self, envelope: &Envelope, raw: &[u8]) -> Reason {
        match Mail::read(&self.app, raw, envelope.mail_from.as_deref(), &envelope.recipients) {
            Err(refusal) => refusal.reason,
            // A readable message: its sender was refused.
            Ok(_) => Reason::Unauthenticated,
        }
    }
}

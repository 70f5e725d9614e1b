//! Quarantine: stores messages that cannot be processed, with a named reason, where their senders cannot be told.

use super::commit::count;
use super::commit::inbox_row::masked_recipients;
use super::intake::Envelope;
use super::mail_intake::MailIntake;
use super::parse::parse;
use super::read::Mail;
use super::reason::Reason;
use knotpost_core::config::KeepRaw;
use knotpost_storage::{NewInbox, StoreError};

impl MailIntake {
    /// Stores an inbox row that says why this message was not processed, and the sealed message where the configuration
    /// keeps those.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn quarantine(
        &self,
        envelope: &Envelope,
        raw: &[u8],
        reason: Reason,
    ) -> Result<(), StoreError> {
        let app = &self.app;
        let now = app.clock.now();
        let keep = app.config.inbound.keep_raw != KeepRaw::Never && !raw.is_empty();
        let message = parse(raw).ok().unwrap_or_default();
        let row = NewInbox {
            received_at: now,
            way: envelope.way.as_str(),
            peer: envelope.peer.map(|peer| peer.to_string()),
            mail_from: envelope.mail_from.clone(),
            recipients: masked_recipients(&app.own, &envelope.recipients),
            size: i64::try_from(raw.len()).unwrap_or(i64::MAX),
            sender: message.author().map(ToOwned::to_owned),
            subject: Some(knotpost_commands::mask_cautiously(&message.subject, &app.vocabulary)),
            message_id: message.message_id,
            text: None,
            raw: if keep { Some(self.seal(raw)?) } else { None },
            reason: None,
            verdicts: None,
            host: None,
        };
        app.store
            .write(move |tx| {
                let row = row.clone();
                Box::pin(async move {
                    let key = tx.insert_inbox(&row).await?;
                    tx.finish_inbox(key, "failed", reason.as_str(), keep, now).await.map(drop)
                })
            })
            .await?;
        count(reason);
        Ok(())
    }

    /// Why a message was refused, by the name that is stored.
    pub(super) fn refusal_reason(&self, envelope: &Envelope, raw: &[u8]) -> Reason {
        match Mail::read(&self.app, raw, envelope.mail_from.as_deref(), &envelope.recipients) {
            Err(refusal) => refusal.reason,
            // It can be read, so its sender was refused.
            Ok(_) => Reason::Unauthenticated,
        }
    }
}

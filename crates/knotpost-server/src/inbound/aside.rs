//! Mail that nobody will act on, kept with a named reason where its sender cannot be told any more.

use super::parse::parse;
use super::pipeline::{Desk, count};
use super::reason::Reason;
use super::smtp::Envelope;
use crate::config::KeepRaw;
use crate::store::{NewInbox, StoreError};

impl Desk {
    /// Stores an inbox row that says why this message was set aside, and the message, sealed, where the
    /// configuration keeps those.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn keep_aside(
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
            recipients: self.masked(&envelope.recipients),
            size: i64::try_from(raw.len()).unwrap_or(i64::MAX),
            sender: message.author().map(ToOwned::to_owned),
            subject: Some(knotpost_commands::mask_cautiously(&message.subject, &app.vocabulary)),
            message_id: message.message_id,
            text: None,
            raw: if keep { Some(app.secret.seal(app.entropy.as_ref(), raw)?) } else { None },
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

    /// Why a message was refused, by the name that is kept.
    pub(super) fn reason_of_refusal(&self, envelope: &Envelope, raw: &[u8]) -> Reason {
        match self.read(raw, envelope.mail_from.as_deref(), &envelope.recipients) {
            Err(refusal) => refusal.reason,
            // It could be read: then it was its sender who was refused.
            Ok(_) => Reason::Unauthenticated,
        }
    }
}

//! Quarantine: messages that cannot be processed and whose senders cannot be told, with a reason.

use std::sync::Arc;

use super::commit::{count_outcome, seal};
use super::inbox_row::masked_recipients;
use super::mail::Arrival;
use super::reason::Reason;
use crate::app::App;
use crate::config::KeepRaw;
use knotpost_storage::{NewInbox, StoreError};

#[derive(Debug, Default)]
pub struct UnreadMail {
    pub author: Option<String>,
    pub subject: String,
    /// Without brackets.
    pub message_id: Option<String>,
}

/// Stores a row with the reason, and the sealed message if configured.
pub async fn quarantine(
    app: &Arc<App>,
    mail: UnreadMail,
    arrival: &Arrival<'_>,
    reason: Reason,
) -> Result<(), StoreError> {
    let (raw, now) = (arrival.raw, arrival.now);
    let keeps_raw = app.config.inbound.keep_raw != KeepRaw::Never && !raw.is_empty();
    let row = NewInbox {
        received_at: now,
        way: arrival.way.as_str(),
        peer: arrival.peer.map(|peer| peer.to_string()),
        mail_from: arrival.mail_from.map(ToOwned::to_owned),
        recipients: masked_recipients(&app.own, arrival.recipients),
        size: i64::try_from(raw.len()).unwrap_or(i64::MAX),
        sender: mail.author,
        subject: Some(knotpost_commands::mask_cautiously(&mail.subject, &app.vocabulary)),
        message_id: mail.message_id,
        text: None,
        raw: if keeps_raw { Some(seal(app.entropy.as_ref(), &app.secret, raw)?) } else { None },
        reason: None,
        verdicts: None,
        host: None,
    };
    app.store
        .write(async move |tx| {
            let key = tx.insert_inbox(&row).await?;
            tx.finish_inbox(key, "failed", reason.as_str(), keeps_raw, now).await.map(drop)
        })
        .await?;
    count_outcome(reason);
    Ok(())
}

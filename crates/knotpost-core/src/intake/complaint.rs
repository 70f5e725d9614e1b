//! Commit of complaints about our mail: stored sealed, counted, and reported to the administrators daily.

use std::sync::Arc;

use super::mail::IncomingMail;
use super::postmaster::words_of;
use super::reason::Reason;
use crate::app::App;
use crate::mailing::postmaster::{About, ToPostmaster, hand_to_administrators};
use knotpost_model::{Address, Millis, OutboxKey};
use knotpost_storage::{NewInbox, ReadTx, StoreError};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Complaint {
    pub return_path: Option<(String, String)>,
    pub message_id: Option<String>,
    /// Recipient of the mail; can be forged.
    pub recipient: Option<Address>,
}

/// Stores and reports a complaint in one transaction. Its sender gets no mail.
pub(super) async fn commit_complaint(
    app: &Arc<App>,
    row: NewInbox,
    mail: &IncomingMail,
    complaint: Complaint,
    now: Millis,
) -> Result<(), StoreError> {
    let words = words_of(&row, mail);
    let row = NewInbox { reason: Some(Reason::Complaint.as_str()), ..row };
    app.write(async move |tx, app| {
        tx.insert_inbox(&row).await?;
        let about = find(tx, app, &complaint).await?;
        let words = ToPostmaster { about: Some(about), ..words.clone() };
        hand_to_administrators(tx, app, &words, now).await
    })
    .await?;
    app.signals.outbox.notify_one();
    Ok(())
}

async fn find(tx: &mut ReadTx, app: &App, complaint: &Complaint) -> Result<About, StoreError> {
    if let Some((id, signature)) = &complaint.return_path
        && let Ok(id) = id.parse::<i64>()
        && let Some(recipient) = tx.outbox_recipient(OutboxKey(id)).await?
        && app.links.is_bounce_signature(signature, id, &recipient)
    {
        return Ok(About { address: recipient, mail: Some(format!("number {id} of the outbox")) });
    }
    if let Some(id) = &complaint.message_id
        && let Some(origin) = tx.outbox_origin_by_id(id).await?
    {
        return Ok(About { address: origin.recipient, mail: Some(format!("with the Message-ID <{id}>")) });
    }
    let address = complaint.recipient.as_ref().map(ToString::to_string).unwrap_or_default();
    Ok(About { address, mail: None })
}

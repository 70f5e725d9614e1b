//! Mail to the people who run the server: kept, sealed, and handed to the administrators.

use std::sync::Arc;

use super::classify::Class;
use super::reason::Reason;
use crate::app::App;
use crate::domain::{Millis, OwnAddresses, Recipient, clean_line, limit_comment};
use crate::service::{ToPostmaster, hand_to_administrators};
use crate::store::{NewInbox, StoreError};
use knotpost_mail::Message;

/// Whether a mail is for the people who run the server, and for nobody else here.
pub(super) fn is_to_postmaster(own: &OwnAddresses, recipients: &[String]) -> bool {
    recipients.iter().all(|address| matches!(own.recipient(address), Some(Recipient::Postmaster)))
}

/// Stores a mail to the postmaster, and queues a copy of its text to each administrator, in one commit.
pub(super) async fn keep_for_postmaster(
    app: &Arc<App>,
    row: NewInbox,
    class: Class,
    message: &Message,
    dedupe_key: &str,
    now: Millis,
) -> Result<(), StoreError> {
    let words = ToPostmaster {
        from: clean_line(row.sender.as_deref().unwrap_or_default()),
        subject: clean_line(&message.subject).chars().take(200).collect(),
        text: limit_comment(message.text.as_deref().unwrap_or_default()),
    };
    let row = NewInbox { reason: Some(Reason::Postmaster.as_str()), ..row };
    let work = Arc::new((row, words, dedupe_key.to_owned()));
    let shared = Arc::clone(app);
    app.store
        .write(move |tx| {
            let (app, work) = (Arc::clone(&shared), Arc::clone(&work));
            Box::pin(async move {
                let (row, words, dedupe_key) = &*work;
                let key = tx.insert_inbox(row).await?;
                let since = now.plus(-super::pipeline::DEDUPE_MS);
                if class == Class::Person && tx.claim_mail(dedupe_key, key, since, now).await? {
                    hand_to_administrators(tx, &app, words, now).await?;
                }
                Ok(())
            })
        })
        .await?;
    app.signals.outbox.notify_one();
    Ok(())
}

//! Commit of mail to the operators: stored sealed, and copied to the administrators.

use std::sync::Arc;

use super::DEDUPE_MS;
use super::mail::{Class, IncomingMail};
use super::reason::Reason;
use crate::app::App;
use crate::mailing::postmaster::{ToPostmaster, hand_to_administrators};
use knotpost_model::{Millis, clean_line, limit_comment};
use knotpost_storage::{NewInbox, StoreError};

pub(super) fn words_of(row: &NewInbox, mail: &IncomingMail) -> ToPostmaster {
    ToPostmaster {
        from: clean_line(row.sender.as_deref().unwrap_or_default()),
        to: clean_line(row.recipients.lines().next().unwrap_or_default()),
        subject: clean_line(&mail.subject).chars().take(200).collect(),
        text: limit_comment(mail.text.as_deref().unwrap_or_default()),
        about: None,
    }
}

/// Stores mail to the postmaster and queues a copy for each administrator, in one transaction.
pub(super) async fn commit_postmaster_mail(
    app: &Arc<App>,
    row: NewInbox,
    mail: &IncomingMail,
    now: Millis,
) -> Result<(), StoreError> {
    let words = words_of(&row, mail);
    let row = NewInbox { reason: Some(Reason::Postmaster.as_str()), ..row };
    let class = mail.class;
    // A key of its own: the same mail may also have gone to the games, and be executed there.
    let dedupe_key = format!("postmaster {}", mail.dedupe_key);
    app.write(async move |tx, app| {
        let key = tx.insert_inbox(&row).await?;
        let since = now.plus(-DEDUPE_MS);
        if class == Class::Person && tx.claim_mail(&dedupe_key, key, since, now).await? {
            hand_to_administrators(tx, app, &words, now).await?;
        }
        Ok::<_, StoreError>(())
    })
    .await?;
    app.signals.outbox.notify_one();
    Ok(())
}

//! Mail that comes to one of our return paths: a report about a mail of ours, or a program that takes the return
//! path for its correspondent. Neither is obeyed or answered.

use std::sync::Arc;

use super::bounce::read_report;
use super::classify::Class;
use super::reason::Reason;
use super::smtp::Envelope;
use crate::app::App;
use crate::domain::{Millis, OwnAddresses, Recipient, Trouble};
use crate::service::{BounceOutcome, record_report};
use crate::store::{NewInbox, StoreError};
use knotpost_mail::Message;

/// A mail of a program to a return path.
#[derive(Clone, Debug)]
pub(super) struct Returned {
    id: String,
    signature: String,
    trouble: Option<Trouble>,
}

/// Whether one of these is a return path of ours, genuine or not.
pub(super) fn is_to_return_path(own: &OwnAddresses, recipients: &[String]) -> bool {
    recipients.iter().any(|address| matches!(own.recipient(address), Some(Recipient::Bounce { .. })))
}

/// Reads a mail of a program that came to a return path; `None`: any other mail.
pub(super) fn read_returned(
    own: &OwnAddresses,
    envelope: &Envelope,
    class: Class,
    message: &Message,
    raw: &[u8],
) -> Option<Returned> {
    let Class::Automatic(_) = class else { return None };
    let (id, signature) = envelope.recipients.iter().find_map(|address| match own.recipient(address) {
        Some(Recipient::Bounce { id, sig }) => Some((id, sig)),
        _ => None,
    })?;
    Some(Returned { id, signature, trouble: read_report(raw, message, envelope.mail_from.as_deref()) })
}

/// Stores the mail and counts what it says, in one commit.
pub(super) async fn keep_returned(
    app: &Arc<App>,
    row: NewInbox,
    returned: Returned,
    now: Millis,
) -> Result<Reason, StoreError> {
    let shared = Arc::clone(app);
    app.store
        .write(move |tx| {
            let (app, mut row, returned) = (Arc::clone(&shared), row.clone(), returned.clone());
            Box::pin(async move {
                let reason = match &returned.trouble {
                    None => Reason::BounceUnclear,
                    Some(trouble) => {
                        let path = (returned.id.as_str(), returned.signature.as_str());
                        match record_report(tx, &app.links, path, trouble, now).await? {
                            BounceOutcome::Recorded | BounceOutcome::Stopped => Reason::BounceRecorded,
                            BounceOutcome::Repeated => Reason::BounceRepeated,
                            BounceOutcome::Unknown => Reason::BounceUnknown,
                        }
                    }
                };
                row.reason = Some(reason.as_str());
                row.text = returned.trouble.map(|trouble| trouble.said);
                tx.insert_inbox(&row).await?;
                Ok(reason)
            })
        })
        .await
}

//! Commits reports about our own mails.

use std::sync::Arc;

use crate::inbound::read::returned::Returned;
use crate::inbound::reason::Reason;
use knotpost_core::app::App;
use knotpost_core::mailing::{BounceOutcome, record_report};
use knotpost_model::Millis;
use knotpost_storage::{NewInbox, StoreError};

/// Stores a report and records the failure it reports, in one transaction.
pub(in crate::inbound) async fn commit_bounce(
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

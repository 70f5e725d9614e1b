//! Commit of bounces of our own mails.

use std::sync::Arc;

use super::reason::Reason;
use crate::app::App;
use crate::mailing::bounces::{BounceOutcome, record_report};
use knotpost_model::{Failure, Millis};
use knotpost_storage::{NewInbox, StoreError};

#[derive(Clone, Debug)]
pub struct Returned {
    pub id: String,
    pub signature: String,
    /// Reported failures; empty: none understood.
    pub failures: Vec<Failure>,
}

/// Stores a bounce and records its failures, in one transaction.
pub(super) async fn commit_bounce(
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
                let path = (returned.id.as_str(), returned.signature.as_str());
                let reason = match record_report(tx, &app.links, path, &returned.failures, now).await? {
                    BounceOutcome::Unclear => Reason::BounceUnclear,
                    BounceOutcome::Recorded | BounceOutcome::Stopped => Reason::BounceRecorded,
                    BounceOutcome::Repeated => Reason::BounceRepeated,
                    BounceOutcome::Unknown => Reason::BounceUnknown,
                };
                row.reason = Some(reason.as_str());
                row.text = returned.failures.first().map(|failure| failure.trouble.said.clone());
                tx.insert_inbox(&row).await?;
                Ok(reason)
            })
        })
        .await
}

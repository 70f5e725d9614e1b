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
    app.write(async move |tx, app| {
        let path = (returned.id.as_str(), returned.signature.as_str());
        let reason = match record_report(tx, &app.links, path, &returned.failures, now).await? {
            BounceOutcome::Unclear => Reason::BounceUnclear,
            BounceOutcome::Recorded => Reason::BounceRecorded,
            BounceOutcome::Repeated => Reason::BounceRepeated,
            BounceOutcome::Unknown => Reason::BounceUnknown,
        };
        let text = returned.failures.first().map(|failure| failure.trouble.said.clone());
        tx.insert_inbox(&NewInbox { reason: Some(reason.as_str()), text, ..row.clone() }).await?;
        Ok(reason)
    })
    .await
}

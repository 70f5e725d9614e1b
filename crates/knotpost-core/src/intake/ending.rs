//! Commit of mails that can only end mail, whoever or whatever sent them.

use std::sync::Arc;

use super::reason::Reason;
use crate::app::App;
use crate::boards::ServiceError;
use crate::identity::confirming;
use crate::mailing::reply_grant::{Claim, find_answered};
use crate::mailing::unsubscribe;
use crate::requests::link_reply::LinkReply;
use knotpost_model::Millis;
use knotpost_storage::{NewInbox, StoreError, WriteTx};

/// Mail neither executed nor answered, at an address entitled to end something.
#[derive(Clone, Debug)]
pub struct Ending {
    pub claim: Claim,
    pub line: String,
    /// Reason recorded if it ends nothing.
    pub otherwise: Reason,
}

pub(super) async fn commit_ending(
    app: &Arc<App>,
    row: NewInbox,
    ending: Ending,
    now: Millis,
) -> Result<Reason, StoreError> {
    let reason = app.write(async move |tx, app| {
        let reason = if end(tx, app, &ending, now).await? { Reason::Executed } else { ending.otherwise };
        tx.insert_inbox(&NewInbox { reason: Some(reason.as_str()), ..row.clone() }).await?;
        Ok::<_, StoreError>(reason)
    });
    let reason = reason.await?;
    app.signals.outbox.notify_one();
    Ok(reason)
}

async fn end(tx: &mut WriteTx, app: &App, ending: &Ending, now: Millis) -> Result<bool, StoreError> {
    let mails = find_answered(tx, &app.secret, &ending.claim).await?;
    let reply = LinkReply::read(tx, &mails, &ending.line, now).await?;
    let done = match reply.filter(LinkReply::only_ends) {
        Some(LinkReply::Unsubscribe(wanted)) => unsubscribe::accept(tx, app, &wanted, now).await.map(drop),
        Some(LinkReply::Confirm(answered)) => match confirming::decline(tx, app, &answered, now).await {
            Ok(_) | Err(ServiceError::Refused(_)) => Ok(()),
            Err(ServiceError::Store(error)) => Err(error),
        },
        Some(LinkReply::Undo(_)) | None => return Ok(false),
    };
    done.map(|()| true)
}

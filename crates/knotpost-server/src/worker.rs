//! Loops that do waiting work: received mail, outgoing mail, tidying up. Each takes one piece after
//! the other, and between two pieces looks whether it should stop.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::app::App;
use crate::inbound::Desk;
use crate::outbound::{Transport, queue};
use crate::store::StoreError;

/// How often a worker looks by itself: for work that is due later, or that another process left.
const POLL: Duration = Duration::from_millis(500);
/// How long a worker rests after a failure of the database.
const REST: Duration = Duration::from_secs(2);
/// How often old outcomes are deleted.
const PRUNE: Duration = Duration::from_mins(10);

/// Processes received mail until it is told to stop.
pub async fn work_inbox(desk: Arc<Desk>, app: Arc<App>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let done = desk.process_next().await;
        rest(done, &app.signals.inbox, &stop, "the inbox").await;
    }
}

/// Sends outgoing mail until it is told to stop.
pub async fn work_outbox(app: Arc<App>, transport: Arc<Transport>, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let done = queue::send_next(&app, &transport).await;
        rest(done, &app.signals.outbox, &stop, "the outbox").await;
    }
}

/// Goes straight on after a piece of work; without one, waits for a sign or a while.
async fn rest(done: Result<bool, StoreError>, sign: &Notify, stop: &CancellationToken, what: &str) {
    let pause = match done {
        Ok(true) => return,
        Ok(false) => POLL,
        Err(error) => {
            tracing::error!(%error, "{what} cannot be worked on");
            REST
        }
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = sign.notified() => {}
        () = tokio::time::sleep(pause) => {}
    }
}

/// Deletes outcomes that are older than they are kept, a batch at a time.
pub async fn work_retention(app: Arc<App>, stop: CancellationToken) {
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(PRUNE) => {}
        }
        if let Err(error) = prune(&app).await {
            tracing::error!(%error, "old mails could not be deleted");
        }
    }
}

/// Deletes one batch of everything that is old enough.
///
/// # Errors
/// When the database fails.
pub async fn prune(app: &App) -> Result<(), StoreError> {
    const DAY: i64 = 86_400_000;
    let now = app.clock.now();
    let kept = &app.config.retention;
    let (inbox, outbox) = (i64::from(kept.inbox_days), i64::from(kept.outbox_days));
    app.store
        .write(move |tx| {
            Box::pin(async move {
                tx.prune_inbox(now.plus(-7 * DAY), now.plus(-inbox * DAY)).await?;
                tx.prune_outbox(now.plus(-outbox * DAY)).await?;
                tx.prune_responses(now.plus(-2 * DAY)).await
            })
        })
        .await
}

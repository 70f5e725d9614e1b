//! What monitoring and caches ask about the database.

use crate::app::App;
pub use knotpost_storage::Readiness;
use knotpost_storage::StoreError;

/// How much waits in the queues of the database. A number that could not be read is `None`.
#[derive(Clone, Copy, Debug)]
pub struct QueueLengths {
    /// Received mails that wait.
    pub inbox: Option<i64>,
    /// Outgoing mails that wait.
    pub outbox: Option<i64>,
    /// Webhook events that wait.
    pub webhook_events: Option<i64>,
    /// How long the oldest due mail of the inbox has been due, in milliseconds; 0 when none is late.
    pub inbox_late_ms: i64,
}

/// Whether the database answers and accepts writes.
///
/// # Errors
/// When the database does not answer.
pub async fn view_readiness(app: &App) -> Result<Readiness, StoreError> {
    app.store.readiness().await
}

/// How much waits in the queues; `None` when the database cannot be read.
pub async fn view_queue_lengths(app: &App) -> Option<QueueLengths> {
    let mut tx = app.store.read().await.ok()?;
    let inbox = tx.count_waiting_inbox().await.ok();
    let outbox = tx.count_waiting_outbox().await.ok();
    let webhook_events = tx.count_waiting_hook_events().await.ok();
    let now = app.clock.now();
    let due = tx.next_inbox_due().await.ok().flatten();
    let inbox_late_ms = due.map_or(0, |due| now.0.saturating_sub(due).max(0));
    Some(QueueLengths { inbox, outbox, webhook_events, inbox_late_ms })
}

/// A number that changes with every commit, whichever process makes it; `None`: the database has no such number.
///
/// # Errors
/// When the database fails.
pub fn view_data_version(app: &App) -> Result<Option<i64>, StoreError> {
    app.store.data_version()
}

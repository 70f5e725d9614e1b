//! What monitoring and caches ask about the database.

use crate::app::App;
use knotpost_model::Millis;
use knotpost_storage::StoreError;
pub use knotpost_storage::{Readiness, RecentPeers};

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

/// What the database says about the machine and the way mail comes in, for those who look after the server.
#[derive(Clone, Debug)]
pub struct Traces {
    /// What time it is for the database, where it has a clock of its own.
    pub time_of_database: Option<Millis>,
    /// The latest moment that a server has noted in it.
    pub last_noted: Option<Millis>,
    /// The hosts that handed over the newest mails.
    pub peers: RecentPeers,
}

/// Reads them.
///
/// # Errors
/// When the database fails.
pub async fn view_traces(app: &App) -> Result<Traces, StoreError> {
    let mut tx = app.store.read().await?;
    let alive = tx.duties().await?.iter().map(|duty| duty.alive_at.0).max();
    let last_noted = alive.max(tx.last_received_at().await?).map(Millis);
    let time_of_database = tx.database_time().await?;
    Ok(Traces { time_of_database, last_noted, peers: tx.recent_peers().await? })
}

/// A number that changes with every commit, whichever process makes it; `None`: the database has no such number.
///
/// # Errors
/// When the database fails.
pub fn view_data_version(app: &App) -> Result<Option<i64>, StoreError> {
    app.store.data_version()
}

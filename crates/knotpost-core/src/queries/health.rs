//! What monitoring and caches ask about the database.

use crate::app::App;
use knotpost_model::{BoardState, Millis};
use knotpost_storage::StoreError;
pub use knotpost_storage::{Readiness, RecentPeers};

/// Whether the database took writes when that was seen last. Asks nothing.
pub fn is_database_working(app: &App) -> bool {
    app.store.is_working()
}

/// How many connections to PostgreSQL are in use and how many are idle; `None`: on SQLite.
pub fn database_connections(app: &App) -> Option<(u32, u32)> {
    app.store.connections()
}

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
    /// The same of the outbox.
    pub outbox_late_ms: i64,
    /// Turns of computer players that no server is deciding on, up to 100.
    pub bot_turns: Option<i64>,
    /// When the last mail came in, in milliseconds; 0: never.
    pub last_received: i64,
    /// When the last one left.
    pub last_sent: i64,
}

/// How many turns of computer players are counted, as [`QueueLengths::bot_turns`] says.
const MOST_BOT_TURNS: i64 = 100;

/// What the database holds.
#[derive(Clone, Debug)]
pub struct Stock {
    /// Boards by the name of their state; every state is there.
    pub boards: Vec<(&'static str, i64)>,
    /// Moves on all boards.
    pub moves: i64,
    pub users: i64,
    /// Addresses that get no mail any more because it came back.
    pub stopped: i64,
    /// Bytes of the database.
    pub bytes: i64,
}

/// Counts what the database holds, for which whole tables are read; `None` when that fails.
pub async fn view_stock(app: &App) -> Option<Stock> {
    let mut tx = app.store.read().await.ok()?;
    let rows = tx.count_boards_by_state().await.ok()?;
    let boards = BoardState::ALL.iter().map(|state| {
        let row = rows.iter().find(|row| row.state == state.as_str());
        (state.as_str(), row.map_or(0, |row| row.boards))
    });
    let boards = boards.collect();
    let moves = rows.iter().map(|row| row.moves).sum();
    let (users, bytes) = (tx.count_users().await.ok()?, tx.database_bytes().await.ok()?);
    let stopped = tx.count_stopped_addresses().await.ok()?;
    Some(Stock { boards, moves, users, stopped, bytes })
}

/// Returns true if somebody has signed up: computer players are there from the first start.
///
/// # Errors
/// The database fails.
pub async fn has_people(app: &App) -> Result<bool, StoreError> {
    app.store.read().await?.has_people().await
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
    let late = |due: Option<i64>| due.map_or(0, |due| now.0.saturating_sub(due).max(0));
    let inbox_late_ms = late(due);
    let outbox_late_ms = late(tx.next_outbox_due().await.ok().flatten());
    let bot_turns = tx.bot_turns(now, MOST_BOT_TURNS).await.ok().map(|turns| turns.len() as i64);
    let last_received = tx.last_received_at().await.ok().flatten().unwrap_or_default();
    let last_sent = tx.last_sent_at().await.ok().flatten().unwrap_or_default();
    Some(QueueLengths {
        inbox,
        outbox,
        webhook_events,
        inbox_late_ms,
        outbox_late_ms,
        bot_turns,
        last_received,
        last_sent,
    })
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
pub async fn view_traces(app: &App) -> Result<Traces, StoreError> {
    let mut tx = app.store.read().await?;
    let alive = tx.duties().await?.iter().map(|duty| duty.alive_at.0).max();
    let last_noted = alive.max(tx.last_received_at().await?).map(Millis);
    let time_of_database = tx.database_time().await?;
    Ok(Traces { time_of_database, last_noted, peers: tx.recent_peers().await? })
}

/// A number that changes with every commit, whichever process makes it; `None`: the database has no such number.
pub async fn view_data_version(app: &App) -> Result<Option<i64>, StoreError> {
    app.store.data_version().await
}

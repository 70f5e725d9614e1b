//! Database facts for monitoring and caches.

use knotpost_model::{BoardState, Millis};
use knotpost_platform::clock::Clock;
pub use knotpost_storage::{Readiness, RecentPeers};
use knotpost_storage::{Store, StoreError};

/// Last known state, without a query.
pub fn is_database_working(store: &Store) -> bool {
    store.is_working()
}

/// PostgreSQL connections in use and idle; `None` on SQLite.
pub fn database_connections(store: &Store) -> Option<(u32, u32)> {
    store.connections()
}

/// Queue lengths; `None`: could not be read.
#[derive(Clone, Copy, Debug)]
pub struct QueueLengths {
    pub inbox: Option<i64>,
    pub outbox: Option<i64>,
    pub webhook_events: Option<i64>,
    /// Milliseconds since the oldest waiting mail was due; 0: none is late.
    pub inbox_late_ms: i64,
    /// As `inbox_late_ms`.
    pub outbox_late_ms: i64,
    /// Unleased turns of computer players, counted up to 100.
    pub bot_turns: Option<i64>,
    /// Tournaments that have been due for five minutes.
    pub late_tournaments: Option<i64>,
    /// Unix milliseconds; 0: never.
    pub last_received: i64,
    /// Unix milliseconds; 0: never.
    pub last_sent: i64,
}

/// Maximum counted, see [`QueueLengths::bot_turns`].
const MOST_BOT_TURNS: i64 = 100;
/// No deadline of a tournament waits longer on a server that works.
const LATE_MS: i64 = 300_000;

#[derive(Clone, Debug)]
pub struct Stock {
    /// By name of the state, all states included.
    pub boards: Vec<(&'static str, i64)>,
    pub moves: i64,
    pub users: i64,
    pub stopped: i64,
    pub bytes: i64,
}

/// Counts over whole tables; `None` on failure.
pub async fn view_stock(store: &Store) -> Option<Stock> {
    let mut tx = store.read().await.ok()?;
    let rows = tx.count_boards_by_state().await.ok()?;
    let boards = BoardState::ALL.iter().map(|state| {
        let row = rows.iter().find(|row| row.state == state.as_str());
        (state.as_str(), row.map_or(0, |row| row.boards))
    });
    Some(Stock {
        boards: boards.collect(),
        moves: rows.iter().map(|row| row.moves).sum(),
        users: tx.count_users().await.ok()?,
        bytes: tx.database_bytes().await.ok()?,
        stopped: tx.count_stopped_addresses().await.ok()?,
    })
}

/// True if a person has signed up; computer players exist from the first start.
pub async fn has_people(store: &Store) -> Result<bool, StoreError> {
    store.read().await?.has_people().await
}

/// Checks that the database answers and accepts writes.
pub async fn view_readiness(store: &Store) -> Result<Readiness, StoreError> {
    store.readiness().await
}

pub async fn view_queue_lengths(store: &Store, clock: &dyn Clock) -> Option<QueueLengths> {
    let mut tx = store.read().await.ok()?;
    let now = clock.now();
    let late = |due: Option<i64>| due.map_or(0, |due| now.0.saturating_sub(due).max(0));
    Some(QueueLengths {
        inbox: tx.count_waiting_inbox().await.ok(),
        outbox: tx.count_waiting_outbox().await.ok(),
        webhook_events: tx.count_waiting_hook_events().await.ok(),
        inbox_late_ms: late(tx.next_inbox_due().await.ok().flatten()),
        outbox_late_ms: late(tx.next_outbox_due().await.ok().flatten()),
        bot_turns: tx.bot_turns(now, MOST_BOT_TURNS).await.ok().map(|turns| turns.len() as i64),
        late_tournaments: tx.count_due_tournaments(now.plus(-LATE_MS)).await.ok(),
        last_received: tx.last_received_at().await.ok().flatten().unwrap_or_default(),
        last_sent: tx.last_sent_at().await.ok().flatten().unwrap_or_default(),
    })
}

/// Evidence about this machine's clock and the incoming mail, for `doctor`.
#[derive(Clone, Debug)]
pub struct Traces {
    pub time_of_database: Option<Millis>,
    /// Latest time stored by any server.
    pub last_noted: Option<Millis>,
    pub peers: RecentPeers,
}

pub async fn view_traces(store: &Store) -> Result<Traces, StoreError> {
    let mut tx = store.read().await?;
    let alive = tx.duties().await?.iter().map(|duty| duty.alive_at.0).max();
    let last_noted = alive.max(tx.last_received_at().await?).map(Millis);
    let time_of_database = tx.database_time().await?;
    Ok(Traces { time_of_database, last_noted, peers: tx.recent_peers().await? })
}

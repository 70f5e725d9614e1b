//! How the server is doing, in numbers that cost little however large it is.

use crate::app::App;
use crate::boards::ServiceError;
use crate::queries::views::view_games;
use crate::replies::GameCount;
use knotpost_model::Millis;
use knotpost_storage::{Deadline, DutyLine, WaitingBroadcast};

/// Boards and broadcasts that a look at the jobs shows.
const LINES: i64 = 50;

/// What waits in a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueFacts {
    /// How many mails.
    pub waiting: i64,
    /// When the first of them is due.
    pub oldest_due: Option<Millis>,
    /// When the last one came or left.
    pub last: Option<Millis>,
}

/// How the server is doing.
#[derive(Clone, Debug)]
pub struct Overview {
    /// Its version.
    pub version: &'static str,
    /// Its time.
    pub now: Millis,
    /// Received mail.
    pub inbox: QueueFacts,
    /// Outgoing mail.
    pub outbox: QueueFacts,
    /// Bytes of the database.
    pub database_bytes: i64,
    /// Whether several processes may use the database.
    pub is_shared: bool,
    /// Its games.
    pub games: Vec<GameCount>,
    /// Work that one process does for all.
    pub duties: Vec<DutyLine>,
}

/// What the server has to do by itself.
#[derive(Clone, Debug)]
pub struct Jobs {
    /// Its time.
    pub now: Millis,
    /// Boards that the clock looks at next.
    pub deadlines: Vec<Deadline>,
    /// Work that one process does for all.
    pub duties: Vec<DutyLine>,
    /// Broadcasts on their way.
    pub broadcasts: Vec<WaitingBroadcast>,
    /// When the next mail of the day is due.
    pub next_digest: Option<Millis>,
}

/// How the server is doing.
///
/// # Errors
/// When the database fails.
pub async fn view_overview(app: &App) -> Result<Overview, ServiceError> {
    let games = view_games(app).await?;
    let mut tx = app.store.read().await?;
    let inbox = QueueFacts {
        waiting: tx.count_waiting_inbox().await?,
        oldest_due: tx.next_inbox_due().await?.map(Millis),
        last: tx.last_received_at().await?.map(Millis),
    };
    let outbox = QueueFacts {
        waiting: tx.count_waiting_outbox().await?,
        oldest_due: tx.next_outbox_due().await?.map(Millis),
        last: tx.last_sent_at().await?.map(Millis),
    };
    Ok(Overview {
        version: env!("CARGO_PKG_VERSION"),
        now: app.clock.now(),
        inbox,
        outbox,
        database_bytes: tx.database_bytes().await?,
        is_shared: app.store.is_shared(),
        games,
        duties: tx.duties().await?,
    })
}

/// What the server has to do by itself.
///
/// # Errors
/// When the database fails.
pub async fn view_jobs(app: &App) -> Result<Jobs, ServiceError> {
    let mut tx = app.store.read().await?;
    Ok(Jobs {
        now: app.clock.now(),
        deadlines: tx.next_deadlines(LINES).await?,
        duties: tx.duties().await?,
        broadcasts: tx.waiting_broadcasts(LINES).await?,
        next_digest: tx.next_digest_due().await?.map(Millis),
    })
}

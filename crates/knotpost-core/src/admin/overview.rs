//! How the server is doing, in numbers that cost little however large it is.

use super::servers::{ServerLine, list_servers};
use crate::app::App;
use crate::boards::ServiceError;
use crate::queries::views::view_games;
use crate::replies::GameCount;
use knotpost_model::Millis;
use knotpost_platform::build::VERSION;
use knotpost_storage::{ReadTx, StoreError};

/// Boards and broadcasts that a look at the jobs shows.
const LINES: i64 = 50;

/// A mail that has waited for as long is late.
pub const LATE_MS: i64 = 10 * 60_000;

/// What waits in a queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueFacts {
    /// How many mails.
    pub waiting: i64,
    /// How many of them have waited for longer than [`LATE_MS`].
    pub late: i64,
    /// When the first of them is due.
    pub oldest_due: Option<Millis>,
    /// When the last one came or left.
    pub last: Option<Millis>,
}

/// Work that one process does for all.
#[derive(Clone, Debug)]
pub struct DutyLine {
    /// Which work.
    pub name: String,
    /// The process that does it.
    pub holder: String,
    /// When it was last done.
    pub alive_at: Millis,
    /// No other process does it before this time.
    pub until_at: Millis,
}

/// A board that the clock checks soon.
#[derive(Clone, Debug)]
pub struct JobDeadline {
    /// The game's name.
    pub game: String,
    /// The board's number.
    pub number: i64,
    /// The player to move.
    pub userid: Option<String>,
    /// When the clock checks it.
    pub due_at: Millis,
    /// When the player to move was last reminded.
    pub nagged_at: Option<Millis>,
}

/// A broadcast on its way.
#[derive(Clone, Debug)]
pub struct PendingBroadcast {
    /// Its number.
    pub id: i64,
    /// Its author.
    pub userid: String,
    /// When it was written.
    pub at: Millis,
    /// Users up to this key have it.
    pub after_user: i64,
}

/// How the server is doing.
#[derive(Clone, Debug)]
pub struct Overview {
    /// The version of the server that answers.
    pub version: &'static str,
    /// Its time.
    pub now: Millis,
    /// The servers on the database.
    pub servers: Vec<ServerLine>,
    /// Received mail.
    pub inbox: QueueFacts,
    /// Outgoing mail.
    pub outbox: QueueFacts,
    pub database_bytes: i64,
    /// Whether several processes may use the database.
    pub is_shared: bool,
    pub games: Vec<GameCount>,
    /// Work that one process does for all.
    pub duties: Vec<DutyLine>,
}

/// What the server has to do by itself.
#[derive(Clone, Debug)]
pub struct Jobs {
    /// Its time.
    pub now: Millis,
    /// The servers on the database.
    pub servers: Vec<ServerLine>,
    /// Boards that the clock looks at next.
    pub deadlines: Vec<JobDeadline>,
    /// Work that one process does for all.
    pub duties: Vec<DutyLine>,
    /// Broadcasts on their way.
    pub broadcasts: Vec<PendingBroadcast>,
    /// When the next mail of the day is due.
    pub next_digest: Option<Millis>,
}

/// How the server is doing.
pub async fn view_overview(app: &App) -> Result<Overview, ServiceError> {
    let games = view_games(app).await?;
    let mut tx = app.store.read().await?;
    let now = app.clock.now();
    let late = now.plus(-LATE_MS);
    let inbox = QueueFacts {
        waiting: tx.count_waiting_inbox().await?,
        late: tx.count_late_inbox(late).await?,
        oldest_due: tx.next_inbox_due().await?.map(Millis),
        last: tx.last_received_at().await?.map(Millis),
    };
    let outbox = QueueFacts {
        waiting: tx.count_waiting_outbox().await?,
        late: tx.count_late_outbox(late).await?,
        oldest_due: tx.next_outbox_due().await?.map(Millis),
        last: tx.last_sent_at().await?.map(Millis),
    };
    Ok(Overview {
        version: &VERSION,
        now,
        servers: list_servers(&mut tx, now).await?,
        inbox,
        outbox,
        database_bytes: tx.database_bytes().await?,
        is_shared: app.store.is_shared(),
        games,
        duties: list_duties(&mut tx).await?,
    })
}

/// What the server has to do by itself.
pub async fn view_jobs(app: &App) -> Result<Jobs, ServiceError> {
    let mut tx = app.store.read().await?;
    let now = app.clock.now();
    let deadlines = tx.next_deadlines(LINES).await?.into_iter().map(|row| JobDeadline {
        game: row.game,
        number: row.number,
        userid: row.userid,
        due_at: row.due_at,
        nagged_at: row.nagged_at.map(Millis),
    });
    let duties = list_duties(&mut tx).await?;
    let broadcasts = tx.waiting_broadcasts(LINES).await?.into_iter().map(|row| PendingBroadcast {
        id: row.id,
        userid: row.userid,
        at: row.at,
        after_user: row.after_user,
    });
    let next_digest = tx.next_digest_due().await?.map(Millis);
    let servers = list_servers(&mut tx, now).await?;
    Ok(Jobs {
        now,
        servers,
        deadlines: deadlines.collect(),
        duties,
        broadcasts: broadcasts.collect(),
        next_digest,
    })
}

async fn list_duties(tx: &mut ReadTx) -> Result<Vec<DutyLine>, StoreError> {
    let duties = tx.duties().await?.into_iter().map(|row| DutyLine {
        name: row.name,
        holder: row.holder,
        alive_at: row.alive_at,
        until_at: row.until_at,
    });
    Ok(duties.collect())
}

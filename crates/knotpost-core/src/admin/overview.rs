//! Server state in numbers that stay cheap on a large server.

use knotpost_platform::clock::Clock;
use schemars::JsonSchema;
use serde::Serialize;

use super::servers::{Server, list_servers};
use crate::app::App;
use crate::boards::ServiceError;
use crate::queries::views::view_games;
use crate::replies::GameCount;
use knotpost_model::Moment;
use knotpost_platform::build::VERSION;
use knotpost_storage::{ReadTx, Store, StoreError};

const LINES: i64 = 50;

/// Age from which a waiting mail counts as late.
pub const LATE_MS: i64 = 10 * 60_000;

/// A mail queue.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct Queue {
    /// Number of mails.
    pub waiting: i64,
    /// Number of them that have waited for longer than ten minutes.
    pub late: i64,
    /// Time at which the first of them is due.
    pub oldest_due: Option<Moment>,
    /// Time at which the last one came or left.
    pub last: Option<Moment>,
}

/// Work that one process does for all.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Duty {
    /// Name of the work.
    pub name: String,
    /// The process that does it.
    pub holder: String,
    /// Time at which it was last done.
    pub last_run: Moment,
    /// No other process does it before this time.
    pub until: Moment,
}

/// A board that the clock will check.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Deadline {
    /// The game's name.
    pub game: String,
    /// The number among the game's boards.
    pub number: i64,
    /// Userid of the player to move.
    pub to_move: Option<String>,
    /// Time at which the clock checks it.
    pub due: Moment,
    /// Time of the last reminder.
    pub reminded: Option<Moment>,
}

/// A broadcast on its way.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Broadcast {
    /// Its number.
    pub id: i64,
    /// Its author.
    pub userid: String,
    /// Time of its writing.
    pub at: Moment,
    /// The number of the last user who was passed it.
    pub after_user: i64,
}

/// The state of the server.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Overview {
    /// The version of the server that answers.
    pub version: &'static str,
    /// Its time.
    pub now: Moment,
    /// The servers on the database.
    pub servers: Vec<Server>,
    /// Received mail.
    pub inbox: Queue,
    /// Outgoing mail.
    pub outbox: Queue,
    /// Bytes of the database.
    pub database_bytes: i64,
    /// True if several servers can share the database.
    #[serde(skip)]
    pub is_shared: bool,
    /// Its games.
    pub games: Vec<GameCount>,
    /// Work that one process does for all.
    pub duties: Vec<Duty>,
}

/// The pending work of the server.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Jobs {
    /// Its time.
    pub now: Moment,
    #[serde(skip)]
    pub servers: Vec<Server>,
    /// The boards that the clock checks next.
    pub deadlines: Vec<Deadline>,
    /// Work that one process does for all.
    pub duties: Vec<Duty>,
    /// Broadcasts on their way.
    pub broadcasts: Vec<Broadcast>,
    /// Time at which the next mail of the day is due.
    pub next_digest: Option<Moment>,
}

pub async fn view_overview(app: &App) -> Result<Overview, ServiceError> {
    let games = view_games(&app.store, app.games.registry).await?;
    let mut tx = app.store.read().await?;
    let now = app.clock.now();
    let late = now.plus(-LATE_MS);
    let inbox = Queue {
        waiting: tx.count_waiting_inbox().await?,
        late: tx.count_late_inbox(late).await?,
        oldest_due: tx.next_inbox_due().await?.map(Moment::from),
        last: tx.last_received_at().await?.map(Moment::from),
    };
    let outbox = Queue {
        waiting: tx.count_waiting_outbox().await?,
        late: tx.count_late_outbox(late).await?,
        oldest_due: tx.next_outbox_due().await?.map(Moment::from),
        last: tx.last_sent_at().await?.map(Moment::from),
    };
    Ok(Overview {
        version: &VERSION,
        now: now.into(),
        servers: list_servers(&mut tx, now).await?,
        inbox,
        outbox,
        database_bytes: tx.database_bytes().await?,
        is_shared: app.store.is_shared(),
        games,
        duties: list_duties(&mut tx).await?,
    })
}

pub async fn view_jobs(store: &Store, clock: &dyn Clock) -> Result<Jobs, ServiceError> {
    let mut tx = store.read().await?;
    let now = clock.now();
    let deadlines = tx.next_deadlines(LINES).await?.into_iter().map(|row| Deadline {
        game: row.game,
        number: row.number,
        to_move: row.userid,
        due: row.due_at.into(),
        reminded: row.nagged_at.map(Moment::from),
    });
    let broadcasts = tx.waiting_broadcasts(LINES).await?.into_iter().map(|row| Broadcast {
        id: row.id,
        userid: row.userid,
        at: row.at.into(),
        after_user: row.after_user,
    });
    Ok(Jobs {
        now: now.into(),
        servers: list_servers(&mut tx, now).await?,
        deadlines: deadlines.collect(),
        duties: list_duties(&mut tx).await?,
        broadcasts: broadcasts.collect(),
        next_digest: tx.next_digest_due().await?.map(Moment::from),
    })
}

async fn list_duties(tx: &mut ReadTx) -> Result<Vec<Duty>, StoreError> {
    let duties = tx.duties().await?.into_iter().map(|row| Duty {
        name: row.name,
        holder: row.holder,
        last_run: row.alive_at.into(),
        until: row.until_at.into(),
    });
    Ok(duties.collect())
}

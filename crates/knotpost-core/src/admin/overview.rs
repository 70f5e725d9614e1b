//! Server state in numbers that stay cheap on a large server.

use super::servers::{ServerLine, list_servers};
use crate::app::App;
use crate::boards::ServiceError;
use crate::queries::views::view_games;
use crate::replies::GameCount;
use knotpost_model::Millis;
use knotpost_platform::build::VERSION;
use knotpost_storage::{ReadTx, StoreError};

const LINES: i64 = 50;

/// Age from which a waiting mail counts as late.
pub const LATE_MS: i64 = 10 * 60_000;

#[derive(Clone, Copy, Debug)]
pub struct QueueFacts {
    pub waiting: i64,
    /// Older than [`LATE_MS`].
    pub late: i64,
    pub oldest_due: Option<Millis>,
    pub last: Option<Millis>,
}

#[derive(Clone, Debug)]
pub struct DutyLine {
    pub name: String,
    pub holder: String,
    pub alive_at: Millis,
    pub until_at: Millis,
}

#[derive(Clone, Debug)]
pub struct JobDeadline {
    pub game: String,
    pub number: i64,
    pub userid: Option<String>,
    pub due_at: Millis,
    pub nagged_at: Option<Millis>,
}

#[derive(Clone, Debug)]
pub struct PendingBroadcast {
    pub id: i64,
    pub userid: String,
    pub at: Millis,
    /// Already delivered to users up to this key.
    pub after_user: i64,
}

#[derive(Clone, Debug)]
pub struct Overview {
    pub version: &'static str,
    pub now: Millis,
    pub servers: Vec<ServerLine>,
    pub inbox: QueueFacts,
    pub outbox: QueueFacts,
    pub database_bytes: i64,
    pub is_shared: bool,
    pub games: Vec<GameCount>,
    pub duties: Vec<DutyLine>,
}

#[derive(Clone, Debug)]
pub struct Jobs {
    pub now: Millis,
    pub servers: Vec<ServerLine>,
    pub deadlines: Vec<JobDeadline>,
    pub duties: Vec<DutyLine>,
    pub broadcasts: Vec<PendingBroadcast>,
    pub next_digest: Option<Millis>,
}

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

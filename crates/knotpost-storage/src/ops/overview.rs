//! Summary of the server's state, in few rows whatever the size of the tables.

use sqlx::FromRow;

use crate::connection::{Driver, StoreError, on};
use crate::transaction::ReadTx;
use knotpost_model::Millis;

const RECENT_MAILS: i64 = 200;

#[derive(Clone, Debug, FromRow)]
pub struct RecentPeers {
    pub mails: i64,
    pub senders: i64,
    pub hosts: i64,
    pub host: Option<String>,
}

const RECENT: i64 = 20_000;

#[derive(Clone, Debug, FromRow)]
pub struct Deadline {
    pub game: String,
    pub number: i64,
    #[sqlx(try_from = "i64")]
    pub due_at: Millis,
    pub nagged_at: Option<i64>,
    pub userid: Option<String>,
}

#[derive(Clone, Debug, FromRow)]
pub struct DutyLine {
    pub name: String,
    pub holder: String,
    #[sqlx(try_from = "i64")]
    pub alive_at: Millis,
    #[sqlx(try_from = "i64")]
    pub until_at: Millis,
}

#[derive(Clone, Debug, FromRow)]
pub struct WaitingBroadcast {
    pub id: i64,
    pub userid: String,
    #[sqlx(try_from = "i64")]
    pub at: Millis,
    pub after_user: i64,
}

#[derive(Clone, Debug, FromRow)]
pub struct StateCount {
    pub state: String,
    pub boards: i64,
    pub moves: i64,
}

impl ReadTx {
    pub async fn last_received_at(&mut self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT received_at FROM inbox ORDER BY id DESC LIMIT 1";
        Ok(on!(self, c => sqlx::query_scalar(sql).fetch_optional(c).await)?)
    }

    pub async fn recent_peers(&mut self) -> Result<RecentPeers, StoreError> {
        let sql = "SELECT COUNT(*) AS mails, COUNT(DISTINCT sender) AS senders, COUNT(DISTINCT peer) AS hosts, \
                   MAX(peer) AS host FROM (SELECT sender, peer FROM inbox WHERE peer IS NOT NULL AND way IN ('smtp', \
                   'lmtp') ORDER BY id DESC LIMIT $1) AS recent";
        Ok(on!(self, c => sqlx::query_as::<_, RecentPeers>(sql).bind(RECENT_MAILS).fetch_one(c).await)?)
    }

    /// The database's own clock; `None` on SQLite.
    pub async fn database_time(&mut self) -> Result<Option<Millis>, StoreError> {
        match self.driver() {
            Driver::Sqlite(_) => Ok(None),
            Driver::Postgres(connection) => {
                let sql = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
                let now: i64 = sqlx::query_scalar(sql).fetch_one(connection).await?;
                Ok(Some(Millis(now)))
            }
        }
    }

    /// Searches the newest rows only.
    pub async fn last_sent_at(&mut self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MAX(done_at) FROM outbox WHERE state = 'sent' AND id > (SELECT COALESCE(MAX(id), 0) FROM outbox) - $1";
        Ok(on!(self, c => sqlx::query_scalar::<_, Option<i64>>(sql).bind(RECENT).fetch_one(c).await)?)
    }

    /// Boards by due time.
    pub async fn next_deadlines(&mut self, limit: i64) -> Result<Vec<Deadline>, StoreError> {
        let sql = "SELECT b.game, b.number, b.due_at, b.nagged_at, \
                   (SELECT u.userid FROM seats s JOIN users u ON u.id = s.user_id \
                   WHERE s.board_id = b.id AND s.to_move ORDER BY s.seat LIMIT 1) AS userid \
                   FROM boards b WHERE b.due_at IS NOT NULL ORDER BY b.due_at LIMIT $1";
        Ok(on!(self, c => sqlx::query_as::<_, Deadline>(sql).bind(limit).fetch_all(c).await)?)
    }

    /// By name.
    pub async fn duties(&mut self) -> Result<Vec<DutyLine>, StoreError> {
        let sql = "SELECT name, holder, alive_at, until_at FROM duties ORDER BY name";
        Ok(on!(self, c => sqlx::query_as::<_, DutyLine>(sql).fetch_all(c).await)?)
    }

    /// Oldest first.
    pub async fn waiting_broadcasts(&mut self, limit: i64) -> Result<Vec<WaitingBroadcast>, StoreError> {
        let sql = "SELECT b.id, u.userid, b.at, b.after_user FROM broadcasts b JOIN users u ON u.id = b.user_id \
                   WHERE b.done_at IS NULL ORDER BY b.id LIMIT $1";
        Ok(on!(self, c => sqlx::query_as::<_, WaitingBroadcast>(sql).bind(limit).fetch_all(c).await)?)
    }

    /// States without boards are left out. Scans the table.
    pub async fn count_boards_by_state(&mut self) -> Result<Vec<StateCount>, StoreError> {
        let sql = "SELECT state, COUNT(*) AS boards, CAST(COALESCE(SUM(ply), 0) AS BIGINT) AS moves FROM boards \
                   GROUP BY state";
        Ok(on!(self, c => sqlx::query_as::<_, StateCount>(sql).fetch_all(c).await)?)
    }

    /// Without computer players. Scans the table.
    pub async fn count_users(&mut self) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) FROM users WHERE state <> 'deleted' AND role <> 'bot'";
        Ok(on!(self, c => sqlx::query_scalar(sql).fetch_one(c).await)?)
    }

    pub async fn database_bytes(&mut self) -> Result<i64, StoreError> {
        Ok(match self.driver() {
            Driver::Sqlite(connection) => {
                let sql =
                    "SELECT p.page_count * s.page_size FROM pragma_page_count AS p, pragma_page_size AS s";
                sqlx::query_scalar(sql).fetch_one(connection).await?
            }
            Driver::Postgres(connection) => {
                let sql = "SELECT pg_database_size(current_database())";
                sqlx::query_scalar(sql).fetch_one(connection).await?
            }
        })
    }
}

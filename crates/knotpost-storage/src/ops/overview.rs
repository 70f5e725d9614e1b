//! A summary of the server's state: few rows, whatever the size of the tables.

use sqlx::FromRow;

use crate::connection::{Driver, StoreError, on};
use crate::transaction::ReadTx;
use knotpost_model::Millis;

/// Received mails among which hosts are counted.
const RECENT_MAILS: i64 = 200;

/// The hosts that handed over the newest mails.
#[derive(Clone, Debug, FromRow)]
pub struct RecentPeers {
    /// Mails that came through a session.
    pub mails: i64,
    pub senders: i64,
    pub hosts: i64,
    /// One of these.
    pub host: Option<String>,
}

/// Row numbers among which the last mail that left is looked for.
const RECENT: i64 = 20_000;

/// A board that is due for the clock soon.
#[derive(Clone, Debug, FromRow)]
pub struct Deadline {
    /// The game's name.
    pub game: String,
    /// The board's number.
    pub number: i64,
    /// When it is due for the clock.
    #[sqlx(try_from = "i64")]
    pub due_at: Millis,
    /// When the player to move was reminded last.
    pub nagged_at: Option<i64>,
    /// The player to move.
    pub userid: Option<String>,
}

/// Work that one process does for all.
#[derive(Clone, Debug, FromRow)]
pub struct DutyLine {
    pub name: String,
    /// The process that does it.
    pub holder: String,
    /// When it was last done.
    #[sqlx(try_from = "i64")]
    pub alive_at: Millis,
    /// When the lease ends: no other process does the work before.
    #[sqlx(try_from = "i64")]
    pub until_at: Millis,
}

/// A broadcast that is being passed on.
#[derive(Clone, Debug, FromRow)]
pub struct WaitingBroadcast {
    /// Its number.
    pub id: i64,
    /// Its author.
    pub userid: String,
    /// When it was written.
    #[sqlx(try_from = "i64")]
    pub at: Millis,
    /// Users up to this key have it.
    pub after_user: i64,
}

/// How many boards are in a state.
#[derive(Clone, Debug, FromRow)]
pub struct StateCount {
    /// As it is stored.
    pub state: String,
    /// How many boards.
    pub boards: i64,
    pub moves: i64,
}

impl ReadTx {
    /// When the last mail came in.
    pub async fn last_received_at(&mut self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT received_at FROM inbox ORDER BY id DESC LIMIT 1";
        Ok(on!(self, c => sqlx::query_scalar(sql).fetch_optional(c).await)?)
    }

    /// The hosts that handed over the newest mails.
    pub async fn recent_peers(&mut self) -> Result<RecentPeers, StoreError> {
        let sql = "SELECT COUNT(*) AS mails, COUNT(DISTINCT sender) AS senders, COUNT(DISTINCT peer) AS hosts, \
                   MAX(peer) AS host FROM (SELECT sender, peer FROM inbox WHERE peer IS NOT NULL AND way IN ('smtp', \
                   'lmtp') ORDER BY id DESC LIMIT $1) AS recent";
        Ok(on!(self, c => sqlx::query_as::<_, RecentPeers>(sql).bind(RECENT_MAILS).fetch_one(c).await)?)
    }

    /// What time it is for the database; `None` on SQLite, which has no clock of its own.
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

    /// When the last mail left, among the newest.
    pub async fn last_sent_at(&mut self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MAX(done_at) FROM outbox WHERE state = 'sent' AND id > (SELECT COALESCE(MAX(id), 0) FROM outbox) - $1";
        Ok(on!(self, c => sqlx::query_scalar::<_, Option<i64>>(sql).bind(RECENT).fetch_one(c).await)?)
    }

    /// The boards that are due for the clock next, the earliest first, at most `limit`.
    pub async fn next_deadlines(&mut self, limit: i64) -> Result<Vec<Deadline>, StoreError> {
        let sql = "SELECT b.game, b.number, b.due_at, b.nagged_at, \
                   (SELECT u.userid FROM seats s JOIN users u ON u.id = s.user_id \
                   WHERE s.board_id = b.id AND s.to_move ORDER BY s.seat LIMIT 1) AS userid \
                   FROM boards b WHERE b.due_at IS NOT NULL ORDER BY b.due_at LIMIT $1";
        Ok(on!(self, c => sqlx::query_as::<_, Deadline>(sql).bind(limit).fetch_all(c).await)?)
    }

    /// All duties, by name.
    pub async fn duties(&mut self) -> Result<Vec<DutyLine>, StoreError> {
        let sql = "SELECT name, holder, alive_at, until_at FROM duties ORDER BY name";
        Ok(on!(self, c => sqlx::query_as::<_, DutyLine>(sql).fetch_all(c).await)?)
    }

    /// The broadcasts that are being passed on, the oldest first.
    pub async fn waiting_broadcasts(&mut self, limit: i64) -> Result<Vec<WaitingBroadcast>, StoreError> {
        let sql = "SELECT b.id, u.userid, b.at, b.after_user FROM broadcasts b JOIN users u ON u.id = b.user_id \
                   WHERE b.done_at IS NULL ORDER BY b.id LIMIT $1";
        Ok(on!(self, c => sqlx::query_as::<_, WaitingBroadcast>(sql).bind(limit).fetch_all(c).await)?)
    }

    /// Boards and their moves, by state; a state without boards is left out. Reads the entire table.
    pub async fn count_boards_by_state(&mut self) -> Result<Vec<StateCount>, StoreError> {
        let sql = "SELECT state, COUNT(*) AS boards, CAST(COALESCE(SUM(ply), 0) AS BIGINT) AS moves FROM boards \
                   GROUP BY state";
        Ok(on!(self, c => sqlx::query_as::<_, StateCount>(sql).fetch_all(c).await)?)
    }

    /// How many people have an account. Reads the entire table.
    pub async fn count_users(&mut self) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) FROM users WHERE state <> 'deleted' AND role <> 'bot'";
        Ok(on!(self, c => sqlx::query_scalar(sql).fetch_one(c).await)?)
    }

    /// Bytes that the database takes.
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

//! Summary of the server's state, in few rows whatever the size of the tables.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements};
use knotpost_model::Millis;

const RECENT_MAILS: i64 = 200;

row! {
    #[derive(Clone, Debug)]
    pub struct RecentPeers {
        pub mails: i64,
        pub senders: i64,
        pub hosts: i64,
        pub host: Option<String>,
    }
}

const RECENT: i64 = 20_000;

row! {
    #[derive(Clone, Debug)]
    pub struct Deadline {
        pub game: String,
        pub number: i64,
        pub due_at: Millis,
        pub nagged_at: Option<i64>,
        pub userid: Option<String>,
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct DutyLine {
        pub name: String,
        pub holder: String,
        pub alive_at: Millis,
        pub until_at: Millis,
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct WaitingBroadcast {
        pub id: i64,
        pub userid: String,
        pub at: Millis,
        pub after_user: i64,
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct StateCount {
        pub state: String,
        pub boards: i64,
        pub moves: i64,
    }
}

impl ReadTx {
    pub async fn last_received_at(&mut self) -> Result<Option<i64>> {
        self.fetch_optional("SELECT received_at FROM inbox ORDER BY id DESC LIMIT 1", &[]).await
    }

    pub async fn recent_peers(&mut self) -> Result<RecentPeers> {
        let sql = "SELECT COUNT(*) AS mails, COUNT(DISTINCT sender) AS senders, COUNT(DISTINCT peer) AS hosts, \
                   MAX(peer) AS host FROM (SELECT sender, peer FROM inbox WHERE peer IS NOT NULL AND way IN ('smtp', \
                   'lmtp') ORDER BY id DESC LIMIT $1) AS recent";
        self.fetch_one(sql, &[&RECENT_MAILS]).await
    }

    /// The database's own clock; `None` on SQLite.
    pub async fn database_time(&mut self) -> Result<Option<Millis>> {
        if !self.is_postgres() {
            return Ok(None);
        }
        let sql = "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)";
        self.fetch_one(sql, &[]).await.map(Some)
    }

    /// Searches the newest rows only.
    pub async fn last_sent_at(&mut self) -> Result<Option<i64>> {
        let sql = "SELECT MAX(done_at) FROM outbox WHERE state = 'sent' AND id > (SELECT COALESCE(MAX(id), 0) FROM outbox) - $1";
        self.fetch_one(sql, &[&RECENT]).await
    }

    /// Boards by due time.
    pub async fn next_deadlines(&mut self, limit: i64) -> Result<Vec<Deadline>> {
        let sql = "SELECT b.game, b.number, b.due_at, b.nagged_at, \
                   (SELECT u.userid FROM seats s JOIN users u ON u.id = s.user_id \
                   WHERE s.board_id = b.id AND s.to_move ORDER BY s.seat LIMIT 1) AS userid \
                   FROM boards b WHERE b.due_at IS NOT NULL ORDER BY b.due_at LIMIT $1";
        self.fetch_all(sql, &[&limit]).await
    }

    /// By name.
    pub async fn duties(&mut self) -> Result<Vec<DutyLine>> {
        self.fetch_all("SELECT name, holder, alive_at, until_at FROM duties ORDER BY name", &[]).await
    }

    /// Oldest first.
    pub async fn waiting_broadcasts(&mut self, limit: i64) -> Result<Vec<WaitingBroadcast>> {
        let sql = "SELECT b.id, u.userid, b.at, b.after_user FROM broadcasts b JOIN users u ON u.id = b.user_id \
                   WHERE b.done_at IS NULL ORDER BY b.id LIMIT $1";
        self.fetch_all(sql, &[&limit]).await
    }

    /// States without boards are left out. Scans the table.
    pub async fn count_boards_by_state(&mut self) -> Result<Vec<StateCount>> {
        let sql = "SELECT state, COUNT(*) AS boards, CAST(COALESCE(SUM(ply), 0) AS BIGINT) AS moves FROM boards \
                   GROUP BY state";
        self.fetch_all(sql, &[]).await
    }

    /// Without computer players. Scans the table.
    pub async fn count_users(&mut self) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM users WHERE state <> 'deleted' AND role <> 'bot'", &[]).await
    }

    pub async fn database_bytes(&mut self) -> Result<i64> {
        let sql = if self.is_postgres() {
            "SELECT pg_database_size(current_database())"
        } else {
            "SELECT p.page_count * s.page_size FROM pragma_page_count AS p, pragma_page_size AS s"
        };
        self.fetch_one(sql, &[]).await
    }
}

//! Turns of computer players, and their leases.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct BotTurn {
        pub board: BoardKey,
        pub game: String,
        pub number: i64,
        pub ply: i64,
        /// The position after them.
        pub position: String,
        /// The computer player.
        pub user: UserKey,
        pub userid: String,
        pub since: Millis,
        /// First person on the board, whose share is charged.
        pub person: UserKey,
        /// Last answer to that person; 0: never.
        pub served: Millis,
        /// Time at which their used processor time is refunded.
        pub used_until: Millis,
    }
}

/// Maximum length of a lease; a longer one was taken by a clock ahead.
pub const LONGEST_LEASE_MS: i64 = 3_600_000;

/// Turns of one person per query.
const OF_PERSON: i64 = 25;

macro_rules! bot_turns {
    ($more:literal, $from:literal, $end:literal) => {
        concat!(
            "SELECT t.*, COALESCE(h.served_at, 0) AS served, COALESCE(h.used_until, 0) AS used_until",
            $more,
            " FROM (SELECT b.id AS board, b.game, b.number, b.ply, b.position, u.id AS \"user\", u.userid, \
             COALESCE(b.last_move_at, b.started_at) AS since, \
             COALESCE((SELECT o.user_id FROM seats o JOIN users p ON p.id = o.user_id \
              WHERE o.board_id = b.id AND p.role <> 'bot' ORDER BY o.seat LIMIT 1), u.id) AS person ",
            $from,
            "u.role = 'bot' AND u.state = 'active' AND s.user_id = u.id AND s.to_move AND b.paused_at IS NULL \
             AND (l.until_at IS NULL OR l.until_at <= $1 OR l.until_at > $2)) t \
             LEFT JOIN bot_shares h ON h.user_id = t.person",
            $end
        )
    };
}

impl ReadTx {
    /// Unleased turns of computer players: people not served for longest first, and few of each.
    /// `boards_in_play` holds only active boards.
    pub async fn bot_turns(&mut self, now: Millis, limit: i64) -> Result<Vec<BotTurn>> {
        // CROSS fixes SQLite's join order: the few computer players first.
        let sql = concat!(
            "SELECT * FROM (",
            bot_turns!(
                ", ROW_NUMBER() OVER (PARTITION BY t.person ORDER BY t.since, t.board) AS place",
                "FROM users u CROSS JOIN boards_in_play p CROSS JOIN seats s CROSS JOIN boards b \
                 LEFT JOIN bot_leases l ON l.board_id = b.id WHERE p.user_id = u.id AND s.board_id = p.board_id \
                 AND b.id = p.board_id AND ",
                ""
            ),
            ") d WHERE d.place <= $3 ORDER BY d.served, d.since, d.board LIMIT $4"
        );
        self.fetch_all(sql, &[&now, &(now.0 + LONGEST_LEASE_MS), &OF_PERSON, &limit]).await
    }

    pub async fn bot_turn_on(&mut self, game: &str, number: u32, now: Millis) -> Result<Option<BotTurn>> {
        let sql = bot_turns!(
            "",
            "FROM boards b JOIN seats s ON s.board_id = b.id JOIN users u ON u.id = s.user_id \
             LEFT JOIN bot_leases l ON l.board_id = b.id WHERE b.game = $3 AND b.number = $4 AND b.state = 'active' AND ",
            ""
        );
        self.fetch_optional(sql, &[&now, &(now.0 + LONGEST_LEASE_MS), &game, &number]).await
    }

    /// Boards of this user in play against any of these computer players.
    pub async fn count_boards_against(&mut self, user: UserKey, bots: &[String]) -> Result<i64> {
        let sql = "SELECT COUNT(DISTINCT p.board_id) FROM boards_in_play p JOIN seats s ON s.board_id = p.board_id \
                   JOIN users u ON u.id = s.user_id \
                   WHERE p.user_id = $1 AND u.role = 'bot' AND u.userid_key IN ($2, $3)";
        let bot = |index: usize| bots.get(index).map(String::as_str).unwrap_or_default();
        self.fetch_one(sql, &[&user, &bot(0), &bot(1)]).await
    }
}

impl WriteTx {
    /// `false`: another server has the lease.
    pub async fn lease_bot_turn(&mut self, board: BoardKey, until: Millis, now: Millis) -> Result<bool> {
        let sql = "INSERT INTO bot_leases (board_id, until_at) VALUES ($1, $2) \
                   ON CONFLICT (board_id) DO UPDATE SET until_at = $2 \
                   WHERE bot_leases.until_at <= $3 OR bot_leases.until_at > $4 RETURNING board_id";
        self.any(sql, &[&board, &until, &now, &(now.0 + LONGEST_LEASE_MS)]).await
    }

    /// Marks a person as the one served last, and charges processor time. Times of a clock ahead by more than
    /// `horizon` count as now.
    pub async fn note_bot_share(
        &mut self,
        person: UserKey,
        used_ms: i64,
        now: Millis,
        horizon: Millis,
    ) -> Result<()> {
        let sql = "INSERT INTO bot_shares (user_id, served_at, used_until) VALUES ($1, \
                   (SELECT COALESCE(MAX(CASE WHEN served_at BETWEEN $2 AND $2 + 1000 THEN served_at + 1 END), $2) \
                    FROM bot_shares), $2 + $3) \
                   ON CONFLICT (user_id) DO UPDATE SET served_at = excluded.served_at, used_until = $3 + \
                   CASE WHEN bot_shares.used_until BETWEEN $2 AND $4 THEN bot_shares.used_until ELSE $2 END";
        self.exec(sql, &[&person, &now, &used_ms, &horizon]).await
    }

    pub async fn end_bot_lease(&mut self, board: BoardKey) -> Result<()> {
        self.exec("DELETE FROM bot_leases WHERE board_id = $1", &[&board]).await
    }

    /// Ends all leases: only for a server alone on its database.
    pub async fn end_bot_leases(&mut self) -> Result<()> {
        self.exec("DELETE FROM bot_leases", &[]).await
    }

    /// A user without password and address; `false`: the name is taken.
    pub async fn insert_bot(&mut self, userid: &str, at: Millis) -> Result<bool> {
        let sql = "INSERT INTO users (userid, userid_key, password_hash, role, state, created_at) \
                   VALUES ($1, $2, NULL, 'bot', 'active', $3) ON CONFLICT (userid_key) DO NOTHING RETURNING id";
        self.any(sql, &[&userid, &userid.to_lowercase(), &at]).await
    }
}

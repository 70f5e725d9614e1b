//! Events for a program that plays for a user.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements};
use knotpost_model::{BoardKey, BoardState, Millis, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ProgramBoard {
        pub board: BoardKey,
        pub game: String,
        pub number: i64,
        pub ply: i64,
        /// Active, over or removed.
        pub state: BoardState,
        pub started_at: i64,
        pub last_move_at: Option<i64>,
        pub ended_at: Option<i64>,
        /// Next check by the clock; changes with each turn.
        pub due_at: Option<i64>,
        pub paused_at: Option<i64>,
        pub seat: Option<i64>,
        pub turn: Option<i64>,
        pub remark: Option<i64>,
        pub remark_at: Option<i64>,
        pub proposed_at: Option<i64>,
    }
}

macro_rules! program_board {
    ($from:literal) => {
        concat!(
            "SELECT b.id AS board, b.game, b.number, b.ply, b.state, b.started_at, b.last_move_at, b.ended_at, \
             b.due_at, b.paused_at, \
             (SELECT MIN(s.seat) FROM seats s WHERE s.board_id = b.id AND s.user_id = $1) AS seat, \
             (SELECT MIN(s.seat) FROM seats s WHERE s.board_id = b.id AND s.user_id = $1 AND s.to_move) AS turn, \
             (SELECT MAX(r.id) FROM remarks r WHERE r.board_id = b.id AND (r.user_id IS NULL OR r.user_id <> $1)) \
             AS remark, \
             (SELECT MAX(r.at) FROM remarks r WHERE r.board_id = b.id AND (r.user_id IS NULL OR r.user_id <> $1)) \
             AS remark_at, \
             (SELECT p.at FROM proposals p WHERE p.board_id = b.id AND p.ply = b.ply AND NOT EXISTS \
             (SELECT 1 FROM seats s WHERE s.board_id = b.id AND s.seat = p.seat AND s.user_id = $1)) AS proposed_at ",
            $from
        )
    };
}

impl ReadTx {
    pub async fn program_boards(&mut self, user: UserKey, limit: i64) -> Result<Vec<ProgramBoard>> {
        let sql = program_board!(
            "FROM boards_in_play i JOIN boards b ON b.id = i.board_id WHERE i.user_id = $1 ORDER BY b.id LIMIT $2"
        );
        self.fetch_all(sql, &[&user, &limit]).await
    }

    /// Boards of the user that ended at `since` or later.
    pub async fn ended_program_boards(
        &mut self,
        user: UserKey,
        game: &str,
        since: Millis,
        limit: i64,
    ) -> Result<Vec<ProgramBoard>> {
        let sql = program_board!(
            "FROM boards b WHERE b.game = $2 AND b.ended_at IS NOT NULL AND b.ended_at >= $3 AND EXISTS \
             (SELECT 1 FROM seats o WHERE o.board_id = b.id AND o.user_id = $1) ORDER BY b.ended_at, b.id LIMIT $4"
        );
        self.fetch_all(sql, &[&user, &game, &since, &limit]).await
    }

    /// One board, even if the user does not play there.
    pub async fn program_board(
        &mut self,
        user: UserKey,
        game: &str,
        number: u32,
    ) -> Result<Option<ProgramBoard>> {
        let sql = program_board!("FROM boards b WHERE b.game = $2 AND b.number = $3");
        self.fetch_optional(sql, &[&user, &game, &number]).await
    }

    pub async fn plays_rated_boards(&mut self, user: UserKey) -> Result<bool> {
        let sql = "SELECT b.id FROM boards_in_play i JOIN boards b ON b.id = i.board_id \
                   WHERE i.user_id = $1 AND b.rated LIMIT 1";
        self.any(sql, &[&user]).await
    }
}

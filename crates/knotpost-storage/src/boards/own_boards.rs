//! State of a user's boards in few columns, for frequent polling.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements};
use knotpost_model::UserKey;

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct OwnBoardRow {
        pub game: String,
        pub number: i64,
        pub ply: i64,
        pub last_move_at: Option<i64>,
        pub paused_at: Option<i64>,
        pub turn: Option<i64>,
    }
}

impl ReadTx {
    /// Boards in play, oldest first.
    pub async fn own_boards(&mut self, user: UserKey, limit: i64) -> Result<Vec<OwnBoardRow>> {
        let sql = "SELECT b.game, b.number, b.ply, b.last_move_at, b.paused_at, \
                   (SELECT MIN(s.seat) FROM seats s WHERE s.board_id = b.id AND s.user_id = $1 AND s.to_move) AS turn \
                   FROM boards_in_play i JOIN boards b ON b.id = i.board_id WHERE i.user_id = $1 ORDER BY b.id LIMIT $2";
        self.fetch_all(sql, &[&user, &limit]).await
    }
}

//! State of a user's boards in few columns, for frequent polling.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::ReadTx;
use knotpost_model::UserKey;

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct OwnBoardRow {
    pub game: String,
    pub number: i64,
    pub ply: i64,
    pub last_move_at: Option<i64>,
    pub paused_at: Option<i64>,
    pub turn: Option<i64>,
}

impl ReadTx {
    /// Boards in play, oldest first.
    pub async fn own_boards(&mut self, user: UserKey, limit: i64) -> Result<Vec<OwnBoardRow>, StoreError> {
        let sql = "SELECT b.game, b.number, b.ply, b.last_move_at, b.paused_at, \
                   (SELECT MIN(s.seat) FROM seats s WHERE s.board_id = b.id AND s.user_id = $1 AND s.to_move) AS turn \
                   FROM boards_in_play i JOIN boards b ON b.id = i.board_id WHERE i.user_id = $1 ORDER BY b.id LIMIT $2";
        Ok(on!(self, c => sqlx::query_as::<_, OwnBoardRow>(sql).bind(user.0).bind(limit).fetch_all(c).await)?)
    }
}

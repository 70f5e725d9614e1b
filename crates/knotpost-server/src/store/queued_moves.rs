//! Moves that wait for their turn.

use sqlx::FromRow;

use super::{StoreError, Tx, on};
use crate::domain::BoardKey;

/// A move that waits.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct QueuedMoveRow {
    /// Its place in the queue, from 1.
    pub place: i64,
    /// The move of another seat it waits for, as typed.
    pub condition: Option<String>,
    /// The move, as typed.
    pub text: String,
}

impl Tx {
    /// The waiting moves of a seat, in order.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn queued_moves(
        &mut self,
        board: BoardKey,
        seat: i64,
    ) -> Result<Vec<QueuedMoveRow>, StoreError> {
        let sql = "SELECT place, condition, text FROM queued_moves WHERE board_id = $1 AND seat = $2 ORDER BY place";
        Ok(
            on!(self, c => sqlx::query_as::<_, QueuedMoveRow>(sql).bind(board.0).bind(seat).fetch_all(c).await)?,
        )
    }
}

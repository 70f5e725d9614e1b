//! Outcome of a turn, the most frequent write.

use crate::connection::{StoreError, on};
use crate::rows::Turn;
use crate::transaction::WriteTx;
use knotpost_model::{BoardKey, BoardState};

/// Leaves out columns that a move in an active game does not change: setting a column updates all its
/// indexes, even with an equal value.
macro_rules! advance {
    ($due:literal) => {
        concat!(
            "UPDATE boards SET ply = $2, position = $3, scores = $4, last_move_at = $5, nagged_at = $6",
            $due,
            " WHERE id = $1"
        )
    };
}
const ADVANCE: &str = advance!("");
const ADVANCE_AND_RESCHEDULE: &str = advance!(", due_at = $7");

impl WriteTx {
    /// Stores moves that were made, where the board stands after them, and which seat is to move.
    /// The number of a move is unique on its board: of two, one gets [`StoreError::Conflict`].
    ///
    /// # Errors
    /// When a number is taken, or the database fails.
    pub async fn store_turn(&mut self, turn: Turn<'_>) -> Result<(), StoreError> {
        let board = turn.board;
        // The board first: of two turns at once on PostgreSQL one waits here, and is run again.
        if board.state == BoardState::Active {
            self.advance_board(turn).await?;
        } else {
            self.update_board(board).await?;
        }
        for entry in turn.moves {
            self.insert_move(board.id, entry).await?;
        }
        self.set_to_move(board.id, turn.next_seat()).await
    }

    async fn advance_board(&mut self, turn: Turn<'_>) -> Result<(), StoreError> {
        let Turn { board, is_rescheduled, .. } = turn;
        on!(self.writing(), c => {
            let query = sqlx::query(if is_rescheduled { ADVANCE_AND_RESCHEDULE } else { ADVANCE })
                .bind(board.id.0)
                .bind(board.ply)
                .bind(&board.position)
                .bind(&board.scores)
                .bind(board.last_move_at)
                .bind(board.nagged_at);
            let query = if is_rescheduled { query.bind(board.due_at) } else { query };
            query.execute(c).await.map(drop)
        })?;
        Ok(())
    }

    async fn set_to_move(&mut self, board: BoardKey, next: i64) -> Result<(), StoreError> {
        let sql = "UPDATE seats SET to_move = (seat = $2) WHERE board_id = $1 AND to_move <> (seat = $2)";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(next).execute(c).await.map(drop))?;
        Ok(())
    }
}

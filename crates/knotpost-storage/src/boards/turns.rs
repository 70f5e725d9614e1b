//! Outcome of a turn, the most frequent write.

use crate::connection::{Argument, Result};
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
    /// The number of a move is unique on its board: of two, one gets [`crate::StoreError::Conflict`].
    ///
    /// # Errors
    /// When a number is taken, or the database fails.
    pub async fn store_turn(&mut self, turn: Turn<'_>) -> Result<()> {
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

    async fn advance_board(&mut self, turn: Turn<'_>) -> Result<()> {
        let Turn { board, is_rescheduled, .. } = turn;
        let arguments: [&dyn Argument; 7] = [
            &board.id,
            &board.ply,
            &board.position,
            &board.scores,
            &board.last_move_at,
            &board.nagged_at,
            &board.due_at,
        ];
        let (sql, used) = if is_rescheduled { (ADVANCE_AND_RESCHEDULE, 7) } else { (ADVANCE, 6) };
        self.exec(sql, &arguments[..used]).await
    }

    async fn set_to_move(&mut self, board: BoardKey, next: i64) -> Result<()> {
        let sql = "UPDATE seats SET to_move = (seat = $2) WHERE board_id = $1 AND to_move <> (seat = $2)";
        self.exec(sql, &[&board, &next]).await
    }
}

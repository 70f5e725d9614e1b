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
            "UPDATE boards SET ply = $2, position = $3, scores = $4, last_move_at = $5, nagged_at = $6, history = $7",
            $due,
            " WHERE id = $1"
        )
    };
}
const ADVANCE: &str = advance!("");
const ADVANCE_AND_RESCHEDULE: &str = advance!(", due_at = $8");

impl WriteTx {
    /// Stores moves, position and turn. Move numbers are unique per board: of two equal ones, one fails with
    /// [`StoreError::Conflict`], on PostgreSQL perhaps only at the commit.
    pub async fn store_turn(&mut self, turn: Turn<'_>) -> Result<(), StoreError> {
        let board = turn.board;
        let goes_on = board.state == BoardState::Active;
        if goes_on && self.buffer(turn).await?.is_some() {
            return Ok(());
        }
        for entry in turn.moves {
            self.insert_move(board.id, entry).await?;
        }
        if goes_on {
            self.advance_board(turn).await?;
        } else {
            self.update_board(board).await?;
        }
        self.set_to_move(board.id, turn.next_seat()).await
    }

    async fn advance_board(&mut self, turn: Turn<'_>) -> Result<(), StoreError> {
        let Turn { board, is_rescheduled, .. } = turn;
        on!(self.writing().await?, c => {
            let query = sqlx::query(if is_rescheduled { ADVANCE_AND_RESCHEDULE } else { ADVANCE })
                .bind(board.id.0)
                .bind(board.ply)
                .bind(&board.position)
                .bind(&board.scores)
                .bind(board.last_move_at)
                .bind(board.nagged_at)
                .bind(board.history);
            let query = if is_rescheduled { query.bind(board.due_at) } else { query };
            query.execute(c).await.map(drop)
        })?;
        Ok(())
    }

    async fn set_to_move(&mut self, board: BoardKey, next: i64) -> Result<(), StoreError> {
        let sql = "UPDATE seats SET to_move = (seat = $2) WHERE board_id = $1 AND to_move <> (seat = $2)";
        on!(self.writing().await?, c => sqlx::query(sql).bind(board.0).bind(next).execute(c).await.map(drop))?;
        Ok(())
    }
}

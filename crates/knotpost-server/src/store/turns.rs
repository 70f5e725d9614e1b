//! What a turn changes: a move is what this server writes most.

use super::tx::Driver;
use super::{BoardRow, MoveRow, StoreError, Tx, on};
use crate::domain::BoardKey;

macro_rules! insert_move {
    () => {
        "INSERT INTO moves (board_id, number, seat, kind, text, auto, at) VALUES ($1, $16, $17, $18, $19, $20, $21)"
    };
}
macro_rules! update_seats {
    () => {
        "UPDATE seats SET to_move = (seat = $22) WHERE board_id = $1 AND to_move <> (seat = $22)"
    };
}
macro_rules! update_board {
    () => {
        "UPDATE boards SET seed = $2, state = $3, ply = $4, position = $5, scores = $6, winners = $7, reason = $8, \
         started_at = $9, last_move_at = $10, ended_at = $11, rated = $12, due_at = $13, nagged_at = $14, \
         history = $15 WHERE id = $1"
    };
}

/// On the way to PostgreSQL one statement of several parts is better than three.
const TURN_ON_POSTGRES: &str =
    concat!("WITH made AS (", insert_move!(), "), next AS (", update_seats!(), ") ", update_board!());

/// No seat has this number.
const NOBODY: i64 = 0;

impl Tx {
    /// Stores moves that were made, where the board stands after them, and which seat is to move; `None`: none is.
    /// The number of a move is unique on its board: of two, one gets [`StoreError::Conflict`].
    ///
    /// # Errors
    /// When a number is taken, or the database fails.
    pub async fn store_turn(
        &mut self,
        board: &BoardRow,
        moves: &[&MoveRow],
        next: Option<i64>,
    ) -> Result<(), StoreError> {
        let Some((last, earlier)) = moves.split_last().filter(|_| self.is_postgres()) else {
            for entry in moves {
                self.insert_move(board.id, entry).await?;
            }
            self.update_board(board).await?;
            return self.set_to_move(board.id, next).await;
        };
        for entry in earlier {
            self.insert_move(board.id, entry).await?;
        }
        if let Driver::Postgres(connection) = self.writing().await?.connection.driver() {
            sqlx::query(TURN_ON_POSTGRES)
                .bind(board.id.0)
                .bind(&board.seed)
                .bind(board.state.as_str())
                .bind(board.ply)
                .bind(&board.position)
                .bind(&board.scores)
                .bind(&board.winners)
                .bind(&board.reason)
                .bind(board.started_at.0)
                .bind(board.last_move_at)
                .bind(board.ended_at)
                .bind(board.rated)
                .bind(board.due_at)
                .bind(board.nagged_at)
                .bind(board.history)
                .bind(last.number)
                .bind(last.seat)
                .bind(last.kind.as_str())
                .bind(&last.text)
                .bind(last.auto)
                .bind(last.at.0)
                .bind(next.unwrap_or(NOBODY))
                .execute(connection)
                .await?;
        }
        Ok(())
    }

    /// Notes which seat is to move; `None`: none is.
    async fn set_to_move(&mut self, board: BoardKey, next: Option<i64>) -> Result<(), StoreError> {
        let sql = "UPDATE seats SET to_move = (seat = $2) WHERE board_id = $1 AND to_move <> (seat = $2)";
        on!(self.writing().await?, c => sqlx::query(sql)
            .bind(board.0)
            .bind(next.unwrap_or(NOBODY))
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }
}

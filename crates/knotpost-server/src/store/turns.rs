//! What a turn changes: a move is what this server writes most.

use super::tx::Driver;
use super::{BoardRow, MoveRow, StoreError, Tx, on};
use crate::domain::{BoardKey, BoardState};

/// While a game goes on, a move changes neither its state nor how it began. A column that is set takes its row out of
/// the indices with that column and puts it back, be the value the same or not; so these are left alone.
macro_rules! advance_board {
    () => {
        "UPDATE boards SET ply = $2, position = $3, scores = $4, last_move_at = $5, due_at = $6, nagged_at = $7, \
         history = $8 WHERE id = $1"
    };
}
macro_rules! insert_move {
    () => {
        "INSERT INTO moves (board_id, number, seat, kind, text, auto, at) VALUES ($1, $9, $10, $11, $12, $13, $14)"
    };
}
macro_rules! update_seats {
    ($next:literal) => {
        concat!(
            "UPDATE seats SET to_move = (seat = ",
            $next,
            ") WHERE board_id = $1 AND to_move <> (seat = ",
            $next,
            ")"
        )
    };
}

/// On the way to PostgreSQL one statement of several parts is better than three.
const TURN_ON_POSTGRES: &str =
    concat!("WITH made AS (", insert_move!(), "), next AS (", update_seats!("$15"), ") ", advance_board!());

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
        let goes_on = board.state == BoardState::Active;
        let last = moves.split_last().filter(|_| goes_on && self.is_postgres());
        let (last, earlier) = last.map_or((None, moves), |(last, earlier)| (Some(last), earlier));
        for entry in earlier {
            self.insert_move(board.id, entry).await?;
        }
        if let Some(last) = last {
            return self.advance_on_postgres(board, last, next).await;
        }
        if goes_on {
            self.advance_board(board).await?;
        } else {
            self.update_board(board).await?;
        }
        self.set_to_move(board.id, next).await
    }

    async fn advance_on_postgres(
        &mut self,
        board: &BoardRow,
        last: &MoveRow,
        next: Option<i64>,
    ) -> Result<(), StoreError> {
        if let Driver::Postgres(connection) = self.writing().await?.connection.driver() {
            sqlx::query(TURN_ON_POSTGRES)
                .bind(board.id.0)
                .bind(board.ply)
                .bind(&board.position)
                .bind(&board.scores)
                .bind(board.last_move_at)
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

    async fn advance_board(&mut self, board: &BoardRow) -> Result<(), StoreError> {
        on!(self.writing().await?, c => sqlx::query(advance_board!())
            .bind(board.id.0)
            .bind(board.ply)
            .bind(&board.position)
            .bind(&board.scores)
            .bind(board.last_move_at)
            .bind(board.due_at)
            .bind(board.nagged_at)
            .bind(board.history)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Notes which seat is to move; `None`: none is.
    async fn set_to_move(&mut self, board: BoardKey, next: Option<i64>) -> Result<(), StoreError> {
        on!(self.writing().await?, c => sqlx::query(update_seats!("$2"))
            .bind(board.0)
            .bind(next.unwrap_or(NOBODY))
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }
}

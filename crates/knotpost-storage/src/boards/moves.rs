//! The moves of boards.

use crate::connection::{StoreError, on};
use crate::rows::MoveRow;
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::BoardKey;

impl ReadTx {
    /// The moves of a board after the first `ply`, in order.
    pub async fn moves_after(&mut self, board: BoardKey, ply: i64) -> Result<Vec<MoveRow>, StoreError> {
        let sql = "SELECT number, seat, kind, text, auto, at FROM moves WHERE board_id = $1 AND number > $2 \
                   ORDER BY number";
        Ok(on!(self, c => sqlx::query_as::<_, MoveRow>(sql).bind(board.0).bind(ply).fetch_all(c).await)?)
    }

    /// The moves of a board, in order.
    pub async fn moves(&mut self, board: BoardKey) -> Result<Vec<MoveRow>, StoreError> {
        let sql = "SELECT number, seat, kind, text, auto, at FROM moves WHERE board_id = $1 ORDER BY number";
        Ok(on!(self, c => sqlx::query_as::<_, MoveRow>(sql).bind(board.0).fetch_all(c).await)?)
    }
}

impl WriteTx {
    /// Stores a move. The number is unique on its board: of two, one gets [`StoreError::Conflict`].
    ///
    /// # Errors
    /// When the number is taken, or the database fails.
    pub async fn insert_move(&mut self, board: BoardKey, entry: &MoveRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO moves (board_id, number, seat, kind, text, auto, at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.0)
            .bind(entry.number)
            .bind(entry.seat)
            .bind(entry.kind.as_str())
            .bind(&entry.text)
            .bind(entry.auto)
            .bind(entry.at.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Deletes all moves of a board that is restarted.
    pub async fn delete_moves(&mut self, board: BoardKey) -> Result<(), StoreError> {
        on!(self.writing(), c => sqlx::query("DELETE FROM moves WHERE board_id = $1").bind(board.0).execute(c).await.map(drop))?;
        Ok(())
    }
}

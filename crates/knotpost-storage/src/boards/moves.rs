use crate::connection::{StoreError, on};
use crate::rows::MoveRow;
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::BoardKey;

impl ReadTx {
    /// Moves after the first `ply`, in order.
    pub async fn moves_after(&mut self, board: BoardKey, ply: i64) -> Result<Vec<MoveRow>, StoreError> {
        let sql = "SELECT number, seat, kind, text, auto, at FROM moves WHERE board_id = $1 AND number > $2 \
                   ORDER BY number";
        Ok(on!(self, c => sqlx::query_as::<_, MoveRow>(sql).bind(board.0).bind(ply).fetch_all(c).await)?)
    }

    /// In order.
    pub async fn moves(&mut self, board: BoardKey) -> Result<Vec<MoveRow>, StoreError> {
        let sql = "SELECT number, seat, kind, text, auto, at FROM moves WHERE board_id = $1 ORDER BY number";
        Ok(on!(self, c => sqlx::query_as::<_, MoveRow>(sql).bind(board.0).fetch_all(c).await)?)
    }
}

impl WriteTx {
    /// Numbers are unique per board: of two equal ones, one fails with [`StoreError::Conflict`].
    pub async fn insert_move(&mut self, board: BoardKey, entry: &MoveRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO moves (board_id, number, seat, kind, text, auto, at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        on!(self.writing().await?, c => sqlx::query(sql)
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

    pub async fn delete_moves(&mut self, board: BoardKey) -> Result<(), StoreError> {
        on!(self.writing().await?, c => sqlx::query("DELETE FROM moves WHERE board_id = $1").bind(board.0).execute(c).await.map(drop))?;
        Ok(())
    }
}

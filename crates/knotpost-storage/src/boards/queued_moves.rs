use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct QueuedMoveRow {
    /// Position in the queue, from 1.
    pub place: i64,
    /// Expected move of another seat, as typed.
    pub condition: Option<String>,
    pub text: String,
    pub number: Option<i64>,
    pub ply: i64,
}

impl ReadTx {
    /// In order.
    pub async fn queued_moves(
        &mut self,
        board: BoardKey,
        seat: i64,
    ) -> Result<Vec<QueuedMoveRow>, StoreError> {
        let sql = "SELECT place, condition, text, number, ply FROM queued_moves \
                   WHERE board_id = $1 AND seat = $2 ORDER BY place";
        Ok(
            on!(self, c => sqlx::query_as::<_, QueuedMoveRow>(sql).bind(board.0).bind(seat).fetch_all(c).await)?,
        )
    }
}

impl WriteTx {
    pub async fn save_queue(
        &mut self,
        board: BoardKey,
        seat: i64,
        moves: &[QueuedMoveRow],
        now: Millis,
    ) -> Result<(), StoreError> {
        self.delete_queue(board, Some(seat)).await?;
        let sql = "INSERT INTO queued_moves (board_id, seat, place, condition, text, number, ply, at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        for row in moves {
            on!(self.writing(), c => sqlx::query(sql)
                .bind(board.0)
                .bind(seat)
                .bind(row.place)
                .bind(&row.condition)
                .bind(&row.text)
                .bind(row.number)
                .bind(row.ply)
                .bind(now.0)
                .execute(c)
                .await
                .map(drop))?;
        }
        Ok(())
    }

    pub async fn delete_queued(&mut self, board: BoardKey, seat: i64, place: i64) -> Result<(), StoreError> {
        let sql = "DELETE FROM queued_moves WHERE board_id = $1 AND seat = $2 AND place = $3";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(seat).bind(place).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn delete_queue(&mut self, board: BoardKey, seat: Option<i64>) -> Result<(), StoreError> {
        let sql = "DELETE FROM queued_moves WHERE board_id = $1 AND ($2 IS NULL OR seat = $2)";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(seat).execute(c).await.map(drop))?;
        Ok(())
    }
}

//! Submitted moves, waiting for confirmation.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SubmissionRow {
    pub ply: i64,
    pub text: String,
    pub comment: String,
}

impl ReadTx {
    /// Last submission of a seat, even if no longer valid.
    pub async fn submission(
        &mut self,
        board: BoardKey,
        seat: i64,
    ) -> Result<Option<SubmissionRow>, StoreError> {
        let sql = "SELECT ply, text, comment FROM submissions WHERE board_id = $1 AND seat = $2";
        Ok(
            on!(self, c => sqlx::query_as::<_, SubmissionRow>(sql).bind(board.0).bind(seat).fetch_optional(c).await)?,
        )
    }
}

impl WriteTx {
    pub async fn save_submission(
        &mut self,
        board: BoardKey,
        seat: i64,
        row: &SubmissionRow,
        now: Millis,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO submissions (board_id, seat, ply, text, comment, at) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (board_id, seat) DO UPDATE SET ply = $3, text = $4, comment = $5, at = $6";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.0)
            .bind(seat)
            .bind(row.ply)
            .bind(&row.text)
            .bind(&row.comment)
            .bind(now.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    pub async fn delete_submission(&mut self, board: BoardKey, seat: i64) -> Result<(), StoreError> {
        let sql = "DELETE FROM submissions WHERE board_id = $1 AND seat = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(seat).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn delete_submissions(&mut self, board: BoardKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM submissions WHERE board_id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).execute(c).await.map(drop))?;
        Ok(())
    }
}

//! Moves that were shown to their player and wait to be confirmed.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis};

/// A move that waits to be confirmed.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SubmissionRow {
    /// How many moves the board had when it was submitted.
    pub ply: i64,
    /// The move, as typed.
    pub text: String,
    /// What is to be said with it.
    pub comment: String,
}

impl ReadTx {
    /// What a seat has submitted last, whether it can still be played or not.
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
    /// Stores what a seat submitted, in place of its last submission.
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

    /// Deletes what a seat submitted.
    pub async fn delete_submission(&mut self, board: BoardKey, seat: i64) -> Result<(), StoreError> {
        let sql = "DELETE FROM submissions WHERE board_id = $1 AND seat = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).bind(seat).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Deletes the submissions of all seats of a board.
    pub async fn delete_submissions(&mut self, board: BoardKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM submissions WHERE board_id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(board.0).execute(c).await.map(drop))?;
        Ok(())
    }
}

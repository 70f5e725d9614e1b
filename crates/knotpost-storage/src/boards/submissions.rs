//! Submitted moves, waiting for confirmation.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SubmissionRow {
        pub ply: i64,
        pub text: String,
        pub comment: String,
    }
}

impl ReadTx {
    /// Last submission of a seat, even if no longer valid.
    pub async fn submission(&mut self, board: BoardKey, seat: i64) -> Result<Option<SubmissionRow>> {
        let sql = "SELECT ply, text, comment FROM submissions WHERE board_id = $1 AND seat = $2";
        self.fetch_optional(sql, &[&board, &seat]).await
    }
}

impl WriteTx {
    pub async fn save_submission(
        &mut self,
        board: BoardKey,
        seat: i64,
        row: &SubmissionRow,
        now: Millis,
    ) -> Result<()> {
        let sql = "INSERT INTO submissions (board_id, seat, ply, text, comment, at) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (board_id, seat) DO UPDATE SET ply = $3, text = $4, comment = $5, at = $6";
        self.exec(sql, &[&board, &seat, &row.ply, &row.text, &row.comment, &now]).await
    }

    pub async fn delete_submission(&mut self, board: BoardKey, seat: i64) -> Result<()> {
        self.exec("DELETE FROM submissions WHERE board_id = $1 AND seat = $2", &[&board, &seat]).await
    }

    pub async fn delete_submissions(&mut self, board: BoardKey) -> Result<()> {
        self.exec("DELETE FROM submissions WHERE board_id = $1", &[&board]).await
    }
}

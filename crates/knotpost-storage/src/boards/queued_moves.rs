use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct QueuedMoveRow {
        /// Position in the queue, from 1.
        pub place: i64,
        /// Expected move of another seat, as typed.
        pub condition: Option<String>,
        pub text: String,
        pub number: Option<i64>,
        pub ply: i64,
    }
}

impl ReadTx {
    /// In order.
    pub async fn queued_moves(&mut self, board: BoardKey, seat: i64) -> Result<Vec<QueuedMoveRow>> {
        let sql = "SELECT place, condition, text, number, ply FROM queued_moves \
                   WHERE board_id = $1 AND seat = $2 ORDER BY place";
        self.fetch_all(sql, &[&board, &seat]).await
    }
}

impl WriteTx {
    pub async fn save_queue(
        &mut self,
        board: BoardKey,
        seat: i64,
        moves: &[QueuedMoveRow],
        now: Millis,
    ) -> Result<()> {
        self.delete_queue(board, Some(seat)).await?;
        let sql = "INSERT INTO queued_moves (board_id, seat, place, condition, text, number, ply, at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        for row in moves {
            self.exec(
                sql,
                &[&board, &seat, &row.place, &row.condition, &row.text, &row.number, &row.ply, &now],
            )
            .await?;
        }
        Ok(())
    }

    pub async fn delete_queued(&mut self, board: BoardKey, seat: i64, place: i64) -> Result<()> {
        let sql = "DELETE FROM queued_moves WHERE board_id = $1 AND seat = $2 AND place = $3";
        self.exec(sql, &[&board, &seat, &place]).await
    }

    pub async fn delete_queue(&mut self, board: BoardKey, seat: Option<i64>) -> Result<()> {
        let sql = "DELETE FROM queued_moves WHERE board_id = $1 AND ($2 IS NULL OR seat = $2)";
        self.exec(sql, &[&board, &seat]).await
    }
}

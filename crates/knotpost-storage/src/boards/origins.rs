//! Origins of boards: seeks and rematches.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::BoardKey;

row! {
    /// A plain challenge has no row.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct OriginRow {
        pub sought: bool,
        pub rematch_of: Option<i64>,
    }
}

impl ReadTx {
    pub async fn board_origin(&mut self, board: BoardKey) -> Result<OriginRow> {
        let sql = "SELECT sought, rematch_of FROM board_origins WHERE board_id = $1";
        let row = self.fetch_optional::<OriginRow>(sql, &[&board]).await?;
        Ok(row.unwrap_or_default())
    }

    pub async fn rematch_in_play(&mut self, board: BoardKey) -> Result<Option<i64>> {
        let sql = "SELECT b.number FROM board_origins o JOIN boards b ON b.id = o.board_id \
                   WHERE o.rematch_of = $1 AND b.state = 'active' ORDER BY b.id DESC LIMIT 1";
        self.fetch_optional(sql, &[&board]).await
    }
}

impl WriteTx {
    pub async fn insert_board_origin(&mut self, board: BoardKey, row: OriginRow) -> Result<()> {
        let sql = "INSERT INTO board_origins (board_id, sought, rematch_of) VALUES ($1, $2, $3)";
        self.exec(sql, &[&board, &row.sought, &row.rematch_of]).await
    }
}

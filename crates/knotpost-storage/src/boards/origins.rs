//! Origins of boards: seeks and rematches.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::BoardKey;

/// A plain challenge has no row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, FromRow)]
pub struct OriginRow {
    pub sought: bool,
    pub rematch_of: Option<i64>,
}

impl ReadTx {
    pub async fn board_origin(&mut self, board: BoardKey) -> Result<OriginRow, StoreError> {
        let sql = "SELECT sought, rematch_of FROM board_origins WHERE board_id = $1";
        let row = on!(self, c => sqlx::query_as::<_, OriginRow>(sql).bind(board.0).fetch_optional(c).await)?;
        Ok(row.unwrap_or_default())
    }

    pub async fn rematch_in_play(&mut self, board: BoardKey) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT b.number FROM board_origins o JOIN boards b ON b.id = o.board_id \
                   WHERE o.rematch_of = $1 AND b.state = 'active' ORDER BY b.id DESC LIMIT 1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(board.0).fetch_optional(c).await)?)
    }
}

impl WriteTx {
    pub async fn insert_board_origin(&mut self, board: BoardKey, row: OriginRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO board_origins (board_id, sought, rematch_of) VALUES ($1, $2, $3)";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(board.0)
            .bind(row.sought)
            .bind(row.rematch_of)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }
}

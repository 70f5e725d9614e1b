//! The moves of boards.

use std::collections::HashMap;

use sqlx::FromRow;

use crate::connection::{StoreError, key_list, on};
use crate::rows::MoveRow;
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::BoardKey;

/// A move and its board.
#[derive(Debug, FromRow)]
struct Line {
    #[sqlx(rename = "board_id", try_from = "i64")]
    board: BoardKey,
    #[sqlx(flatten)]
    entry: MoveRow,
}

const SEVERAL_ON_SQLITE: &str = "SELECT m.board_id, m.number, m.seat, m.kind, m.text, m.auto, m.at \
     FROM json_each($1) AS asked CROSS JOIN moves m WHERE m.board_id = asked.value ORDER BY m.board_id, m.number";
/// One board at a time, as with `seated_boards`.
const SEVERAL_ON_POSTGRES: &str = "SELECT found.* \
     FROM UNNEST(CAST(TRANSLATE($1, '[]', '{}') AS BIGINT[])) AS asked (id) CROSS JOIN LATERAL \
     (SELECT m.board_id, m.number, m.seat, m.kind, m.text, m.auto, m.at FROM moves m WHERE m.board_id = asked.id \
     ORDER BY m.number) AS found ORDER BY found.board_id, found.number";

impl ReadTx {
    /// The moves of a board, in order.
    pub async fn moves(&mut self, board: BoardKey) -> Result<Vec<MoveRow>, StoreError> {
        let sql = "SELECT number, seat, kind, text, auto, at FROM moves WHERE board_id = $1 ORDER BY number";
        Ok(on!(self, c => sqlx::query_as::<_, MoveRow>(sql).bind(board.0).fetch_all(c).await)?)
    }

    /// The moves of several boards, those of each in order; boards without moves are left out.
    pub async fn moves_of(
        &mut self,
        keys: &[BoardKey],
    ) -> Result<HashMap<BoardKey, Vec<MoveRow>>, StoreError> {
        let mut moves: HashMap<BoardKey, Vec<MoveRow>> = HashMap::new();
        if keys.is_empty() {
            return Ok(moves);
        }
        let sql = if self.is_postgres() { SEVERAL_ON_POSTGRES } else { SEVERAL_ON_SQLITE };
        for Line { board, entry } in
            on!(self, c => sqlx::query_as::<_, Line>(sql).bind(key_list(keys)).fetch_all(c).await)?
        {
            moves.entry(board).or_default().push(entry);
        }
        Ok(moves)
    }
}

impl WriteTx {
    /// Numbers are unique per board: of two equal ones, one fails with [`StoreError::Conflict`].
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

    pub async fn delete_moves(&mut self, board: BoardKey) -> Result<(), StoreError> {
        on!(self.writing(), c => sqlx::query("DELETE FROM moves WHERE board_id = $1").bind(board.0).execute(c).await.map(drop))?;
        Ok(())
    }
}

//! The moves of boards.

use std::collections::HashMap;

use crate::connection::{Result, key_list, row};
use crate::rows::MoveRow;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::BoardKey;

row! {
    /// A move and its board.
    #[derive(Debug)]
    struct Line {
        board: BoardKey as "board_id",
        entry: MoveRow,
    }
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
    pub async fn moves(&mut self, board: BoardKey) -> Result<Vec<MoveRow>> {
        let sql = "SELECT number, seat, kind, text, auto, at FROM moves WHERE board_id = $1 ORDER BY number";
        self.fetch_all(sql, &[&board]).await
    }

    /// The moves of several boards, those of each in order; boards without moves are left out.
    pub async fn moves_of(&mut self, keys: &[BoardKey]) -> Result<HashMap<BoardKey, Vec<MoveRow>>> {
        let mut moves: HashMap<BoardKey, Vec<MoveRow>> = HashMap::new();
        if keys.is_empty() {
            return Ok(moves);
        }
        let sql = if self.is_postgres() { SEVERAL_ON_POSTGRES } else { SEVERAL_ON_SQLITE };
        for Line { board, entry } in self.fetch_all::<Line>(sql, &[&key_list(keys)]).await? {
            moves.entry(board).or_default().push(entry);
        }
        Ok(moves)
    }
}

impl WriteTx {
    /// Numbers are unique per board: of two equal ones, one fails with [`crate::StoreError::Conflict`].
    pub async fn insert_move(&mut self, board: BoardKey, entry: &MoveRow) -> Result<()> {
        let sql = "INSERT INTO moves (board_id, number, seat, kind, text, auto, at) VALUES ($1, $2, $3, $4, $5, $6, $7)";
        self.exec(
            sql,
            &[&board, &entry.number, &entry.seat, &entry.kind, &entry.text, &entry.auto, &entry.at],
        )
        .await
    }

    pub async fn delete_moves(&mut self, board: BoardKey) -> Result<()> {
        self.exec("DELETE FROM moves WHERE board_id = $1", &[&board]).await
    }
}

//! Remarks of a board, and its version for polling.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements};
use knotpost_model::{BoardKey, BoardState, Millis, RemarkKind};

row! {
    #[derive(Clone, Debug)]
    pub struct ChatRow {
        /// Number of the move it was made with or after; 0: the challenge.
        pub ply: i64,
        /// `None`: the sender of the challenge.
        pub userid: Option<String>,
        pub kind: RemarkKind,
        pub text: String,
        pub at: Millis,
    }
}

row! {
    /// Version of a board; some value changes with every event.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PulseRow {
        pub ply: i64,
        pub moved_at: Option<i64>,
        pub state: BoardState,
        pub remark: Option<i64>,
        pub proposed_at: Option<i64>,
    }
}

impl ReadTx {
    /// Latest remarks, in chronological order.
    pub async fn chat_lines(&mut self, board: BoardKey, limit: i64) -> Result<Vec<ChatRow>> {
        let sql = "SELECT r.ply, u.userid, r.kind, r.text, r.at FROM remarks r \
                   LEFT JOIN users u ON u.id = r.user_id \
                   WHERE r.board_id = $1 ORDER BY r.ply DESC, r.id DESC LIMIT $2";
        let mut rows: Vec<ChatRow> = self.fetch_all(sql, &[&board, &limit]).await?;
        rows.reverse();
        Ok(rows)
    }

    pub async fn board_pulse(&mut self, game: &str, number: u32) -> Result<Option<PulseRow>> {
        let sql = "SELECT b.ply, b.state, \
                   (SELECT at FROM moves m WHERE m.board_id = b.id AND m.number = b.ply) AS moved_at, \
                   (SELECT MAX(id) FROM remarks r WHERE r.board_id = b.id) AS remark, \
                   (SELECT at FROM proposals p WHERE p.board_id = b.id AND p.ply = b.ply) AS proposed_at \
                   FROM boards b WHERE b.game = $1 AND b.number = $2";
        self.fetch_optional(sql, &[&game, &number]).await
    }
}

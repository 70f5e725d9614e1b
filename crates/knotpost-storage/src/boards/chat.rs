//! Remarks around a board, and a short query that tells whether anything happened there.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::ReadTx;
use knotpost_model::{BoardKey, BoardState, Millis, RemarkKind};

/// A remark.
#[derive(Clone, Debug, FromRow)]
pub struct ChatRow {
    /// Made with this move, or after it; 0: with the challenge.
    pub ply: i64,
    /// Its author; `None`: the sender of the challenge.
    pub userid: Option<String>,
    /// How it was made.
    #[sqlx(try_from = "String")]
    pub kind: RemarkKind,
    /// The words.
    pub text: String,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub at: Millis,
}

/// What changes when something happens on a board.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct PulseRow {
    /// The number of the last move.
    pub ply: i64,
    /// When the last move was made.
    pub moved_at: Option<i64>,
    /// Active, over or removed.
    #[sqlx(try_from = "String")]
    pub state: BoardState,
    /// The last remark.
    pub remark: Option<i64>,
    /// When a proposal that is still open was made.
    pub proposed_at: Option<i64>,
}

impl ReadTx {
    /// The latest remarks around a board, at most `limit`, in the order in which they were made.
    pub async fn chat_lines(&mut self, board: BoardKey, limit: i64) -> Result<Vec<ChatRow>, StoreError> {
        let sql = "SELECT r.ply, u.userid, r.kind, r.text, r.at FROM remarks r \
                   LEFT JOIN users u ON u.id = r.user_id \
                   WHERE r.board_id = $1 ORDER BY r.ply DESC, r.id DESC LIMIT $2";
        let mut rows: Vec<ChatRow> = on!(self, c => sqlx::query_as::<_, ChatRow>(sql)
            .bind(board.0)
            .bind(limit)
            .fetch_all(c)
            .await)?;
        rows.reverse();
        Ok(rows)
    }

    /// Values of which one changes whenever something happens on the board; `None`: there is no such board.
    pub async fn board_pulse(&mut self, game: &str, number: u32) -> Result<Option<PulseRow>, StoreError> {
        let sql = "SELECT b.ply, b.state, \
                   (SELECT at FROM moves m WHERE m.board_id = b.id AND m.number = b.ply) AS moved_at, \
                   (SELECT MAX(id) FROM remarks r WHERE r.board_id = b.id) AS remark, \
                   (SELECT at FROM proposals p WHERE p.board_id = b.id AND p.ply = b.ply) AS proposed_at \
                   FROM boards b WHERE b.game = $1 AND b.number = $2";
        Ok(on!(self, c => sqlx::query_as::<_, PulseRow>(sql)
            .bind(game)
            .bind(i64::from(number))
            .fetch_optional(c)
            .await)?)
    }
}

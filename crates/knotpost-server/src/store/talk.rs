//! What was said around a board, and a short look at whether anything happened there.

use sqlx::FromRow;

use super::{StoreError, Tx, on};
use crate::domain::{BoardKey, BoardState, Millis, RemarkKind};

/// Something that was said.
#[derive(Clone, Debug, FromRow)]
pub struct TalkRow {
    /// Said with this move, or after it; 0: with the challenge.
    pub ply: i64,
    /// Who said it; `None`: whoever sent the challenge.
    pub userid: Option<String>,
    /// How it was said.
    #[sqlx(try_from = "String")]
    pub kind: RemarkKind,
    /// The words.
    pub text: String,
    /// When.
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
    /// The last thing that was said.
    pub remark: Option<i64>,
    /// When something was proposed that still waits.
    pub proposed_at: Option<i64>,
}

impl Tx {
    /// The latest words around a board, at most `limit`, in the order they were said.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn talk(&mut self, board: BoardKey, limit: i64) -> Result<Vec<TalkRow>, StoreError> {
        let sql = "SELECT r.ply, u.userid, r.kind, r.text, r.at FROM remarks r \
                   LEFT JOIN users u ON u.id = r.user_id \
                   WHERE r.board_id = $1 ORDER BY r.ply DESC, r.id DESC LIMIT $2";
        let mut rows: Vec<TalkRow> = on!(self, c => sqlx::query_as::<_, TalkRow>(sql)
            .bind(board.0)
            .bind(limit)
            .fetch_all(c)
            .await)?;
        rows.reverse();
        Ok(rows)
    }

    /// What would have changed if anything had happened on the board; `None`: there is no such board.
    ///
    /// # Errors
    /// When the database fails.
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

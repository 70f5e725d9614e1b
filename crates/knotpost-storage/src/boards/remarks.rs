//! Remarks: comments on moves, and chat.

use crate::connection::{Result, key_list};
use crate::rows::RemarkRow;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BoardKey, Millis, RemarkKey, RemarkKind, UserKey};

const REMARKS_ON_SQLITE: &str = "SELECT r.id, r.ply, u.userid, r.kind, r.text \
     FROM remarks r LEFT JOIN users u ON u.id = r.user_id WHERE r.id IN (SELECT value FROM json_each($1)) ORDER BY r.id";

/// One row at a time, forced by the limit: with all keys at once PostgreSQL may reuse a plan that scans a
/// table that was small when planned.
const REMARKS_ON_POSTGRES: &str = "SELECT r.id, r.ply, r.userid, r.kind, r.text \
     FROM UNNEST(CAST(TRANSLATE($1, '[]', '{}') AS BIGINT[])) AS asked (id) CROSS JOIN LATERAL \
     (SELECT s.id, s.ply, u.userid, s.kind, s.text FROM remarks s LEFT JOIN users u ON u.id = s.user_id \
     WHERE s.id = asked.id LIMIT 1) AS r ORDER BY r.id";

impl ReadTx {
    pub async fn remarks(&mut self, keys: &[RemarkKey]) -> Result<Vec<RemarkRow>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let sql = if self.is_postgres() { REMARKS_ON_POSTGRES } else { REMARKS_ON_SQLITE };
        self.fetch_all(sql, &[&key_list(keys)]).await
    }

    pub async fn remark(&mut self, key: RemarkKey) -> Result<Option<RemarkRow>> {
        let sql = "SELECT r.id, r.ply, u.userid, r.kind, r.text FROM remarks r LEFT JOIN users u ON u.id = r.user_id WHERE r.id = $1";
        self.fetch_optional(sql, &[&key]).await
    }

    /// Comment on a move, or at ply 0 on the challenge.
    pub async fn comment(&mut self, board: BoardKey, ply: i64) -> Result<Option<RemarkRow>> {
        let sql = "SELECT r.id, r.ply, u.userid, r.kind, r.text FROM remarks r LEFT JOIN users u ON u.id = r.user_id \
                   WHERE r.board_id = $1 AND r.ply = $2 AND r.kind = 'comment' ORDER BY r.id DESC LIMIT 1";
        self.fetch_optional(sql, &[&board, &ply]).await
    }
}

impl WriteTx {
    /// Stores words of a user, unless they and another player of the board do not hear each other.
    pub async fn say(
        &mut self,
        board: BoardKey,
        ply: i64,
        user: UserKey,
        kind: RemarkKind,
        text: &str,
        at: Millis,
    ) -> Result<Option<RemarkKey>> {
        if self.is_shunned_on(board, user).await? {
            return Ok(None);
        }
        self.insert_remark(board, ply, Some(user), kind, text, at).await.map(Some)
    }

    /// Stores words of the server, of a record or with a challenge. What users say on a board goes through
    /// [`Self::say`].
    pub async fn insert_remark(
        &mut self,
        board: BoardKey,
        ply: i64,
        user: Option<UserKey>,
        kind: RemarkKind,
        text: &str,
        at: Millis,
    ) -> Result<RemarkKey> {
        let sql = "INSERT INTO remarks (board_id, ply, user_id, kind, text, at) VALUES ($1, $2, $3, $4, $5, $6) RETURNING id";
        self.fetch_one(sql, &[&board, &ply, &user, &kind, &text, &at]).await
    }
}

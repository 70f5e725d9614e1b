//! Boards waiting for a user's daily mail.

use sqlx::FromRow;

use crate::connection::{StoreError, claim, on};
use crate::rows::RemarkRow;
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BoardKey, Millis, UserKey};

#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct DigestBoard {
    #[sqlx(try_from = "i64")]
    pub board_id: BoardKey,
    #[sqlx(try_from = "i64")]
    pub since: Millis,
}

impl ReadTx {
    pub async fn digest_due(&mut self, user: UserKey) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT due_at FROM digests WHERE user_id = $1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(user.0).fetch_optional(c).await)?)
    }

    /// Due time of the earliest digest.
    pub async fn next_digest_due(&mut self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MIN(due_at) FROM digests";
        Ok(on!(self, c => sqlx::query_scalar::<_, Option<i64>>(sql).fetch_one(c).await)?)
    }

    /// Remarks on a board from a time on, in order.
    pub async fn remarks_since(
        &mut self,
        board: BoardKey,
        since: Millis,
    ) -> Result<Vec<RemarkRow>, StoreError> {
        let sql = "SELECT r.id, r.ply, u.userid, r.kind, r.text FROM remarks r LEFT JOIN users u ON u.id = r.user_id \
                   WHERE r.board_id = $1 AND r.at >= $2 ORDER BY r.id";
        Ok(
            on!(self, c => sqlx::query_as::<_, RemarkRow>(sql).bind(board.0).bind(since.0).fetch_all(c).await)?,
        )
    }
}

impl WriteTx {
    /// Further changes before the mail add nothing.
    pub async fn add_to_digest(
        &mut self,
        user: UserKey,
        board: BoardKey,
        now: Millis,
    ) -> Result<(), StoreError> {
        let sql =
            "INSERT INTO digest_boards (user_id, board_id, since) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(board.0).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Sets when the user's next digest is due.
    pub async fn set_digest_due(&mut self, user: UserKey, due: Millis) -> Result<(), StoreError> {
        let sql = "INSERT INTO digests (user_id, due_at) VALUES ($1, $2) \
                   ON CONFLICT (user_id) DO UPDATE SET due_at = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(due.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Deletes the digest due longest and returns its user and boards.
    pub async fn take_digest(
        &mut self,
        now: Millis,
    ) -> Result<Option<(UserKey, Vec<DigestBoard>)>, StoreError> {
        let user: Option<i64> = claim!(
            self.writing(),
            "DELETE FROM digests WHERE user_id = (SELECT user_id FROM digests WHERE due_at <= $1 \
             ORDER BY due_at, user_id LIMIT 1",
            ") RETURNING user_id",
            q => sqlx::query_scalar(q.0).bind(now.0).fetch_optional(q.1).await
        )?;
        let Some(user) = user else { return Ok(None) };
        let sql = "DELETE FROM digest_boards WHERE user_id = $1 RETURNING board_id, since";
        let mut boards: Vec<DigestBoard> =
            on!(self.writing(), c => sqlx::query_as(sql).bind(user).fetch_all(c).await)?;
        boards.sort_by_key(|board| (board.since, board.board_id));
        Ok(Some((UserKey(user), boards)))
    }

    pub async fn end_digest(&mut self, user: UserKey) -> Result<(), StoreError> {
        for sql in ["DELETE FROM digest_boards WHERE user_id = $1", "DELETE FROM digests WHERE user_id = $1"]
        {
            on!(self.writing(), c => sqlx::query(sql).bind(user.0).execute(c).await.map(drop))?;
        }
        Ok(())
    }

    /// Makes digests due whose boards wait without a time.
    pub async fn mend_digests(&mut self, now: Millis) -> Result<u64, StoreError> {
        let sql = "INSERT INTO digests (user_id, due_at) SELECT DISTINCT user_id, CAST($1 AS BIGINT) FROM digest_boards b \
                   WHERE NOT EXISTS (SELECT 1 FROM digests d WHERE d.user_id = b.user_id) \
                   ON CONFLICT (user_id) DO NOTHING";
        Ok(
            on!(self.writing(), c => sqlx::query(sql).bind(now.0).execute(c).await.map(|done| done.rows_affected()))?,
        )
    }
}

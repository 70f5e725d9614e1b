//! Password resets: codes, and tries of them.

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

impl ReadTx {
    /// Times of valid codes, newest first: after `since`, and tried fewer than `most` times.
    pub async fn live_resets(
        &mut self,
        user: UserKey,
        since: Millis,
        most: i64,
    ) -> Result<Vec<Millis>, StoreError> {
        let sql =
            "SELECT at FROM password_resets WHERE user_id = $1 AND at > $2 AND tries < $3 ORDER BY at DESC";
        let moments: Vec<i64> =
            on!(self, c => sqlx::query_scalar(sql).bind(user.0).bind(since.0).bind(most).fetch_all(c).await)?;
        Ok(moments.into_iter().map(Millis).collect())
    }

    pub async fn has_reset(&mut self, user: UserKey, at: Millis) -> Result<bool, StoreError> {
        let sql = "SELECT at FROM password_resets WHERE user_id = $1 AND at = $2";
        let found: Option<i64> =
            on!(self, c => sqlx::query_scalar(sql).bind(user.0).bind(at.0).fetch_optional(c).await)?;
        Ok(found.is_some())
    }
}

impl WriteTx {
    /// Only the digest of the code is stored.
    pub async fn add_reset(
        &mut self,
        user: UserKey,
        code_digest: &str,
        now: Millis,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO password_resets (user_id, code_digest, tries, at) VALUES ($1, $2, 0, $3) \
                   ON CONFLICT (user_id, at) DO NOTHING";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(code_digest).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Counts a try with each valid code of a user (after `since`, fewer than `most` tries) and returns their
    /// digests; none: nothing to try.
    pub async fn try_resets(
        &mut self,
        user: UserKey,
        since: Millis,
        most: i64,
    ) -> Result<Vec<String>, StoreError> {
        let sql = "UPDATE password_resets SET tries = tries + 1 WHERE user_id = $1 AND at > $2 AND tries < $3 \
                   RETURNING code_digest";
        Ok(
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(user.0).bind(since.0).bind(most).fetch_all(c).await)?,
        )
    }

    pub async fn drop_reset(&mut self, user: UserKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM password_resets WHERE user_id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Deletes a batch of expired codes from before `before`; true if there may be more.
    pub async fn prune_resets(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM password_resets WHERE (user_id, at) IN \
                   (SELECT user_id, at FROM password_resets WHERE at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

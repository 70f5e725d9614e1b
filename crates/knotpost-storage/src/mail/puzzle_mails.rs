//! Subscribers of the daily puzzles, and their next mails.

use crate::connection::{StoreError, claim, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

impl ReadTx {
    pub async fn next_puzzle_mail_due(&mut self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MIN(due_at) FROM puzzle_mails";
        Ok(on!(self, c => sqlx::query_scalar::<_, Option<i64>>(sql).fetch_one(c).await)?)
    }
}

impl WriteTx {
    pub async fn set_puzzle_mail_due(&mut self, user: UserKey, due: Millis) -> Result<(), StoreError> {
        let sql = "INSERT INTO puzzle_mails (user_id, due_at) VALUES ($1, $2) \
                   ON CONFLICT (user_id) DO UPDATE SET due_at = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(due.0).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn end_puzzle_mails(&mut self, user: UserKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM puzzle_mails WHERE user_id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Deletes and returns the longest due entries. Users who stay subscribed are entered again in the same
    /// transaction.
    pub async fn take_puzzle_mails(&mut self, now: Millis, most: i64) -> Result<Vec<UserKey>, StoreError> {
        let users: Vec<i64> = claim!(
            self.writing(),
            "DELETE FROM puzzle_mails WHERE user_id IN (SELECT user_id FROM puzzle_mails WHERE due_at <= $1 \
             ORDER BY due_at, user_id LIMIT $2",
            ") RETURNING user_id",
            q => sqlx::query_scalar(q.0).bind(now.0).bind(most).fetch_all(q.1).await
        )?;
        Ok(users.into_iter().map(UserKey).collect())
    }
}

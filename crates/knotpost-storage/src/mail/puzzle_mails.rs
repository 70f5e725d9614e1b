//! Subscribers of the daily puzzles, and their next mails.

use crate::connection::{Result, claim};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

impl ReadTx {
    pub async fn next_puzzle_mail_due(&mut self) -> Result<Option<i64>> {
        self.fetch_one("SELECT MIN(due_at) FROM puzzle_mails", &[]).await
    }
}

impl WriteTx {
    pub async fn set_puzzle_mail_due(&mut self, user: UserKey, due: Millis) -> Result<()> {
        let sql = "INSERT INTO puzzle_mails (user_id, due_at) VALUES ($1, $2) \
                   ON CONFLICT (user_id) DO UPDATE SET due_at = $2";
        self.exec(sql, &[&user, &due]).await
    }

    pub async fn end_puzzle_mails(&mut self, user: UserKey) -> Result<()> {
        self.exec("DELETE FROM puzzle_mails WHERE user_id = $1", &[&user]).await
    }

    /// Deletes and returns the longest due entries. Users who stay subscribed are entered again in the same
    /// transaction.
    pub async fn take_puzzle_mails(&mut self, now: Millis, most: i64) -> Result<Vec<UserKey>> {
        let sql = claim!(
            self,
            "DELETE FROM puzzle_mails WHERE user_id IN (SELECT user_id FROM puzzle_mails WHERE due_at <= $1 \
             ORDER BY due_at, user_id LIMIT $2",
            ") RETURNING user_id"
        );
        self.fetch_all(sql, &[&now, &most]).await
    }
}

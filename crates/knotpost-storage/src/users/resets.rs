//! Password resets: codes, and tries of them.

use crate::connection::Result;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

impl ReadTx {
    /// Times of valid codes, newest first: after `since`, and tried fewer than `most` times.
    pub async fn live_resets(&mut self, user: UserKey, since: Millis, most: i64) -> Result<Vec<Millis>> {
        let sql =
            "SELECT at FROM password_resets WHERE user_id = $1 AND at > $2 AND tries < $3 ORDER BY at DESC";
        self.fetch_all(sql, &[&user, &since, &most]).await
    }

    pub async fn has_reset(&mut self, user: UserKey, at: Millis) -> Result<bool> {
        self.any("SELECT at FROM password_resets WHERE user_id = $1 AND at = $2", &[&user, &at]).await
    }
}

impl WriteTx {
    /// Only the digest of the code is stored.
    pub async fn add_reset(&mut self, user: UserKey, code_digest: &str, now: Millis) -> Result<()> {
        let sql = "INSERT INTO password_resets (user_id, code_digest, tries, at) VALUES ($1, $2, 0, $3) \
                   ON CONFLICT (user_id, at) DO NOTHING";
        self.exec(sql, &[&user, &code_digest, &now]).await
    }

    /// Counts a try with each valid code of a user (after `since`, fewer than `most` tries) and returns their
    /// digests; none: nothing to try.
    pub async fn try_resets(&mut self, user: UserKey, since: Millis, most: i64) -> Result<Vec<String>> {
        let sql = "UPDATE password_resets SET tries = tries + 1 WHERE user_id = $1 AND at > $2 AND tries < $3 \
                   RETURNING code_digest";
        self.fetch_all(sql, &[&user, &since, &most]).await
    }

    pub async fn drop_reset(&mut self, user: UserKey) -> Result<()> {
        self.exec("DELETE FROM password_resets WHERE user_id = $1", &[&user]).await
    }

    /// Deletes a batch of expired codes from before `before`; true if there may be more.
    pub async fn prune_resets(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM password_resets WHERE (user_id, at) IN \
                   (SELECT user_id, at FROM password_resets WHERE at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }
}

//! Sealed data, for key rotation.

use crate::connection::Result;
use crate::transaction::{ReadTx, Statements};

impl ReadTx {
    /// Received mails whose sealed bytes have this prefix.
    pub async fn count_sealed_mails(&mut self, beginning: &[u8]) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM inbox WHERE raw IS NOT NULL AND substr(raw, 1, $1) = $2";
        let length = i32::try_from(beginning.len()).unwrap_or(i32::MAX);
        self.fetch_one(sql, &[&length, &beginning]).await
    }

    /// Sealed secrets of webhooks by row, after this one.
    pub async fn webhook_secrets(&mut self, after: i64, limit: i64) -> Result<Vec<(i64, Vec<u8>)>> {
        let sql = "SELECT id, secret FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2";
        self.fetch_all(sql, &[&after, &limit]).await
    }
}

//! Responses to requests with an Idempotency-Key.

use crate::connection::Result;
use crate::rows::{RequestKey, SavedResponse};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::Millis;

impl ReadTx {
    pub async fn saved_response(&mut self, key: &RequestKey) -> Result<Option<SavedResponse>> {
        let sql = "SELECT request_digest, status, content_type, body FROM idempotency WHERE key_digest = $1 AND at > $2";
        let row = self.fetch_optional(sql, &[&key.digest, &key.since]).await?;
        Ok(row.map(|(request_digest, status, content_type, body)| SavedResponse {
            request_digest,
            status,
            content_type,
            retry_after: None,
            body,
        }))
    }
}

impl WriteTx {
    /// Belongs in the transaction whose outcome it reports.
    pub async fn save_response(
        &mut self,
        key_digest: &str,
        response: &SavedResponse,
        now: Millis,
    ) -> Result<()> {
        let sql = "INSERT INTO idempotency (key_digest, request_digest, status, content_type, body, at) \
                   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key_digest) DO UPDATE \
                   SET request_digest = $2, status = $3, content_type = $4, body = $5, at = $6";
        self.exec(
            sql,
            &[
                &key_digest,
                &response.request_digest,
                &response.status,
                &response.content_type,
                &response.body,
                &now,
            ],
        )
        .await
    }

    /// Deletes a batch older than `before`; true if there may be more.
    pub async fn prune_responses(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM idempotency WHERE key_digest IN (SELECT key_digest FROM idempotency WHERE at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }
}

//! Responses to requests with an Idempotency-Key.

use crate::connection::{StoreError, on};
use crate::rows::{RequestKey, SavedResponse};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::Millis;

impl ReadTx {
    pub async fn saved_response(&mut self, key: &RequestKey) -> Result<Option<SavedResponse>, StoreError> {
        let sql = "SELECT request_digest, status, content_type, body FROM idempotency WHERE key_digest = $1 AND at > $2";
        Ok(
            on!(self, c => sqlx::query_as::<_, SavedResponse>(sql).bind(&key.digest).bind(key.since.0).fetch_optional(c).await)?,
        )
    }
}

impl WriteTx {
    /// Belongs in the transaction whose outcome it reports.
    pub async fn save_response(
        &mut self,
        key_digest: &str,
        response: &SavedResponse,
        now: Millis,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO idempotency (key_digest, request_digest, status, content_type, body, at) \
                   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key_digest) DO UPDATE \
                   SET request_digest = $2, status = $3, content_type = $4, body = $5, at = $6";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(key_digest)
            .bind(&response.request_digest)
            .bind(response.status)
            .bind(&response.content_type)
            .bind(&response.body)
            .bind(now.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Deletes a batch older than `before`; true if there may be more.
    pub async fn prune_responses(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM idempotency WHERE key_digest IN (SELECT key_digest FROM idempotency WHERE at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

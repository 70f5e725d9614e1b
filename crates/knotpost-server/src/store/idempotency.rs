//! Answers to requests that carried an Idempotency-Key.

use sqlx::FromRow;

use super::{StoreError, Tx, on};
use crate::domain::Millis;

/// An answer as it was given.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SavedResponse {
    /// Keyed digest of the request it answered.
    pub request_digest: String,
    /// HTTP status.
    pub status: i64,
    /// Media type.
    pub content_type: String,
    /// Seconds of its Retry-After; such answers are not kept.
    #[sqlx(skip)]
    pub retry_after: Option<i64>,
    /// The body.
    pub body: String,
}

impl Tx {
    /// The answer given under a key after `since`.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn saved_response(
        &mut self,
        key_digest: &str,
        since: Millis,
    ) -> Result<Option<SavedResponse>, StoreError> {
        let sql = "SELECT request_digest, status, content_type, body FROM idempotency WHERE key_digest = $1 AND at > $2";
        Ok(
            on!(self, c => sqlx::query_as::<_, SavedResponse>(sql).bind(key_digest).bind(since.0).fetch_optional(c).await)?,
        )
    }

    /// Keeps an answer. It belongs into the transaction that did what it tells.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn save_response(
        &mut self,
        key_digest: &str,
        response: &SavedResponse,
        now: Millis,
    ) -> Result<(), StoreError> {
        let sql = "INSERT INTO idempotency (key_digest, request_digest, status, content_type, body, at) \
                   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key_digest) DO UPDATE \
                   SET request_digest = $2, status = $3, content_type = $4, body = $5, at = $6";
        on!(self.writing().await?, c => sqlx::query(sql)
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

    /// Deletes a batch of answers older than `before`; says whether there may be more.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn prune_responses(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM idempotency WHERE key_digest IN (SELECT key_digest FROM idempotency WHERE at < $1 LIMIT 1000)";
        let deleted = on!(self.writing().await?, c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

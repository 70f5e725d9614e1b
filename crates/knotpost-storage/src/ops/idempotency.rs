//! Responses to requests with an Idempotency-Key.

use std::collections::HashMap;

use sqlx::FromRow;

use crate::batch::NewResponse;
use crate::connection::{Driver, StoreError, column, on};
use crate::rows::{RequestKey, SavedResponse};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::Millis;

#[derive(Debug, FromRow)]
struct Line {
    key_digest: String,
    #[sqlx(flatten)]
    saved: SavedResponse,
}

const SAVED: &str = "SELECT i.key_digest, i.request_digest, i.status, i.content_type, i.body \
     FROM UNNEST($1, $2) AS asked (key_digest, since) \
     JOIN idempotency i ON i.key_digest = asked.key_digest AND i.at > asked.since";

impl ReadTx {
    pub async fn saved_response(&mut self, key: &RequestKey) -> Result<Option<SavedResponse>, StoreError> {
        if let Some(found) = self.prefetched().take_response(&key.digest) {
            return Ok(found.saved);
        }
        let sql = "SELECT request_digest, status, content_type, body FROM idempotency WHERE key_digest = $1 AND at > $2";
        Ok(
            on!(self, c => sqlx::query_as::<_, SavedResponse>(sql).bind(&key.digest).bind(key.since.0).fetch_optional(c).await)?,
        )
    }

    /// As [`ReadTx::saved_response`] for many, each with a different digest. PostgreSQL only.
    pub(crate) async fn saved_responses(
        &mut self,
        keys: &[&RequestKey],
    ) -> Result<impl Iterator<Item = (String, Option<SavedResponse>)>, StoreError> {
        let mut found: HashMap<String, SavedResponse> = HashMap::new();
        if !keys.is_empty()
            && let Driver::Postgres(connection) = self.driver().await?
        {
            let lines: Vec<Line> = sqlx::query_as(SAVED)
                .bind(column(keys, |key| key.digest.as_str()))
                .bind(column(keys, |key| key.since.0))
                .fetch_all(connection)
                .await?;
            found.extend(lines.into_iter().map(|line| (line.key_digest, line.saved)));
        }
        Ok(keys.iter().map(move |key| (key.digest.clone(), found.remove(&key.digest))))
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
        if self.buffer(NewResponse { key_digest, response, at: now }).await?.is_some() {
            return Ok(());
        }
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

    /// Deletes a batch older than `before`; true if there may be more.
    pub async fn prune_responses(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM idempotency WHERE key_digest IN (SELECT key_digest FROM idempotency WHERE at < $1 LIMIT 1000)";
        let deleted = on!(self.writing().await?, c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

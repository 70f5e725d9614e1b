//! Requests that are carried out once, and their responses.

use sqlx::FromRow;

use knotpost_model::Millis;

/// What identifies a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestKey {
    /// Keyed digest of its Idempotency-Key and of the user who sent it.
    pub digest: String,
    /// A response that is newer than this is sent again.
    pub since: Millis,
}

/// A response as it was sent.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct SavedResponse {
    /// Keyed digest of the request it answered.
    pub request_digest: String,
    /// HTTP status.
    pub status: i64,
    /// Media type.
    pub content_type: String,
    /// Seconds of its Retry-After; such responses are not stored.
    #[sqlx(skip)]
    pub retry_after: Option<i64>,
    pub body: String,
}

//! Requests that are carried out once, and their responses.

use sqlx::FromRow;

use knotpost_model::Millis;

/// What a request is known by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestKey {
    /// Keyed digest of its Idempotency-Key, and whose it is.
    pub digest: String,
    /// An answer that was given after this is given again.
    pub since: Millis,
}

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

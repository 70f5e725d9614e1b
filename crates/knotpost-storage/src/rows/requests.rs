//! Idempotent requests and their responses.

use knotpost_model::Millis;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestKey {
    /// Keyed digest of its Idempotency-Key and sender.
    pub digest: String,
    /// Oldest response to be repeated.
    pub since: Millis,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SavedResponse {
    pub request_digest: String,
    pub status: i64,
    pub content_type: String,
    /// Seconds; such responses are not stored.
    pub retry_after: Option<i64>,
    pub body: String,
}

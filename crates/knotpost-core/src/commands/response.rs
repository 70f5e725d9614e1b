//! Rendered response of a request, stored under its idempotency key.

use serde::Serialize;

use knotpost_storage::SavedResponse;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandResponse {
    pub status: u16,
    pub content_type: String,
    /// Seconds until a retry makes sense; such answers are not stored.
    pub retry_after: Option<u64>,
    pub body: String,
}

/// Fallback for a stored answer without a status.
const INTERNAL_ERROR: u16 = 500;

impl CommandResponse {
    pub fn json(answer: &impl Serialize) -> Self {
        Self {
            status: 200,
            content_type: "application/json".to_owned(),
            retry_after: None,
            // Serialising texts and numbers never fails.
            body: serde_json::to_string(answer).unwrap_or_default(),
        }
    }

    pub(super) fn into_row(self, request_digest: String) -> SavedResponse {
        let Self { status, content_type, retry_after, body } = self;
        let retry_after = retry_after.map(|seconds| i64::try_from(seconds).unwrap_or(i64::MAX));
        SavedResponse { request_digest, status: i64::from(status), content_type, retry_after, body }
    }
}

impl From<SavedResponse> for CommandResponse {
    fn from(row: SavedResponse) -> Self {
        let SavedResponse { status, content_type, retry_after, body, .. } = row;
        Self {
            status: u16::try_from(status).unwrap_or(INTERNAL_ERROR),
            content_type,
            retry_after: retry_after.and_then(|seconds| u64::try_from(seconds).ok()),
            body,
        }
    }
}

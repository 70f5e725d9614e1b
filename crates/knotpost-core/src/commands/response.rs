//! The presented answer of a request, which is stored under the request's idempotency key.

use knotpost_storage::SavedResponse;

/// An answer as the client gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandResponse {
    /// The HTTP status.
    pub status: u16,
    /// The media type.
    pub content_type: String,
    /// After how many seconds a retry makes sense; such answers are not stored.
    pub retry_after: Option<u64>,
    pub body: String,
}

/// The status of a stored answer that has none.
const INTERNAL_ERROR: u16 = 500;

impl CommandResponse {
    /// The row to be stored for the request with this digest.
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

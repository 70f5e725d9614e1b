//! Responses with an `ETag`, which are not sent again to clients that have them.

use axum::body::Bytes;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use sha2::{Digest as _, Sha256};

#[derive(Clone, Debug)]
pub(super) struct Content {
    kind: HeaderValue,
    tag: HeaderValue,
    body: Bytes,
}

impl Content {
    pub(super) fn new(kind: &'static str, body: impl Into<Bytes>) -> Self {
        let body = body.into();
        Self { kind: HeaderValue::from_static(kind), tag: entity_tag(&body), body }
    }

    pub(super) fn unless_known(self, headers: &HeaderMap) -> Response {
        let Self { kind, tag, body } = self;
        if let Some(answer) = not_modified(headers, &tag) {
            return answer;
        }
        ([(header::ETAG, tag), (header::CONTENT_TYPE, kind)], body).into_response()
    }
}

/// The tag of a body that takes long to make, by the facts of which it is made.
pub(super) fn tag_of(facts: &[String]) -> HeaderValue {
    entity_tag(facts.join("\n").as_bytes())
}

/// The response to a client that has what this tag stands for; `None`: it does not have it.
pub(super) fn not_modified(headers: &HeaderMap, tag: &HeaderValue) -> Option<Response> {
    let known = is_known(headers, tag);
    known.then(|| (StatusCode::NOT_MODIFIED, [(header::ETAG, tag.clone())]).into_response())
}

/// Digests the body. The number of moves would not do: a board may begin again with as many moves as before.
fn entity_tag(body: &[u8]) -> HeaderValue {
    let digest = Sha256::digest(body);
    let tag = format!("\"{}\"", knotpost_platform::secret::to_hex(digest.get(..16).unwrap_or(&digest)));
    HeaderValue::from_str(&tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Weak tags match too, because a proxy may have weakened it.
fn is_known(headers: &HeaderMap, tag: &HeaderValue) -> bool {
    let known = headers.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    known
        .flat_map(|line| line.split(','))
        .map(str::trim)
        .any(|known| known == "*" || known.strip_prefix("W/").unwrap_or(known).as_bytes() == tag.as_bytes())
}

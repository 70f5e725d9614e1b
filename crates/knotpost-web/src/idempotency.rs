//! `Idempotency-Key`: equal requests under one key are executed once. The stored responses belong to the core.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};

use super::Web;
use super::error::Problem;
use knotpost_core::boards::Code;
use knotpost_core::commands::{CommandResponse, Saved, execute, execute_once};
use knotpost_core::replies::Answer;
use knotpost_core::requests::Request;
use knotpost_platform::secret::{Purpose, to_hex};

/// Bytes.
const MAX_KEY: usize = 255;

/// With a key, a repeated request returns the stored response. Requests with equal `parts` are equal.
pub(super) async fn execute_with_key<P>(
    web: &Web,
    headers: &HeaderMap,
    request: Request,
    parts: &[&[u8]],
    present: P,
) -> Response
where
    P: Fn(&Answer) -> CommandResponse + Send + Sync + 'static,
{
    let done = match headers.get("idempotency-key") {
        None => execute(&web.app, request).await.map(|answer| present(&answer)),
        Some(key) => {
            let key = key.as_bytes();
            if key.is_empty() || key.len() > MAX_KEY {
                let text = format!("an Idempotency-Key has 1 to {MAX_KEY} characters");
                return Problem::new(Code::BadValue, text).into_response();
            }
            let digest = |parts: &[&[u8]]| to_hex(&web.app.secret.digest(Purpose::Idempotency, parts));
            let request_parts: Vec<&[u8]> =
                [b"request".as_slice()].into_iter().chain(parts.iter().copied()).collect();
            let keys = (digest(&[b"key", key]), digest(&request_parts));
            match execute_once(&web.app, request, keys, Arc::new(present)).await {
                Ok(Saved::Response(response)) => Ok(response),
                Ok(Saved::OtherRequest) => {
                    let text = "this Idempotency-Key was used for another request";
                    return Problem::new(Code::Conflict, text).into_response();
                }
                Err(error) => Err(error),
            }
        }
    };
    match done {
        Ok(response) => respond(response),
        Err(error) => Problem::from(error).into_response(),
    }
}

fn respond(saved: CommandResponse) -> Response {
    let status = StatusCode::from_u16(saved.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let mut response = (status, saved.body).into_response();
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    let kind = HeaderValue::from_str(&saved.content_type).unwrap_or(plain);
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    if let Some(seconds) = saved.retry_after {
        response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

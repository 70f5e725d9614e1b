//! Errors of the API as problem details (RFC 9457).

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};

use crate::service::{Code, Refusal, ServiceError};
use crate::store::StoreError;

/// An error for a script.
#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    pub(super) retry_after: Option<u64>,
}

impl Problem {
    pub(super) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { status: status(code), code: code.as_str(), detail: detail.into(), retry_after: None }
    }

    /// An error of HTTP, not of a command.
    pub(super) fn with_status(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), retry_after: None }
    }

    /// There is nothing at that address: no error of a command.
    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self { status: StatusCode::NOT_FOUND, code: "not_found", detail: detail.into(), retry_after: None }
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        tracing::error!(error = error.with_causes(), "a request failed");
        Self {
            retry_after: Some(5),
            ..Self::new(Code::Unavailable, "the server cannot answer at the moment")
        }
    }
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        Self { retry_after: refusal.retry_after, ..Self::new(refusal.code, refusal.message) }
    }
}

impl From<ServiceError> for Problem {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Refused(refusal) => (*refusal).into(),
            ServiceError::Store(error) => error.into(),
        }
    }
}

/// The status of a code.
pub(super) fn status(code: Code) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

/// The media type of problem details.
pub(super) const PROBLEM_TYPE: &str = "application/problem+json";

/// Problem details.
pub(super) fn problem_details(status: StatusCode, code: &str, detail: &str) -> Value {
    json!({
        "type": "about:blank",
        "title": status.canonical_reason().unwrap_or("Error"),
        "status": status.as_u16(),
        "code": code,
        "detail": detail,
    })
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = problem_details(self.status, self.code, &self.detail);
        let mut response = (self.status, body.to_string()).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_TYPE));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

//! Errors of the API as problem details (RFC 9457).

use axum::Extension;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Serialize;

use super::pages::Refused;
use knotpost_core::StoreError;
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::outage::log_failure;

#[derive(Debug)]
pub(super) struct Problem {
    status: StatusCode,
    code: &'static str,
    detail: String,
    retry_after: Option<u64>,
}

impl Problem {
    pub(super) fn new(code: Code, detail: impl Into<String>) -> Self {
        Self { status: status(code), code: code.as_str(), detail: detail.into(), retry_after: None }
    }

    pub(super) fn retry_after(self, seconds: impl Into<Option<u64>>) -> Self {
        Self { retry_after: seconds.into(), ..self }
    }

    pub(super) fn with_status(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        Self { status, code, detail: detail.into(), retry_after: None }
    }

    pub(super) fn not_found(detail: impl Into<String>) -> Self {
        Self::with_status(StatusCode::NOT_FOUND, NOT_FOUND, detail)
    }

    /// As 404, if the refusal says that there is no such number.
    pub(super) fn missing(error: ServiceError) -> Self {
        match error {
            ServiceError::Refused(refusal) if refusal.code == Code::BadValue => {
                Self::not_found(refusal.message)
            }
            error => error.into(),
        }
    }

    pub(super) fn method_not_allowed() -> Self {
        let detail = "this address cannot be asked in this way; `Allow` says how";
        Self::with_status(StatusCode::METHOD_NOT_ALLOWED, METHOD_NOT_ALLOWED, detail)
    }
}

/// An error of a page, in words for people. Its response is an empty one, see `Pages::explain`.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub(super) code: Code,
    pub(super) message: String,
}

impl From<Refusal> for Failure {
    fn from(Refusal { code, message, .. }: Refusal) -> Self {
        Self { code, message }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        log_failure(&error, "a page failed");
        Self { code: Code::Unavailable, message: "the server cannot answer at the moment".to_owned() }
    }
}

impl From<ServiceError> for Failure {
    fn from(error: ServiceError) -> Self {
        match error {
            ServiceError::Refused(refusal) => (*refusal).into(),
            ServiceError::Store(error) => error.into(),
        }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        (status(self.code), Extension(self)).into_response()
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        log_failure(&error, "a request failed");
        Self::new(Code::Unavailable, "the server cannot answer at the moment").retry_after(5)
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

pub(super) fn status(code: Code) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

pub(super) const PROBLEM_TYPE: &str = "application/problem+json";

/// Description of a failure (RFC 9457).
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Problem")]
pub(super) struct ProblemDetails<'a> {
    /// Always `about:blank`: the status says which kind of problem it is.
    #[serde(rename = "type")]
    kind: &'static str,
    /// The status in words.
    title: &'static str,
    /// The status.
    status: u16,
    /// The word to test for.
    #[schemars(schema_with = "codes")]
    code: &'a str,
    /// Description of the failure, as a sentence for people.
    detail: &'a str,
    /// Hints at requests that would have worked, a line each.
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    hints: &'a [String],
}

impl<'a> ProblemDetails<'a> {
    pub(super) fn new(status: StatusCode, code: &'a str, detail: &'a str, hints: &'a [String]) -> Self {
        let title = status.canonical_reason().unwrap_or("Error");
        Self { kind: "about:blank", title, status: status.as_u16(), code, detail, hints }
    }

    /// Serialising texts and a number never fails.
    pub(super) fn into_body(self) -> String {
        serde_json::to_string(&self).unwrap_or_default()
    }
}

fn codes(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    let words: Vec<&str> = Code::all().iter().map(|code| code.as_str()).chain(OTHER_CODES).collect();
    schemars::json_schema!({ "type": "string", "enum": words })
}

const OTHER_CODES: [&str; 2] = [NOT_FOUND, METHOD_NOT_ALLOWED];
const NOT_FOUND: &str = "not_found";
const METHOD_NOT_ALLOWED: &str = "method_not_allowed";

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = ProblemDetails::new(self.status, self.code, &self.detail, &[]).into_body();
        let mut response = (self.status, body).into_response();
        response.extensions_mut().insert(Refused(self.detail));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(PROBLEM_TYPE));
        if let Some(seconds) = self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

//! The description of the API: a document for programs, a page for people. Both are generated from the table of routes.

mod document;
mod operation;
mod page;

use std::sync::LazyLock;

use crate::routes::get;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;

pub use document::openapi;
pub(super) use operation::{Operation, Tag};
pub(super) use page::add_filters;

use super::Web;
use super::content::Content;
use super::routes::Role::Public;
use super::routes::Route;
use super::session::LoggedIn;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Public, "GET", "/api/openapi.json", || get(document)).described(&DOCUMENT),
    Route::new(Public, "GET", "/api/docs", || get(docs)).described(&DOCS),
];

const DOCUMENT: Operation =
    Operation::new("describe", Tag::Description, "The API in the words of OpenAPI 3.1")
        .gives::<std::collections::BTreeMap<String, serde_json::Value>>("The description.")
        .tagged();

const DOCS: Operation =
    Operation::new("read_description", Tag::Description, "The same description as a page")
        .gives_text("text/html", "A page that needs no scripts; one filters its requests.");

/// Generated once: the document does not change while the program runs.
static TEXT: LazyLock<String> = LazyLock::new(|| openapi().to_string());

async fn document(headers: HeaderMap) -> Response {
    Content::new("application/json", TEXT.as_str()).unless_known(&headers)
}

async fn docs(State(web): State<Web>, visitor: Option<LoggedIn>) -> Response {
    let mut page = page::show(&web, visitor.as_deref());
    page.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    page
}

//! Protection against cross-site request forgery for old browsers: a request with the session cookie must say where it
//! comes from.

use axum::extract::{Request, State};
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::Response;

use super::Web;
use super::credentials::Credentials;
use super::pages::refuse;
use super::session::token;
use knotpost_core::boards::Code;

/// Refuses a POST with the session cookie but without Fetch metadata and `Origin`: it could be a form of any site in a
/// browser too old to send either. `router` checks their values.
pub(super) async fn refuse_unmarked_posts(State(web): State<Web>, request: Request, next: Next) -> Response {
    if is_unmarked(&web, &request) {
        let text = "a request with a session's cookie must say by `Origin` where it comes from";
        return refuse(&web, request.uri().path(), Code::NotAllowed, text);
    }
    next.run(request).await
}

fn is_unmarked(web: &Web, request: &Request) -> bool {
    let headers = request.headers();
    let is_safe = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let is_marked = headers.contains_key("sec-fetch-site") || headers.contains_key(header::ORIGIN);
    if is_safe || is_marked || request.uri().path().starts_with("/unsubscribe/") {
        return false;
    }
    let credentials = request.extensions().get::<Credentials>().cloned().unwrap_or_default();
    // A form never sends `Authorization`, and where there is one it takes precedence over the cookie.
    credentials.authorization().is_empty() && token(&web.app.config, &credentials).is_some()
}

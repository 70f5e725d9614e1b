//! What a browser must show before it may change anything with the cookie it keeps.

use axum::extract::{Request, State};
use axum::http::{Method, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::Web;
use super::credentials::Credentials;
use super::error::Problem;
use super::visitor::token;
use crate::service::Code;

/// A browser says where a form comes from, by Fetch metadata or at least by its Origin; which it may come from is
/// judged elsewhere. What says neither and carries a session's cookie is refused: it could be a form of any site in a
/// browser too old to tell.
pub(super) async fn refuse_unmarked_posts(State(web): State<Web>, request: Request, next: Next) -> Response {
    if is_unmarked(&web, &request) {
        let text = "a request with a session's cookie must say by `Origin` where it comes from";
        let is_api = request.uri().path().starts_with("/api/");
        return if is_api {
            Problem::new(Code::NotAllowed, text).into_response()
        } else {
            web.pages.problem(Code::NotAllowed, text)
        };
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
    // An `Authorization` is never sent by a form, and is what counts where there is one.
    credentials.authorization().is_empty() && token(&web.app.config, &credentials).is_some()
}

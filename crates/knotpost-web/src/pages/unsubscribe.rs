//! Unsubscribing from mails of a kind. Opening the page changes nothing; the button does, and so does the one-click
//! POST of a mail program (RFC 8058) to the same address.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;

use crate::Web;
use crate::extract::PagePath;
use knotpost_core::StoreError;
use knotpost_core::boards::Code;
use knotpost_core::mailing::{Refusable, unsubscribe, view_unsubscribe};

pub(super) async fn ask(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    show(&web, view_unsubscribe(&web.app, &token).await, false)
}

pub(super) async fn act(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    let app = Arc::clone(&web.app);
    show(&web, unsubscribe(&app, &token).await, true)
}

fn show(web: &Web, seen: Result<Option<Refusable>, StoreError>, done: bool) -> Response {
    match seen {
        Ok(Some(Refusable { userid, what, again })) => {
            let facts = context! { userid, what, again, done };
            web.pages.page(StatusCode::OK, "unsubscribe.html", facts)
        }
        Ok(None) => web.pages.problem(Code::BadValue, "this link is damaged; copy it whole from the mail"),
        Err(error) => web.pages.failure(error.into()),
    }
}

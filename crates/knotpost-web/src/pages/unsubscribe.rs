//! Unsubscribing from mails of a kind. Opening the page changes nothing; the button does, and so does the one-click
//! POST of a mail program (RFC 8058) to the same address.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;

use super::confirm::damaged;
use crate::Web;
use crate::error::Failure;
use crate::extract::PagePath;
use knotpost_core::mailing::{Refusable, unsubscribe, view_unsubscribe};

pub(super) async fn ask(
    State(web): State<Web>,
    PagePath(token): PagePath<String>,
) -> Result<Response, Failure> {
    show(&web, view_unsubscribe(&web.app, &token).await?, false)
}

pub(super) async fn act(
    State(web): State<Web>,
    PagePath(token): PagePath<String>,
) -> Result<Response, Failure> {
    show(&web, unsubscribe(&web.app, &token).await?, true)
}

fn show(web: &Web, seen: Option<Refusable>, done: bool) -> Result<Response, Failure> {
    let Refusable { userid, what, again, leaves } = seen.ok_or_else(damaged)?;
    let facts = context! { userid, what, again, leaves => leaves.map(|name| name.to_string()), done };
    Ok(web.pages.page(StatusCode::OK, "unsubscribe.html", facts))
}

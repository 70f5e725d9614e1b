//! Invitations: the page behind a link, and a user's open ones on the form for a new board. Opening the page changes
//! nothing; its button begins the board.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::context;
use minijinja::value::Serde;

use crate::Web;
use crate::error::status;
use crate::extract::PagePath;
use crate::session::{LoggedIn, no_store};
use knotpost_core::boards::{Code, ServiceError};
use knotpost_core::identity::Visitor;
use knotpost_core::play::{accept_invitation, view_invitation, withdraw_invitation};

const GONE: &str = "this invitation is over: somebody took it, it was withdrawn, or it is too old";

pub(super) async fn withdraw(web: &Web, visitor: &Visitor, id: &str) -> Result<(), ServiceError> {
    withdraw_invitation(&web.app, visitor.user, id.parse().unwrap_or_default()).await
}

pub(in crate::pages) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(token): PagePath<String>,
) -> Response {
    page(&web, visitor.as_deref(), &token, StatusCode::OK, "").await
}

async fn page(
    web: &Web,
    visitor: Option<&Visitor>,
    token: &str,
    status: StatusCode,
    message: &str,
) -> Response {
    match view_invitation(&web.app, token).await {
        Ok(Some(invitation)) => {
            let facts = context! { message, invitation => Serde(&invitation) };
            no_store(web.pages.page_for(visitor, status, "invitation.html", facts))
        }
        Ok(None) => web.pages.problem(Code::NoSuchBoard, GONE),
        Err(error) => web.pages.failure(error.into()),
    }
}

pub(in crate::pages) async fn accept(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PagePath(token): PagePath<String>,
) -> Response {
    match accept_invitation(&web.app, visitor.proven(), &token).await {
        Ok(board) => Redirect::to(&format!("/boards/{}/{}", board.game, board.number)).into_response(),
        Err(ServiceError::Refused(refusal)) => {
            page(&web, Some(&visitor), &token, status(refusal.code), &refusal.message).await
        }
        Err(error) => web.pages.failure(error),
    }
}

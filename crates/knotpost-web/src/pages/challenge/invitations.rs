//! Invitations: the page behind a link, and a user's open ones on the form for a new board. Opening the page changes
//! nothing; its button begins the board.

use axum::extract::State;
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::context;
use minijinja::value::Serde;

use super::super::{join, refusal_facts};
use crate::Web;
use crate::error::Failure;
use crate::extract::PagePath;
use crate::session::{LoggedIn, no_store};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::Visitor;
use knotpost_core::play::{accept_invitation, view_invitation, withdraw_invitation};

const GONE: &str = "this invitation is over: somebody took it, it was withdrawn, or it is too old";

pub(super) async fn withdraw(web: &Web, visitor: &Visitor, id: &str) -> Result<(), ServiceError> {
    withdraw_invitation(&web.app.store, visitor.user, id.parse().unwrap_or_default()).await
}

pub(in crate::pages) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(token): PagePath<String>,
) -> Result<Response, Failure> {
    page(&web, visitor.as_deref(), &token, None).await
}

async fn page(
    web: &Web,
    visitor: Option<&Visitor>,
    token: &str,
    refusal: Option<&Refusal>,
) -> Result<Response, Failure> {
    let found = view_invitation(&web.app, token).await?;
    let invitation = found.ok_or_else(|| Refusal::new(Code::NoSuchBoard, GONE))?;
    let (status, told) = refusal_facts(refusal);
    let facts = join([told, context! { invitation => Serde(&invitation) }]);
    Ok(no_store(web.pages.page_for(visitor, status, "invitation.html", facts)))
}

pub(in crate::pages) async fn accept(
    State(web): State<Web>,
    LoggedIn(visitor): LoggedIn,
    PagePath(token): PagePath<String>,
) -> Result<Response, Failure> {
    match accept_invitation(&web.app, visitor.proven(), &token).await {
        Ok(board) => Ok(Redirect::to(&format!("/boards/{}/{}", board.game, board.number)).into_response()),
        Err(ServiceError::Refused(refusal)) => page(&web, Some(&visitor), &token, Some(&refusal)).await,
        Err(error) => Err(error.into()),
    }
}

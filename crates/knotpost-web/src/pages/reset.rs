//! Password reset by a mailed link. Opening the page changes nothing, because mail scanners open links; the form does.

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;
use serde::Deserialize;

use super::account::LINK_SPENT;
use crate::Web;
use crate::error::Failure;
use crate::extract::PagePath;
use crate::session::keep_secret;
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::{set_password_by_link, view_reset};

#[derive(Deserialize)]
pub(super) struct Chosen {
    #[serde(default)]
    password: String,
}

pub(super) async fn ask(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    keep_secret(form(&web, &token, StatusCode::OK, "").await)
}

pub(super) async fn act(
    State(web): State<Web>,
    PagePath(token): PagePath<String>,
    Form(chosen): Form<Chosen>,
) -> Response {
    let page = match set_password_by_link(&web.app, &token, &chosen.password).await {
        Ok(userid) => {
            Ok(web.pages.page(StatusCode::OK, "reset.html", context! { userid, done => true, message => "" }))
        }
        Err(ServiceError::Refused(refusal)) if refusal.code == Code::BadValue => {
            form(&web, &token, StatusCode::UNPROCESSABLE_ENTITY, &refusal.message).await
        }
        Err(error) => Err(error.into()),
    };
    keep_secret(page)
}

async fn form(web: &Web, token: &str, status: StatusCode, message: &str) -> Result<Response, Failure> {
    let spent = || Refusal::new(Code::NotAllowed, LINK_SPENT);
    let userid = view_reset(&web.app, token).await?.ok_or_else(spent)?;
    Ok(web.pages.page(status, "reset.html", context! { userid, done => false, message }))
}

//! Password reset by a mailed link. Opening the page changes nothing, because mail scanners open links; the form does.

use std::sync::Arc;

use axum::Form;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;
use serde::Deserialize;

use crate::Web;
use crate::extract::PagePath;
use crate::session::keep_secret;
use knotpost_core::boards::{Code, ServiceError};
use knotpost_core::identity::{set_password_by_link, view_reset};

#[derive(Deserialize)]
pub(super) struct Chosen {
    #[serde(default)]
    password: String,
}

pub(super) async fn ask(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    let page = match view_reset(&web.app, &token).await {
        Ok(Some(userid)) => form(&web, StatusCode::OK, &userid, ""),
        Ok(None) => spent(&web),
        Err(error) => web.pages.failure(error.into()),
    };
    keep_secret(page)
}

pub(super) async fn act(
    State(web): State<Web>,
    PagePath(token): PagePath<String>,
    Form(chosen): Form<Chosen>,
) -> Response {
    let app = Arc::clone(&web.app);
    let page = match set_password_by_link(&app, &token, &chosen.password).await {
        Ok(userid) => {
            web.pages.page(StatusCode::OK, "reset.html", context! { userid, done => true, message => "" })
        }
        Err(ServiceError::Refused(refusal)) if refusal.code == Code::BadValue => {
            match view_reset(&app, &token).await {
                Ok(Some(userid)) => form(&web, StatusCode::UNPROCESSABLE_ENTITY, &userid, &refusal.message),
                Ok(None) => spent(&web),
                Err(error) => web.pages.failure(error.into()),
            }
        }
        Err(error) => web.pages.failure(error),
    };
    keep_secret(page)
}

fn form(web: &Web, status: StatusCode, userid: &str, message: &str) -> Response {
    web.pages.page(status, "reset.html", context! { userid, done => false, message })
}

fn spent(web: &Web) -> Response {
    web.pages.problem(Code::NotAllowed, "this link was used already or is too old; ask for a new one")
}

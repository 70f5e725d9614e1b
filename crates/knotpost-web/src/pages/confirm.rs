//! Confirming an address. Opening the page changes nothing, because mail scanners open links; the button does.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;

use crate::Web;
use crate::extract::PagePath;
use knotpost_core::boards::{Code, ServiceError};
use knotpost_core::identity::confirmation_too_old;
use knotpost_core::play::{Confirmed, confirm_by_link};

const DAMAGED: &str = "this link is damaged; copy it whole from the mail";

pub(super) async fn ask(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    let Some(link) = web.app.links.read_confirmation(&token) else {
        return web.pages.problem(Code::BadValue, DAMAGED);
    };
    if web.app.clock.now() > link.until {
        return web.pages.failure(ServiceError::from(confirmation_too_old()));
    }
    web.pages.page(
        StatusCode::OK,
        "confirm.html",
        context! { confirmed => link.address, done => false, userid => "" },
    )
}

pub(super) async fn act(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    let Some(link) = web.app.links.read_confirmation(&token) else {
        return web.pages.problem(Code::BadValue, DAMAGED);
    };
    match confirm_by_link(&web.app, &token).await {
        Ok(Confirmed::Done(userid)) => web.pages.page(
            StatusCode::OK,
            "confirm.html",
            context! { confirmed => link.address, done => true, userid },
        ),
        Ok(Confirmed::Expired) => web.pages.failure(ServiceError::from(confirmation_too_old())),
        Ok(Confirmed::Unknown) => {
            web.pages.problem(Code::NoSuchUser, "this address is not registered any more")
        }
        Err(error) => web.pages.failure(error.into()),
    }
}

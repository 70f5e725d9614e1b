//! Confirming an address. Opening the page changes nothing, because mail scanners open links; the button does.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;

use crate::Web;
use crate::error::Failure;
use crate::extract::PagePath;
use knotpost_core::boards::{Code, Refusal};
use knotpost_core::identity::confirmation_too_old;
use knotpost_core::play::{Confirmed, confirm_by_link};

pub(super) fn damaged() -> Refusal {
    Refusal::new(Code::BadValue, "this link is damaged; copy it whole from the mail")
}

pub(super) async fn ask(
    State(web): State<Web>,
    PagePath(token): PagePath<String>,
) -> Result<Response, Failure> {
    let link = web.app.links.read_confirmation(&token).ok_or_else(damaged)?;
    if web.app.clock.now() > link.until {
        return Err(confirmation_too_old().into());
    }
    let facts = context! { confirmed => link.address, done => false, userid => "" };
    Ok(web.pages.page(StatusCode::OK, "confirm.html", facts))
}

pub(super) async fn act(
    State(web): State<Web>,
    PagePath(token): PagePath<String>,
) -> Result<Response, Failure> {
    let link = web.app.links.read_confirmation(&token).ok_or_else(damaged)?;
    match confirm_by_link(&web.app, &token).await? {
        Confirmed::Done(userid) => {
            let facts = context! { confirmed => link.address, done => true, userid };
            Ok(web.pages.page(StatusCode::OK, "confirm.html", facts))
        }
        Confirmed::Expired => Err(confirmation_too_old().into()),
        Confirmed::Unknown => {
            Err(Refusal::new(Code::NoSuchUser, "this address is not registered any more").into())
        }
    }
}

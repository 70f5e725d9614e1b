//! Confirming an address. Opening the page changes nothing, because mail scanners open links;
//! the button does.

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;

use crate::service::{Code, confirm_address};
use crate::web::Web;
use crate::web::extract::PagePath;

pub(super) async fn ask(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    match web.app.links.read_confirmation(&token) {
        Some((_, address)) => web.pages.page(
            StatusCode::OK,
            "confirm.html",
            context! { confirmed => address, done => false, userid => "" },
        ),
        None => web.pages.problem(Code::BadValue, "this link is damaged; copy it whole from the mail"),
    }
}

pub(super) async fn act(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    let (app, now) = (Arc::clone(&web.app), web.app.clock.now());
    let Some((_, address)) = app.links.read_confirmation(&token) else {
        return web.pages.problem(Code::BadValue, "this link is damaged; copy it whole from the mail");
    };
    let shared = Arc::clone(&app);
    let confirmed = app
        .store
        .write(move |tx| {
            let (app, token) = (Arc::clone(&shared), token.clone());
            Box::pin(async move { confirm_address(tx, &app, &token, now).await })
        })
        .await;
    app.signals.outbox.notify_one();
    match confirmed {
        Ok(Some(userid)) => web.pages.page(
            StatusCode::OK,
            "confirm.html",
            context! { confirmed => address, done => true, userid },
        ),
        Ok(None) => web.pages.problem(Code::NoSuchUser, "this address is not registered any more"),
        Err(error) => web.pages.failure(error.into()),
    }
}

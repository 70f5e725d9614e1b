//! Reverting a change of addresses that was not the user's. Opening the page changes nothing, because mail scanners
//! open links; the button does.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::context;

use crate::Web;
use crate::extract::PagePath;
use crate::session::keep_secret;
use knotpost_core::Unwritten;
use knotpost_core::boards::Code;
use knotpost_core::identity::{NotUndone, UndoLink, undo_address_change, view_address_change};

pub(super) async fn ask(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    let found = view_address_change(&web.app, &token).await;
    shown(&web, found, false)
}

pub(super) async fn act(State(web): State<Web>, PagePath(token): PagePath<String>) -> Response {
    let done = undo_address_change(&web.app, &token).await;
    shown(&web, done, true)
}

/// The address of this page is a credential for some days.
fn shown(web: &Web, found: Result<UndoLink, Unwritten<NotUndone>>, done: bool) -> Response {
    let page = match found {
        Ok(UndoLink { userid, address: old }) => {
            web.pages.page(StatusCode::OK, "not_me.html", context! { userid, old, done })
        }
        Err(Unwritten::Refused(NotUndone::Used)) => web.pages.problem(
            Code::NotAllowed,
            "this change was taken back already; a mail about a new password was sent then",
        ),
        Err(Unwritten::Refused(NotUndone::Expired)) => web.pages.problem(
            Code::NotAllowed,
            "a change can be taken back for 7 days, and this link is older; write to the postmaster of this server",
        ),
        Err(Unwritten::Refused(NotUndone::Unknown)) => {
            web.pages.problem(Code::BadValue, "this link is damaged, or the account is not in use any more")
        }
        Err(Unwritten::Store(error)) => web.pages.failure(error),
    };
    keep_secret(page)
}

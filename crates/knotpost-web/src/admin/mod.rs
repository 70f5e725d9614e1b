//! `/admin`: the pages for administrators, rendered by the server without scripts.
//!
//! Every change is an action of the core, which writes it into the audit log; the pages must not change anything
//! themselves. For everyone else the pages do not exist: the answer is 404.

mod boards;
mod do_not_mail;
mod mails;
mod server;
mod users;

use crate::routes::{get, post};
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Redirect, Response};
use minijinja::{Value, context};

use super::error::status;
use super::pages::{Refused, join, not_found, not_found_page};
use super::routes::Role::Admin;
use super::routes::Route;
use super::session::{find, no_store, url_encode, with_query};
use super::{Web, auth};
use knotpost_core::admin::{AdminAction, AdminChannel, Administrator, administer};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::hold::Hold;
use knotpost_core::identity::{Scope, Visitor};

pub(super) const ROUTES: &[Route] = &[
    Route::new(Admin, "GET", "/admin", || get(server::overview)),
    Route::new(Admin, "GET", "/admin/boards", || get(boards::list)),
    Route::new(Admin, "GET", "/admin/boards/{game}/{number}", || get(boards::show)),
    Route::new(Admin, "POST", "/admin/boards/{game}/{number}", || post(boards::act)),
    Route::new(Admin, "GET", "/admin/users", || get(users::list)),
    Route::new(Admin, "GET", "/admin/users/{userid}", || get(users::show)),
    Route::new(Admin, "POST", "/admin/users/{userid}", || post(users::act)),
    Route::new(Admin, "GET", "/admin/inbox", || get(mails::list_inbox)),
    Route::new(Admin, "GET", "/admin/inbox/{id}", || get(mails::show_received)),
    Route::new(Admin, "POST", "/admin/inbox/{id}", || post(mails::act_on_received)),
    Route::new(Admin, "GET", "/admin/outbox", || get(mails::list_outbox)),
    Route::new(Admin, "GET", "/admin/outbox/{id}", || get(mails::show_outgoing)),
    Route::new(Admin, "POST", "/admin/outbox/{id}", || post(mails::act_on_outgoing)),
    Route::new(Admin, "GET", "/admin/do-not-mail", || get(do_not_mail::list)),
    Route::new(Admin, "POST", "/admin/do-not-mail", || post(do_not_mail::act)),
    Route::new(Admin, "GET", "/admin/jobs", || get(server::jobs)),
    Route::new(Admin, "GET", "/admin/audit", || get(server::audit)),
    Route::new(Admin, "GET", "/admin/broadcast", || get(server::ask_broadcast)),
    Route::new(Admin, "POST", "/admin/broadcast", || post(server::broadcast)),
];

const LINES: usize = 50;

/// Set by [`require_admin`].
pub(super) type CurrentAdmin = Extension<Visitor>;

pub(super) async fn require_admin(State(web): State<Web>, request: Request, next: Next) -> Response {
    let (mut parts, body) = request.into_parts();
    if parts.uri.path().starts_with("/api/") {
        return match auth::find(&parts, &web).await {
            Ok(Some(caller)) if caller.is_admin => {
                if let Err(problem) = caller.require(Scope::Admin) {
                    return problem.into_response();
                }
                parts.extensions.insert(caller);
                no_store(next.run(Request::from_parts(parts, body)).await)
            }
            Ok(_) => not_found(State(web), parts.uri).await,
            Err(refused) => refused,
        };
    }
    match find(&parts, &web).await {
        Ok(Some(visitor)) if visitor.is_admin => {
            parts.extensions.insert(visitor);
            no_store(next.run(Request::from_parts(parts, body)).await)
        }
        Ok(_) => not_found_page(&web),
        Err(failed) => failed,
    }
}

fn administrator(visitor: &Visitor) -> Administrator {
    Administrator { channel: AdminChannel::Web, name: visitor.userid.clone(), user: Some(visitor.user) }
}

fn page(web: &Web, visitor: &Visitor, template: &str, facts: Value) -> Response {
    page_after(web, visitor, None, template, facts)
}

/// Shows a page, or why there is none, with a way back.
fn page_or(
    web: &Web,
    visitor: &Visitor,
    template: &str,
    facts: Result<Value, ServiceError>,
    back: &str,
) -> Response {
    match facts {
        Ok(facts) => page(web, visitor, template, facts),
        Err(error) => refused(web, visitor, error, back),
    }
}

fn page_with(web: &Web, visitor: &Visitor, status: StatusCode, template: &str, facts: Value) -> Response {
    let hold =
        web.app.hold.map(|hold| format!("{}. To end it: {}", Hold::WORDS, hold.mend().replace('`', "")));
    web.pages.page_for(Some(visitor), status, template, join([context! { hold }, facts]))
}

/// A field may be repeated.
type Fields = Vec<(String, String)>;

fn field<'a>(fields: &'a Fields, name: &str) -> &'a str {
    fields.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value.trim())
}

fn given(fields: &Fields, name: &str) -> Option<String> {
    Some(field(fields, name).to_owned()).filter(|value| !value.is_empty())
}

/// Links to the next page of a list: the query with these fields and the cursor.
fn next_page(path: &str, fields: &Fields, cursor: &str, value: &str) -> String {
    let fields = fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    with_query(path, fields.filter(|(name, _)| *name != cursor).chain([(cursor, value)]))
}

/// Carries out an action, which must be confirmed if it is grave, and returns to the page `back`.
async fn carry_out(
    web: &Web,
    visitor: &Visitor,
    action: Option<AdminAction>,
    fields: &Fields,
    back: &str,
) -> Result<Response, ServiceError> {
    let action = action.ok_or_else(|| Refusal::new(Code::WrongArguments, "choose what is to be done"))?;
    if action.is_grave() && field(fields, "sure").is_empty() {
        return Err(Refusal::new(Code::BadValue, "tick the box to do this").into());
    }
    administer(&web.app, &administrator(visitor), action).await?;
    Ok(Redirect::to(&format!("{back}?done=yes")).into_response())
}

/// As [`carry_out`]; a refusal has a page of its own.
async fn act(
    web: &Web,
    visitor: &Visitor,
    action: Option<AdminAction>,
    fields: &Fields,
    back: &str,
) -> Response {
    match carry_out(web, visitor, action, fields, back).await {
        Ok(response) => response,
        Err(error) => refused(web, visitor, error, back),
    }
}

/// Shows a page, above it why its form was refused, if it was.
fn page_after(
    web: &Web,
    visitor: &Visitor,
    refusal: Option<&Refusal>,
    template: &str,
    facts: Value,
) -> Response {
    let Some(refusal) = refusal else { return page_with(web, visitor, StatusCode::OK, template, facts) };
    let refused = context! { message => refusal.message.clone(), hints => refusal.hints.clone() };
    page_with(web, visitor, status(refusal.code), template, join([context! { refused }, facts]))
}

fn refused(web: &Web, visitor: &Visitor, error: ServiceError, back: &str) -> Response {
    match error {
        ServiceError::Refused(refusal) => {
            let reason = Refused(refusal.message.clone());
            let facts = context! { message => refusal.message, hints => refusal.hints, back };
            let mut page = page_with(web, visitor, status(refusal.code), "admin/refused.html", facts);
            page.extensions_mut().insert(reason);
            page
        }
        error @ ServiceError::Store(_) => web.pages.failure(error),
    }
}

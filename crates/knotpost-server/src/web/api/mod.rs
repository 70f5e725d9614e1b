//! `/api/v1`: games and boards as JSON, to be read.

mod admin;
mod boards;
mod events;
mod games;
mod moves;
mod standings;
mod tokens;
mod users;

use axum::routing::{delete, get, post};

use super::error::Problem;
use super::routes::Role::{Admin, Public, User};
use super::routes::Route;
use crate::service::Code;

/// The addresses of the API and who may ask.
pub(super) const ROUTES: &[Route] = &[
    Route::new(Public, "GET", "/api/v1/games", || get(games::list)),
    Route::new(Public, "GET", "/api/v1/games/{game}", || get(games::show)),
    Route::new(Public, "GET", "/api/v1/standings/{game}", || get(standings::show)),
    Route::new(Public, "GET", "/api/v1/users/{userid}", || get(users::show)),
    Route::new(Public, "GET", "/api/v1/boards", || get(boards::list)),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}", || get(boards::show)),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/moves", || get(boards::moves)),
    Route::new(User, "POST", "/api/v1/boards/{game}/{number}/moves", || post(moves::play)),
    Route::new(User, "GET", "/api/v1/tokens", || get(tokens::list)),
    Route::new(User, "POST", "/api/v1/tokens", || post(tokens::create)),
    Route::new(User, "DELETE", "/api/v1/tokens/{id}", || delete(tokens::revoke)),
    Route::new(Admin, "GET", "/api/v1/admin", || get(admin::overview)),
    Route::new(Admin, "GET", "/api/v1/admin/jobs", || get(admin::jobs)),
    Route::new(Admin, "GET", "/api/v1/admin/audit", || get(admin::audit)),
    Route::new(Admin, "POST", "/api/v1/admin/broadcasts", || post(admin::broadcast)),
    Route::new(Admin, "GET", "/api/v1/admin/boards", || get(boards::list)),
    Route::new(Admin, "GET", "/api/v1/admin/boards/{game}/{number}", || get(admin::board)),
    Route::new(Admin, "POST", "/api/v1/admin/boards/{game}/{number}", || post(admin::change_board)),
    Route::new(Admin, "GET", "/api/v1/admin/users", || get(admin::users)),
    Route::new(Admin, "GET", "/api/v1/admin/users/{userid}", || get(admin::user)),
    Route::new(Admin, "POST", "/api/v1/admin/users/{userid}", || post(admin::change_user)),
    Route::new(Admin, "GET", "/api/v1/admin/inbox", || get(admin::inbox)),
    Route::new(Admin, "GET", "/api/v1/admin/inbox/{id}", || get(admin::received)),
    Route::new(Admin, "POST", "/api/v1/admin/inbox/{id}", || post(admin::change_received)),
    Route::new(Admin, "GET", "/api/v1/admin/outbox", || get(admin::outbox)),
    Route::new(Admin, "GET", "/api/v1/admin/outbox/{id}", || get(admin::outgoing)),
    Route::new(Admin, "POST", "/api/v1/admin/outbox/{id}", || post(admin::change_outgoing)),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/legal", || get(boards::legal)),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/board.txt", || get(boards::text)),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/board.svg", || get(boards::svg)),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/board.png", || get(boards::png)),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/events", || get(events::follow)),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/record", || get(boards::record)),
];

/// A body as JSON of that form. The parser's own words may repeat the input, and are not passed on.
fn read_json<T: serde::de::DeserializeOwned>(body: &[u8], form: &str) -> Result<T, Problem> {
    serde_json::from_slice(body)
        .map_err(|_| Problem::new(Code::WrongArguments, format!("the request is not of the form {form}")))
}

//! `/api/v1`: games and boards as JSON, to be read.

mod boards;
mod events;
mod games;
mod standings;
mod users;

use axum::Router;
use axum::routing::get;

use super::Web;
use super::error::Problem;

pub(super) fn routes() -> Router<Web> {
    Router::new()
        .route("/games", get(games::list))
        .route("/games/{game}", get(games::show))
        .route("/standings/{game}", get(standings::show))
        .route("/users/{userid}", get(users::show))
        .route("/boards", get(boards::list))
        .route("/boards/{game}/{number}", get(boards::show))
        .route("/boards/{game}/{number}/moves", get(boards::moves))
        .route("/boards/{game}/{number}/legal", get(boards::legal))
        .route("/boards/{game}/{number}/board.txt", get(boards::text))
        .route("/boards/{game}/{number}/board.svg", get(boards::svg))
        .route("/boards/{game}/{number}/board.png", get(boards::png))
        .route("/boards/{game}/{number}/events", get(events::follow))
        .route("/boards/{game}/{number}/record", get(boards::record))
        .fallback(async || Problem::not_found("there is nothing at this address of the API"))
}

//! `/api/v1`: the JSON API.

mod admin;
mod against;
mod analyses;
mod board_json;
mod boards;
mod bot_events;
mod chat;
mod events;
mod feeds;
mod games;
mod hints;
mod moves;
mod notes;
mod own_events;
mod pictures;
mod puzzles;
mod standings;
mod streams;
mod tokens;
mod tournaments;
mod users;
mod webhooks;

use crate::routes::{delete, get, post, put};

use super::error::Problem;
use super::routes::Role::{Admin, Public, User};
use super::routes::Route;
pub(super) use pictures::{busy as busy_with_pictures, picture_mark};

use knotpost_core::boards::Code;

pub(super) const ROUTES: &[Route] = &[
    Route::new(Public, "GET", "/api/v1/games", || get(games::list)).described(&games::LIST),
    Route::new(Public, "GET", "/api/v1/games/{game}", || get(games::show)).described(&games::SHOW),
    Route::new(Public, "GET", "/api/v1/puzzles/{game}", || get(puzzles::show)).described(&puzzles::SHOW),
    Route::new(Public, "GET", "/api/v1/standings/{game}", || get(standings::show))
        .described(&standings::SHOW),
    Route::new(Public, "GET", "/api/v1/users/{userid}", || get(users::show)).described(&users::SHOW),
    Route::new(Public, "GET", "/api/v1/users/{userid}/against/{other}", || get(against::show))
        .described(&against::SHOW),
    Route::new(User, "GET", "/api/v1/users/{userid}/events", || get(own_events::follow))
        .described(&own_events::FOLLOW),
    Route::new(Public, "GET", "/api/v1/users/{userid}/turns.atom", || get(feeds::turns))
        .described(&feeds::TURNS),
    Route::new(Public, "GET", "/api/v1/users/{userid}/deadlines.ics", || get(feeds::deadlines))
        .described(&feeds::DEADLINES),
    Route::new(Public, "GET", "/api/v1/boards", || get(boards::list)).described(&boards::LIST),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}", || get(boards::show))
        .described(&boards::SHOW),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/moves", || get(boards::moves))
        .described(&boards::MOVES),
    Route::new(User, "POST", "/api/v1/boards/{game}/{number}/moves", || post(moves::play))
        .described(&moves::PLAY),
    Route::new(User, "POST", "/api/v1/boards/{game}/{number}/chat", || post(chat::say)).described(&chat::SAY),
    Route::new(User, "GET", "/api/v1/boards/{game}/{number}/note", || get(notes::show))
        .described(&notes::SHOW),
    Route::new(User, "PUT", "/api/v1/boards/{game}/{number}/note", || put(notes::write))
        .described(&notes::WRITE),
    Route::new(User, "DELETE", "/api/v1/boards/{game}/{number}/note", || delete(notes::remove))
        .described(&notes::REMOVE),
    Route::new(Public, "GET", "/api/v1/tournaments", || get(tournaments::list)).described(&tournaments::LIST),
    Route::new(User, "POST", "/api/v1/tournaments", || post(tournaments::announce))
        .described(&tournaments::ANNOUNCE),
    Route::new(Public, "GET", "/api/v1/tournaments/{name}", || get(tournaments::show))
        .described(&tournaments::SHOW),
    Route::new(User, "POST", "/api/v1/tournaments/{name}/entry", || post(tournaments::enter))
        .described(&tournaments::ENTER),
    Route::new(User, "DELETE", "/api/v1/tournaments/{name}/entry", || delete(tournaments::withdraw))
        .described(&tournaments::WITHDRAW),
    Route::new(User, "POST", "/api/v1/tournaments/{name}/challenge", || post(tournaments::challenge))
        .described(&tournaments::CHALLENGE),
    Route::new(User, "POST", "/api/v1/tournaments/{name}/direct", || post(tournaments::direct))
        .described(&tournaments::DIRECT),
    Route::new(Public, "GET", "/api/v1/tournaments/{name}/log", || get(tournaments::log))
        .described(&tournaments::LOG),
    Route::new(Public, "GET", "/api/v1/tournaments/{name}/export.csv", || get(tournaments::csv))
        .described(&tournaments::CSV),
    Route::new(Public, "GET", "/api/v1/tournaments/{name}/export.trf", || get(tournaments::trf))
        .described(&tournaments::TRF),
    Route::new(User, "GET", "/api/v1/bot/events", || get(bot_events::follow)).described(&bot_events::FOLLOW),
    Route::new(User, "GET", "/api/v1/tokens", || get(tokens::list)).described(&tokens::LIST),
    Route::new(User, "POST", "/api/v1/tokens", || post(tokens::create)).described(&tokens::CREATE),
    Route::new(User, "DELETE", "/api/v1/tokens/{id}", || delete(tokens::revoke)).described(&tokens::REVOKE),
    Route::new(User, "GET", "/api/v1/webhooks", || get(webhooks::list)).described(&webhooks::LIST),
    Route::new(User, "POST", "/api/v1/webhooks", || post(webhooks::create)).described(&webhooks::CREATE),
    Route::new(User, "DELETE", "/api/v1/webhooks/{id}", || delete(webhooks::remove))
        .described(&webhooks::REMOVE),
    Route::new(User, "POST", "/api/v1/webhooks/{id}/test", || post(webhooks::test))
        .described(&webhooks::TEST),
    Route::new(User, "POST", "/api/v1/webhooks/{id}/secret", || post(webhooks::renew))
        .described(&webhooks::RENEW),
    Route::new(User, "POST", "/api/v1/webhooks/{id}/start", || post(webhooks::start))
        .described(&webhooks::START),
    Route::new(Admin, "GET", "/api/v1/admin", || get(admin::server::overview))
        .described(&admin::server::OVERVIEW),
    Route::new(Admin, "GET", "/api/v1/admin/jobs", || get(admin::server::jobs))
        .described(&admin::server::JOBS),
    Route::new(Admin, "GET", "/api/v1/admin/audit", || get(admin::server::audit))
        .described(&admin::server::AUDIT),
    Route::new(Admin, "POST", "/api/v1/admin/broadcasts", || post(admin::server::broadcast))
        .described(&admin::server::BROADCAST),
    Route::new(Admin, "GET", "/api/v1/admin/do-not-mail", || get(admin::strangers::do_not_mail))
        .described(&admin::strangers::DO_NOT_MAIL),
    Route::new(Admin, "POST", "/api/v1/admin/do-not-mail", || post(admin::strangers::change_do_not_mail))
        .described(&admin::strangers::CHANGE_DO_NOT_MAIL),
    Route::new(Admin, "GET", "/api/v1/admin/strangers", || get(admin::strangers::strangers))
        .described(&admin::strangers::STRANGERS),
    Route::new(Admin, "POST", "/api/v1/admin/strangers", || post(admin::strangers::change_strangers))
        .described(&admin::strangers::CHANGE_STRANGERS),
    Route::new(Admin, "GET", "/api/v1/admin/boards", || get(boards::list))
        .described(&admin::boards::LIST_BOARDS),
    Route::new(Admin, "GET", "/api/v1/admin/boards/{game}/{number}", || get(admin::boards::board))
        .described(&admin::boards::BOARD),
    Route::new(Admin, "POST", "/api/v1/admin/boards/{game}/{number}", || post(admin::boards::change_board))
        .described(&admin::boards::CHANGE_BOARD),
    Route::new(Admin, "GET", "/api/v1/admin/users", || get(admin::users::users))
        .described(&admin::users::USERS),
    Route::new(Admin, "GET", "/api/v1/admin/users/{userid}", || get(admin::users::user))
        .described(&admin::users::USER),
    Route::new(Admin, "POST", "/api/v1/admin/users/{userid}", || post(admin::users::change_user))
        .described(&admin::users::CHANGE_USER),
    Route::new(Admin, "GET", "/api/v1/admin/inbox", || get(admin::mails::inbox))
        .described(&admin::mails::INBOX),
    Route::new(Admin, "GET", "/api/v1/admin/inbox/{id}", || get(admin::mails::received))
        .described(&admin::mails::RECEIVED),
    Route::new(Admin, "POST", "/api/v1/admin/inbox/{id}", || post(admin::mails::change_received))
        .described(&admin::mails::CHANGE_RECEIVED),
    Route::new(Admin, "GET", "/api/v1/admin/outbox", || get(admin::mails::outbox))
        .described(&admin::mails::OUTBOX),
    Route::new(Admin, "GET", "/api/v1/admin/outbox/{id}", || get(admin::mails::outgoing))
        .described(&admin::mails::OUTGOING),
    Route::new(Admin, "POST", "/api/v1/admin/outbox/{id}", || post(admin::mails::change_outgoing))
        .described(&admin::mails::CHANGE_OUTGOING),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/legal", || get(boards::legal))
        .described(&boards::LEGAL),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/analysis", || get(analyses::show))
        .described(&analyses::ANALYSIS),
    Route::new(User, "GET", "/api/v1/boards/{game}/{number}/hint", || get(hints::show))
        .described(&hints::HINT),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/board.txt", || get(boards::text))
        .described(&boards::TEXT),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/board.svg", || get(pictures::svg))
        .described(&pictures::SVG),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/game.png", || get(pictures::animation))
        .described(&pictures::ANIMATION),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/board.png", || get(pictures::png))
        .described(&pictures::PNG),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/events", || get(events::follow))
        .described(&events::FOLLOW),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/record", || get(boards::record))
        .described(&boards::RECORD),
    Route::new(Public, "GET", "/api/v1/boards/{game}/{number}/{file}", || get(boards::record_format))
        .described(&boards::RECORD_FORMAT),
];

/// Hides the parser's messages, which may repeat the input.
fn read_json<T: serde::de::DeserializeOwned>(body: &[u8], form: &str) -> Result<T, Problem> {
    serde_json::from_slice(body)
        .map_err(|_| Problem::new(Code::WrongArguments, format!("the request is not of the form {form}")))
}

//! Boards: searching, viewing as any player, and changing.

use axum::Extension;
use axum::extract::{Form, State};
use axum::response::{IntoResponse as _, Redirect, Response};
use knotpost_picture::linked_svg;
use minijinja::value::Serde;
use minijinja::{Value, context};

use super::{CurrentAdmin, Fields, LINES, carry_out, field, given, next_page, page_after, page_or, refused};
use crate::Web;
use crate::extract::{PagePath, PageQuery, board_name};
use crate::pages::join;
use knotpost_core::admin::{AdminAction, BOARD_ACTS, administer, inspect_board};
use knotpost_core::boards::{Code, Refusal, ServiceError};
use knotpost_core::identity::Visitor;
use knotpost_core::queries::{BoardQuery, ListedBoard, view_boards};
use knotpost_model::{BoardKey, BoardRef, BoardState};

pub(super) async fn list(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    // A game and a number identify one board.
    if let (Some(game), Some(number)) = (given(&fields, "game"), given(&fields, "number"))
        && let Ok(number) = number.parse::<u32>()
    {
        return Redirect::to(&format!("/admin/boards/{}/{number}", super::url_encode(&game))).into_response();
    }
    page_or(&web, &visitor, "admin/boards.html", list_facts(&web, &fields).await, "/admin/boards")
}

async fn list_facts(web: &Web, fields: &Fields) -> Result<Value, ServiceError> {
    let Ok(state) = given(fields, "state").map(BoardState::try_from).transpose() else {
        return Err(Refusal::new(Code::BadValue, "states are active, over and removed").into());
    };
    let query = BoardQuery {
        game: given(fields, "game").map(|game| game.to_lowercase()),
        userid: given(fields, "user"),
        state,
        after: field(fields, "after").parse().ok().map(BoardKey),
        limit: LINES as i64,
        ..BoardQuery::default()
    };
    let found = view_boards(&web.app, query).await?;
    let line = |board: &ListedBoard| {
        let summary = &board.summary;
        context! {
            line => Serde(&board.line), state => summary.state.as_str(), paused => summary.paused.is_some(),
            since => summary.waits_since().to_readable(), due => summary.due.map(|due| due.to_readable()),
        }
    };
    let games: Vec<&str> = web.app.games.registry.iter().map(|game| game.meta().name).collect();
    Ok(context! {
        games,
        game => field(fields, "game"), user => field(fields, "user"), state => field(fields, "state"),
        boards => found.boards.iter().map(line).collect::<Vec<_>>(),
        more => found.next.map(|key| next_page("/admin/boards", fields, "after", &key.0.to_string())),
    })
}

fn address(name: &BoardRef) -> String {
    format!("/admin/boards/{}/{}", super::url_encode(&name.game), name.number)
}

pub(super) async fn show(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath((game, number)): PagePath<(String, String)>,
    PageQuery(fields): PageQuery<Fields>,
) -> Response {
    show_board(&web, &visitor, (&game, &number), &fields, None).await
}

async fn show_board(
    web: &Web,
    visitor: &Visitor,
    (game, number): (&str, &str),
    query: &Fields,
    refusal: Option<(&Refusal, &Fields)>,
) -> Response {
    let facts = async {
        let name = board_name(game, number)?;
        let seat = given(query, "seat").map(|seat| seat.parse().unwrap_or(0));
        if let Some(seat) = seat {
            let action = AdminAction::LookAs { board: name.clone(), seat };
            administer(&web.app, &super::administrator(visitor), action).await?;
        }
        let ply = given(query, "ply").and_then(|ply| ply.parse().ok());
        let seen = inspect_board(&web.app, &name, ply, seat).await?;
        let done = !field(query, "done").is_empty();
        let typed = refusal.map_or(&[][..], |(_, typed)| typed);
        let winners: Vec<String> =
            typed.iter().filter(|(name, _)| name == "winner").map(|(_, seat)| seat.clone()).collect();
        let why = typed.iter().find(|(name, _)| name == "why").map(|(_, why)| why.clone());
        let why = why.unwrap_or_default();
        let title = format!("{} board {}", seen.title, seen.facts.number);
        let own = context! {
            seat, done, here => address(&name), why, winners,
            title => seen.title, sides => seen.sides.clone(), notes => seen.notes.clone(),
            picture => Value::from_safe_string(linked_svg(&seen.view, &title, &[])),
        };
        Ok::<_, ServiceError>(join([own, Value::from(Serde(&seen))]))
    };
    match facts.await {
        Ok(facts) => page_after(web, visitor, refusal.map(|(why, _)| why), "admin/board.html", facts),
        Err(error) => refused(web, visitor, error, "/admin/boards"),
    }
}

pub(super) async fn act(
    State(web): State<Web>,
    Extension(visitor): CurrentAdmin,
    PagePath((game, number)): PagePath<(String, String)>,
    Form(fields): Form<Fields>,
) -> Response {
    let back = format!("/admin/boards/{}/{}", super::url_encode(&game), super::url_encode(&number));
    let done = async {
        let seats = fields.iter().filter(|(name, _)| name == "winner").map(|(_, seat)| seat.parse());
        let winners = seats
            .collect::<Result<Vec<u8>, _>>()
            .map_err(|_| Refusal::new(Code::BadValue, "a winner is named by the number of a seat"))?;
        let of = (board_name(&game, &number)?, field(&fields, "why").to_owned(), winners);
        let action = AdminAction::named(BOARD_ACTS, field(&fields, "act"), of);
        carry_out(&web, &visitor, action, &fields, &back).await
    };
    match done.await {
        Ok(response) => response,
        Err(ServiceError::Refused(refusal)) => {
            let refusal = Some((&*refusal, &fields));
            show_board(&web, &visitor, (&game, &number), &Fields::new(), refusal).await
        }
        Err(error) => refused(&web, &visitor, error, &back),
    }
}

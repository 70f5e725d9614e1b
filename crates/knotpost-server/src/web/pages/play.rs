//! The start page, boards, rules and help.

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;

use crate::domain::{BoardRef, BoardState};
use knotpost_commands::ExampleContext;

use crate::service::{
    BoardLine, BoardQuery, BoardView, Code, Reply, ServiceError, Standing, help_page, view_board,
    view_boards, view_games,
};
use crate::web::Web;

/// Boards on the start page.
const BOARDS: i64 = 50;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct PlyQuery {
    ply: Option<i64>,
}

pub(super) async fn missing(State(web): State<Web>) -> Response {
    web.pages.page(
        StatusCode::NOT_FOUND,
        "problem.html",
        context! { title => "Not found", message => "there is no such page here" },
    )
}

pub(super) async fn home(State(web): State<Web>) -> Response {
    let facts = async {
        let games = view_games(&web.app).await?;
        let active = BoardQuery { state: Some(BoardState::Active), limit: BOARDS, ..BoardQuery::default() };
        let page = view_boards(&web.app, active).await?;
        let boards: Vec<Value> = page.boards.iter().map(|(_, _, line)| line_facts(line)).collect();
        Ok::<_, ServiceError>(context! { games => Serde(games), boards, more => page.next.is_some() })
    };
    match facts.await {
        Ok(facts) => web.pages.page(StatusCode::OK, "home.html", facts),
        Err(error) => web.pages.failure(error),
    }
}

fn line_facts(line: &BoardLine) -> Value {
    Value::from(Serde(line))
}

pub(super) async fn game(State(web): State<Web>, Path(name): Path<String>) -> Response {
    let name = name.to_lowercase();
    let Some(game) = web.app.game(&name) else {
        return web.pages.problem(Code::UnknownGame, &format!("there is no game `{name}` here"));
    };
    let help = game.help();
    let sections: Vec<Value> = help
        .sections
        .iter()
        .map(|section| context! { title => section.title, text => section.text.clone() })
        .collect();
    let meta = game.meta();
    let facts =
        context! { name, title => meta.title, summary => meta.summary, credit => meta.credit, sections };
    web.pages.page(StatusCode::OK, "game.html", facts)
}

pub(super) async fn board(
    State(web): State<Web>,
    Path((game, number)): Path<(String, String)>,
    Query(query): Query<PlyQuery>,
) -> Response {
    let game = game.to_lowercase();
    let Ok(number) = number.parse() else {
        return web.pages.problem(Code::NoSuchBoard, &format!("there is no {game} board `{number}`"));
    };
    match view_board(&web.app, &BoardRef { game, number }, query.ply).await {
        Ok(view) => web.pages.page(StatusCode::OK, "board.html", board_facts(&view)),
        Err(error) => web.pages.failure(error),
    }
}

fn board_facts(view: &BoardView) -> Value {
    let ply = view.board.entries.len() as i64;
    let to_move = match view.board.standing() {
        Standing::ToMove(seat) => view.board.userid_at(i64::from(seat.number())).to_owned(),
        Standing::Over(_) => String::new(),
    };
    // Where a move is put together from parts nobody counts the ways to do so.
    let is_counted = matches!(view.board.position.steps(""), Ok(None));
    let legal = is_counted.then(|| view.board.position.legal_moves().len());
    context! {
        sheet => Serde(&view.sheet),
        state => view.board.row.state.as_str(),
        turn_line => view.sheet.verdict.to_string(),
        to_move,
        number => view.sheet.number,
        ply,
        last => view.last_ply,
        legal,
    }
}

pub(super) async fn help(State(web): State<Web>, Path(topic): Path<String>) -> Response {
    match help_page(&web.app, &topic.to_lowercase(), &ExampleContext::default()) {
        Some(Reply::Help { title, text }) => {
            web.pages.page(StatusCode::OK, "help.html", context! { title, text })
        }
        _ => web.pages.problem(Code::NoSuchBoard, &format!("there is no help about `{topic}`")),
    }
}

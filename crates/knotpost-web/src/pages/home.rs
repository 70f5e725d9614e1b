//! The start page, the pages of games and of help topics, and the pages of errors.

use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse as _, Redirect, Response};
use knotpost_commands::ExampleContext;
use knotpost_picture::{inline_die, linked_svg};
use knotpost_rules::knot::Face;
use knotpost_rules::view::draw_faces;
use knotpost_rules::{AnyGame, GameKind, Meta, View};
use minijinja::value::Serde;
use minijinja::{Value, context};
use serde::Deserialize;
use std::collections::HashMap;

use super::figures::faces;
use super::practice::lessons;
use super::{Refused, assets, games, join, preview, prose, seeks, sentence};
use crate::Web;
use crate::error::{Failure, Problem};
use crate::extract::{PagePath, PageQuery};
use crate::session::{LoggedIn, no_store};
use knotpost_core::boards::{Code, ServiceError};
use knotpost_core::commands::{TOPICS, help_page};
use knotpost_core::identity::{FeedReader, Visitor};
use knotpost_core::queries::{
    BoardQuery, GameView, ListedBoard, view_boards, view_deadlines, view_followed_boards, view_games,
    view_own_boards, view_own_state, view_zone,
};
use knotpost_core::replies::{BoardLine, GameCount, Reply};
use knotpost_model::{BoardState, Millis};

const BOARDS: i64 = 20;
const OWN_BOARDS: i64 = 200;
const SHOWN_TO_VISITORS: usize = 3;
/// Each has three buttons.
const SHOWN_TO_USERS: usize = 4;

pub(crate) async fn not_found(State(web): State<Web>, uri: Uri) -> Response {
    if uri.path().starts_with("/api/") {
        return Problem::not_found("there is nothing at this address of the API").into_response();
    }
    not_found_page(&web)
}

/// Refuses alike for everyone; it reveals nothing, as addresses are no secret.
pub(crate) async fn method_not_allowed(State(web): State<Web>, uri: Uri) -> Response {
    if uri.path().starts_with("/api/") || uri.path() == "/commands" {
        return Problem::method_not_allowed().into_response();
    }
    let title = "Method not allowed";
    let message = "this page cannot be asked in this way";
    web.pages.page(StatusCode::METHOD_NOT_ALLOWED, "problem.html", context! { title, message })
}

/// Answers 404, also for pages that the user may not see.
pub(crate) fn not_found_page(web: &Web) -> Response {
    let message = "there is no such page here";
    let facts = context! { title => "Not found", message, games => offered_games(web) };
    let mut page = web.pages.page(StatusCode::NOT_FOUND, "problem.html", facts);
    page.extensions_mut().insert(Refused(message.to_owned()));
    page
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Done {
    /// Form that was just executed: `seeking` or `stopped`.
    done: String,
}

pub(super) async fn home(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PageQuery(done): PageQuery<Done>,
) -> Result<Response, Failure> {
    let visitor = visitor.as_deref();
    // Read before the boards themselves: a change in between is then reported once too often rather than missed.
    let state = match visitor {
        Some(visitor) => Some(view_own_state(&web.app.store, visitor.user).await?.version),
        None => None,
    };
    let active = BoardQuery { state: Some(BoardState::Active), limit: BOARDS, ..BoardQuery::default() };
    let page = view_boards(&web.app, active).await?;
    let others = page.boards.iter().filter(|board| {
        let is_mine =
            visitor.is_some_and(|visitor| board.summary.players().any(|player| player == visitor.userid));
        !is_mine && !board.summary.is_alone()
    });
    let boards: Vec<Value> = others.map(|board| line_facts(&board.line)).collect();
    let mine = match visitor {
        Some(visitor) => own_boards(&web, visitor).await?,
        None => Vec::new(),
    };
    let favourites = games::favourites(&web, visitor).await?;
    let kinds = web.app.games.offered_by_kind();
    let of_mine = mine.iter().filter_map(|board| Some(board.get_attr("game").ok()?.as_str()?.to_owned()));
    let names = favourites.iter().cloned().chain(of_mine);
    let games = first_games(
        &view_games(&web.app.store, web.app.games.registry).await?,
        &kinds,
        names,
        visitor.is_some(),
    );
    let kinds = games::facts(kinds, &favourites);
    let first = web.app.games.offered().next().filter(|_| visitor.is_none());
    let push = first.and_then(|game| web.pages.figures.push_of(game));
    let first = first.map(|game| begin_facts(game.meta(), web.app.config.bots.enabled));
    let seeks = seeks::all(&web).await?;
    let followed = match visitor {
        Some(visitor) => view_followed_boards(&web.app, visitor.user).await?,
        None => Vec::new(),
    };
    let followed: Vec<Value> = followed.iter().map(|board| line_facts(&board.line)).collect();
    let facts = context! {
        games => Serde(games), kinds, push, first, boards, followed, mine, state, live => assets::address("home.js"), seeks, done => done.done,
        more => page.next.is_some(), preview => preview::of_server(&web),
    };
    Ok(no_store(web.pages.page_for(visitor, StatusCode::OK, "home.html", facts)))
}

/// The games with buttons: a user's favourites and those they play; for all others, and to begin with, one of each of the
/// first kinds.
fn first_games(
    counts: &[GameCount],
    kinds: &[(GameKind, Vec<&'static Meta>)],
    names: impl Iterator<Item = String>,
    is_user: bool,
) -> Vec<GameCount> {
    let offered = |name: &str| kinds.iter().any(|(_, games)| games.iter().any(|meta| meta.name == name));
    let mut chosen: Vec<String> = Vec::new();
    for name in names.filter(|name| is_user && offered(name)) {
        if !chosen.contains(&name) {
            chosen.push(name);
        }
    }
    if chosen.is_empty() {
        chosen.extend(kinds.iter().filter_map(|(_, games)| Some(games.first()?.name.to_owned())));
        chosen.truncate(SHOWN_TO_VISITORS);
    }
    chosen.truncate(SHOWN_TO_USERS);
    let count = |name: &String| counts.iter().find(|count| count.game == *name).cloned();
    chosen.iter().filter_map(count).collect()
}

/// The beginning of a visitor: the link of the one button, and the way to win that game.
fn begin_facts(meta: &Meta, has_bots: bool) -> Value {
    let push = lessons::first_push(meta);
    let how = push.as_ref().map_or_else(|| sentence(meta.summary), |push| push.how.clone());
    let href = match push.filter(|_| has_bots) {
        Some(push) => push.address(meta.name),
        None if has_bots => format!("/try/{}?level=1", meta.name),
        None => format!("/try/{}", meta.name),
    };
    context! { game => meta.name, title => meta.title, how, href }
}

async fn own_boards(web: &Web, visitor: &Visitor) -> Result<Vec<Value>, ServiceError> {
    let boards = view_own_boards(&web.app, &visitor.userid, OWN_BOARDS).await?;
    let zone = view_zone(&web.app.store, visitor).await?;
    let now = web.app.clock.now();
    let reader = FeedReader { user: visitor.user, userid: visitor.userid.clone(), since: now };
    let ends: HashMap<(String, i64), Millis> = view_deadlines(&web.app, &reader)
        .await?
        .into_iter()
        .map(|(waiting, end)| ((waiting.summary.facts.game, waiting.summary.facts.number), end.at))
        .collect();
    let facts = |board: &ListedBoard| {
        let summary = &board.summary;
        let since = summary.waits_since();
        let end = ends.get(&(summary.game.clone(), summary.number));
        let mut others: Vec<String> =
            summary.players().filter(|player| *player != visitor.userid).map(str::to_owned).collect();
        others.dedup();
        let away: Vec<String> = summary
            .seats
            .iter()
            .filter(|seat| seat.userid != visitor.userid && seat.away_until.is_some_and(|until| *until > now))
            .map(|seat| seat.userid.clone())
            .collect();
        let own = context! {
            is_mine => board.is_turn_of(&visitor.userid) && summary.paused.is_none(), paused => summary.paused.is_some(),
            since => zone.show(*since), since_machine => since.to_rfc3339(), waited => now.since(*since).in_words(),
            left => end.map(|end| end.since(now).in_words()), end => end.map(|end| zone.show(*end)),
            others, away,
        };
        join([own, line_facts(&board.line)])
    };
    Ok(boards.iter().map(facts).collect())
}

fn line_facts(line: &BoardLine) -> Value {
    Value::from(Serde(line))
}

pub(super) async fn game(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(name): PagePath<String>,
) -> Response {
    let name = name.to_lowercase();
    let Some(game) = web.app.games.find(&name) else {
        if let Some(game) = web.app.games.registry.iter().find(|game| game.meta().is_called(&name)) {
            return Redirect::permanent(&format!("/games/{}", game.meta().name)).into_response();
        }
        return web.pages.problem(Code::UnknownGame, &format!("there is no game `{name}` here"));
    };
    let help = game.help();
    let meta = game.meta();
    // The first section describes the challenge; its first line is shown above the table of options.
    let usage = help.sections.first().and_then(|section| section.text.lines().next()).unwrap_or_default();
    let drawings = drawings(game, &help.figures);
    let sections: Vec<Value> = help
        .sections
        .iter()
        .skip(1)
        .map(|section| {
            context! { title => section.title, prose => Value::from_safe_string(prose::to_html_with(&section.text, &drawings)) }
        })
        .collect();
    let own = context! {
        sections, usage, faces => faces(game), is_offered => web.app.games.find_offered(meta.name).is_some(),
        has_lessons => lessons::has_lessons(meta),
        preview => preview::of_game(&web, game),
    };
    let facts = join([own, game_facts(game)]);
    web.pages.page_for(visitor.as_deref(), StatusCode::OK, "game.html", facts)
}

/// The boards and faces of a game's rules as drawings, each with the text that it shows.
fn drawings(game: &dyn AnyGame, figures: &[View]) -> Vec<(String, String)> {
    let board = |(place, view): (usize, &View)| {
        let title = format!("Figure {}", place + 1);
        (
            view.to_string().trim_matches('\n').to_owned(),
            format!("<div class=\"sight\">{}</div>", linked_svg(view, &title, &[])),
        )
    };
    let faces = faces(game);
    let faces = (!faces.is_empty()).then(|| (draw_faces().trim_matches('\n').to_owned(), list_faces()));
    figures.iter().enumerate().map(board).chain(faces).collect()
}

/// The faces with their letters, drawn as the style sheet has it.
fn list_faces() -> String {
    let face = |face: Face| format!("<li><span>{}{}</span></li>", inline_die(face), face.letter());
    format!("<ul class=\"faces\">{}</ul>", Face::ALL.into_iter().map(face).collect::<String>())
}

pub(super) fn offered_games(web: &Web) -> Vec<Value> {
    web.app.games.offered().map(game_facts).collect()
}

pub(super) fn game_facts(game: &dyn AnyGame) -> Value {
    Value::from(Serde(GameView::from(game.meta())))
}

pub(super) async fn help(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(topic): PagePath<String>,
) -> Response {
    match help_page(&web.app, &topic.to_lowercase(), &ExampleContext::default()) {
        Some(Reply::Help { title, text }) => {
            let prose = Value::from_safe_string(prose::to_html(&text));
            let topics: Vec<Value> =
                TOPICS.iter().map(|(name, title, _)| context! { name => *name, title => *title }).collect();
            let facts = context! { title, prose, topics, topic => topic.to_lowercase() };
            web.pages.page_for(visitor.as_deref(), StatusCode::OK, "help.html", facts)
        }
        _ => web.pages.problem(Code::NoSuchBoard, &format!("there is no help about `{topic}`")),
    }
}

//! The puzzles of the day: in each position exactly one move wins. The address of the page holds the tried moves, so
//! that nothing is stored; anyone may see the answer.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use knotpost_picture::linked_svg;
use knotpost_rules::{AnyGame, Meta, Puzzle, Turn, Viewer};
use minijinja::{Value, context};
use serde::Deserialize;

use super::line::{BETWEEN, Line, Look, Origin};
use super::unlisted;
use crate::Web;
use crate::extract::{PagePath, PageQuery};
use crate::pages::{join, seeks};
use crate::session::{LoggedIn, url_encode};
use knotpost_core::boards::Code;

const LAST_DAY: u16 = 366;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::pages) struct Tried {
    /// Day of the year; today by default.
    day: Option<u16>,
    /// The tried move, and the line after it.
    moves: String,
    choose: String,
    /// For the next die, chosen before its face.
    spot: Option<String>,
    answer: Option<String>,
}

pub(super) fn has_puzzles(meta: &Meta) -> bool {
    !meta.puzzles.is_empty()
}

pub(in crate::pages) async fn list(State(web): State<Web>, visitor: Option<LoggedIn>) -> Response {
    let today = web.app.clock.now().day_of_year();
    let facts = |game: &dyn AnyGame| {
        let meta = game.meta();
        let puzzle = Puzzle::of_day(meta, today)?;
        let (_, position) = puzzle.open(game)?;
        let view = position.view(Viewer::Spectator);
        let mover = side(meta, position.next_seat().index());
        let picture = Value::from_safe_string(linked_svg(&view, meta.title, &[]));
        Some(context! { game => meta.name, title => meta.title, mover, picture, options => puzzle.options })
    };
    let games: Vec<Value> = web.app.games.offered().filter_map(facts).collect();
    web.pages.page_for(visitor.as_deref(), StatusCode::OK, "puzzles.html", context! { games, day => today })
}

pub(in crate::pages) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath(name): PagePath<String>,
    PageQuery(tried): PageQuery<Tried>,
) -> Response {
    let name = name.to_lowercase();
    let Some(game) = web.app.games.find_offered(&name).filter(|game| has_puzzles(game.meta())) else {
        return web.pages.problem(Code::UnknownGame, &format!("there are no puzzles of `{name}` here"));
    };
    let meta = game.meta();
    let today = web.app.clock.now().day_of_year();
    let day = tried.day.unwrap_or(today);
    let Some(puzzle) = Puzzle::of_day(meta, day) else {
        let message = format!("the days of a year are numbered from 1 to {LAST_DAY}");
        return web.pages.problem(Code::BadValue, &message);
    };
    let Some((options, position)) = puzzle.open(game) else {
        return web.pages.problem(Code::UnknownGame, "this puzzle is not for these rules");
    };
    let best: Vec<&str> = puzzle.line().filter(|turn| Turn::from_word(turn) != Turn::Pass).collect();
    if tried.answer.is_some() {
        return unlisted(Redirect::to(&address(meta, day, &best)).into_response());
    }
    let mover = side(meta, position.next_seat().index());
    let steps = steps(meta, day, &puzzle, position.next_seat().index());
    // Only the first move is judged: later ones may have alternatives.
    let count = tried.moves.split(BETWEEN).filter(|word| !word.is_empty()).count();
    let origin = Origin {
        path: format!("/puzzles/{}", meta.name),
        kept: vec![("day", day.to_string())],
        most: count.clamp(1, best.len().max(1)),
        players: Vec::new(),
        sides: meta.seat_names(2),
    };
    let mut line = Line::begin(origin, position);
    line.play_all(&tried.moves);
    let played = line.moves().len();
    let verdict = match line.moves().first() {
        None => "",
        Some(first) if first.text == puzzle.solution() => "right",
        Some(_) => "wrong",
    };
    let first = line.moves().first().map(|made| made.text.clone());
    let look = Look { moves: tried.moves, choose: tried.choose, spot: tried.spot, ..Look::default() };
    let (tomorrow, yesterday) = (day % LAST_DAY + 1, if day == 1 { LAST_DAY } else { day - 1 });
    let own = context! {
        game => meta.name, title => meta.title, day, is_today => day == today, verdict, first, played, steps,
        side => mover, options => seeks::name_terms(&options.to_string()), best_length => puzzle.turns(), yesterday, tomorrow,
    };
    let facts = join([own, line.facts(meta.title, &look)]);
    unlisted(web.pages.page_for(visitor.as_deref(), StatusCode::OK, "puzzle.html", facts))
}

fn side(meta: &Meta, index: usize) -> &'static str {
    meta.seat_names(2).get(index).copied().unwrap_or("The side to move")
}

/// Steps of best play: the number among the moves of the address, the side, and the page after it. The sides take
/// turns, and a turn that is passed is played together with the one before it.
fn steps(meta: &Meta, day: u16, puzzle: &Puzzle, first: usize) -> Vec<Value> {
    let (mut so_far, mut steps) = (Vec::new(), Vec::new());
    for (place, turn) in puzzle.line().enumerate() {
        let is_pass = Turn::from_word(turn) == Turn::Pass;
        if !is_pass {
            so_far.push(turn);
        }
        steps.push(context! {
            text => turn, number => so_far.len(), by => side(meta, (first + place) % 2),
            seat => (first + place) % 2 + 1, is_pass, href => address(meta, day, &so_far),
        });
    }
    steps
}

fn address(meta: &Meta, day: u16, moves: &[&str]) -> String {
    let moves: Vec<String> = moves.iter().map(|play| url_encode(play)).collect();
    format!("/puzzles/{}?day={day}&moves={}", meta.name, moves.join(&BETWEEN.to_string()))
}

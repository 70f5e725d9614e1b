//! Small boards to learn a game on: one move each, judged by the rules of the game. The boards stand in a file beside the
//! style; the address of the page holds the move, so that nothing is stored.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Redirect, Response};
use knotpost_rules::AnyGame;
use minijinja::{Value, context};
use serde::Deserialize;

use super::practice::{BETWEEN, Look, Practice, Start};
use crate::Web;
use crate::extract::{PagePath, PageQuery};
use crate::session::LoggedIn;
use knotpost_core::boards::Code;

/// The lessons of a game.
#[derive(Debug, Deserialize)]
struct Course {
    /// The moves of the game's figure, on a board with the usual options.
    figure: String,
    /// The size of its boards; empty: the usual one.
    size: String,
    lessons: Vec<Lesson>,
}

/// A board and what is to be done on it.
#[derive(Debug, Deserialize)]
struct Lesson {
    deal: u8,
    /// By how much the player's lead must grow; 0: any move is right.
    gain: i32,
    /// The moves before it.
    moves: String,
    /// The task.
    text: String,
    /// What is said after the right move.
    done: String,
}

static COURSES: LazyLock<BTreeMap<String, Course>> =
    LazyLock::new(|| serde_json::from_str(include_str!("../../../../web/lessons.json")).unwrap_or_default());

/// Whether there are lessons for a game.
pub(super) fn has_lessons(game: &str) -> bool {
    COURSES.contains_key(game)
}

/// The moves of the figure of a game, picked by hand.
pub(super) fn figure(game: &str) -> Option<impl Iterator<Item = &'static str>> {
    COURSES.get(game).map(|course| course.figure.split(BETWEEN))
}

/// The games that can be learned.
pub(super) async fn list(State(web): State<Web>, visitor: Option<LoggedIn>) -> Response {
    let visitor = visitor.as_ref().map(|LoggedIn(visitor)| visitor);
    let taught = web.app.games().filter(|game| has_lessons(game.meta().name));
    let facts = |game: &dyn AnyGame| {
        let meta = game.meta();
        context! { game => meta.name, title => meta.title, summary => meta.summary }
    };
    let games: Vec<Value> = taught.map(facts).collect();
    web.pages.page_for(visitor, StatusCode::OK, "learn.html", context! { games })
}

pub(super) async fn first(PagePath(game): PagePath<String>) -> Redirect {
    Redirect::to(&format!("/learn/{}/1", crate::session::url_encode(&game.to_lowercase())))
}

pub(super) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath((name, number)): PagePath<(String, usize)>,
    PageQuery(look): PageQuery<Look>,
) -> Response {
    let visitor = visitor.as_ref().map(|LoggedIn(visitor)| visitor);
    let name = name.to_lowercase();
    let (Some(game), Some(course)) = (web.app.game(&name), COURSES.get(&name)) else {
        return web.pages.problem(Code::UnknownGame, &format!("there are no lessons for `{name}` here"));
    };
    let Some(lesson) = number.checked_sub(1).and_then(|place| course.lessons.get(place)) else {
        return web.pages.problem(Code::NoSuchBoard, "there is no such lesson");
    };
    let meta = game.meta();
    let begun = lesson.start(&name, number, course);
    let Some(before) = Practice::begin(game, &begun) else {
        return web.pages.problem(Code::UnknownGame, "this lesson is not for these rules");
    };
    let mover = before.to_move();
    let lead = before.lead(mover);
    let mut practice = before;
    practice.play_all(&look, 1);
    let is_right = practice.lead(mover) - lead >= lesson.gain;
    let verdict = match practice.count() {
        0 => "",
        _ if is_right => "right",
        _ => "wrong",
    };
    let facts = context! {
        game => meta.name, title => meta.title, number, verdict,
        all => course.lessons.len(), text => lesson.text.clone(), done => lesson.done.clone(),
        ..practice.facts(meta.title, &look)
    };
    web.pages.page_for(visitor, StatusCode::OK, "lesson.html", facts)
}

impl Lesson {
    fn start(&self, game: &str, number: usize, course: &Course) -> Start {
        Start {
            path: format!("/learn/{game}/{number}"),
            size: course.size.clone(),
            deal: self.deal,
            before: self.moves.clone(),
            most: 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_rules::Registry;

    #[test]
    fn every_lesson_has_a_right_move_and_the_harder_ones_a_wrong_one() {
        let registry = Registry::standard();
        for game in registry.iter() {
            let name = game.meta().name;
            let course = &COURSES[name];
            assert_eq!(course.lessons.len(), 5, "{name}");
            let figure = Start {
                path: String::new(),
                size: String::new(),
                deal: 0,
                before: course.figure.clone(),
                most: 1,
            };
            assert!(Practice::begin(game, &figure).is_some(), "{name}: the figure holds a wrong move");
            for (place, lesson) in course.lessons.iter().enumerate() {
                let number = place + 1;
                let begun = Practice::begin(game, &lesson.start(name, number, course));
                let begun = begun.unwrap_or_else(|| panic!("{name} {number}: a wrong move"));
                let mover = begun.to_move();
                let gains = begun.leads_after(mover);
                let right = gains.iter().filter(|lead| **lead - begun.lead(mover) >= lesson.gain).count();
                assert!(right > 0, "{name} {number}: no move is right");
                assert!(lesson.gain == 0 || right < gains.len(), "{name} {number}: every move is right");
            }
        }
    }
}

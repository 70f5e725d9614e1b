//! Lessons: small boards with one move each, judged by the rules of the game, whose file they stand in. The address of
//! the page holds the move, so that nothing is stored.

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Redirect, Response};
use minijinja::{Value, context};
use serde::Deserialize;

use super::Setup;
use super::line::{BETWEEN, Look};
use crate::Web;
use crate::extract::{PagePath, PageQuery};
use crate::pages::home::game_facts;
use crate::pages::join;
use crate::session::{LoggedIn, with_query};
use knotpost_core::boards::Code;
use knotpost_rules::{Meta, Position, Scores, Seat, Status};

#[derive(Debug, Deserialize)]
struct Course {
    /// On a board with default options.
    figure: String,
    /// As typed; empty for the defaults.
    options: String,
    first: Option<FirstPush>,
    lessons: Vec<Lesson>,
}

/// The first move of a visitor, in a game that has begun: it wins points.
#[derive(Debug, Deserialize)]
pub(in crate::pages) struct FirstPush {
    /// The way to win, in a sentence or two.
    pub(in crate::pages) how: String,
    /// Moves of both sides before it, with the options of a first game.
    pub(in crate::pages) moves: String,
    /// The move, which begins with a die to be chosen.
    pub(in crate::pages) play: String,
    pub(in crate::pages) text: String,
}

impl FirstPush {
    /// The page on which the die is chosen already.
    pub(in crate::pages) fn address(&self, game: &str) -> String {
        let die = self.play.get(..1).unwrap_or_default();
        with_query(&format!("/try/{game}"), [("level", "1"), ("moves", &self.moves), ("choose", die)])
    }
}

#[derive(Debug, Deserialize)]
struct Lesson {
    deal: u8,
    /// Required growth of the player's standing; 0 if any move is right.
    gain: i32,
    moves: String,
    text: String,
    done: String,
}

/// The lessons of a game that has some.
fn course(meta: &Meta) -> Option<Course> {
    serde_json::from_str(meta.lessons).ok()
}

pub(in crate::pages) fn first_push(meta: &Meta) -> Option<FirstPush> {
    course(meta)?.first
}

pub(in crate::pages) const fn has_lessons(meta: &Meta) -> bool {
    !meta.lessons.is_empty()
}

pub(in crate::pages) fn figure(meta: &Meta) -> Option<Vec<String>> {
    Some(course(meta)?.figure.split(BETWEEN).map(str::to_owned).collect())
}

/// The lead of a seat; in a game without figures a win is one ahead.
fn standing(position: &dyn Position, seat: Seat) -> i32 {
    match (position.scores(), position.status()) {
        (Scores::None, Status::Over(outcome)) => match outcome.winners().as_slice() {
            [winner] if *winner == seat => 1,
            [_] => -1,
            _ => 0,
        },
        (scores, _) => scores.lead(seat),
    }
}

pub(in crate::pages) async fn list(State(web): State<Web>, visitor: Option<LoggedIn>) -> Response {
    let taught = web.app.games.offered().filter(|game| has_lessons(game.meta()));
    let games: Vec<Value> = taught.map(game_facts).collect();
    web.pages.page_for(visitor.as_deref(), StatusCode::OK, "learn.html", context! { games })
}

pub(in crate::pages) async fn first(PagePath(game): PagePath<String>) -> Redirect {
    Redirect::to(&format!("/learn/{}/1", crate::session::url_encode(&game.to_lowercase())))
}

pub(in crate::pages) async fn show(
    State(web): State<Web>,
    visitor: Option<LoggedIn>,
    PagePath((name, number)): PagePath<(String, usize)>,
    PageQuery(look): PageQuery<Look>,
) -> Response {
    let name = name.to_lowercase();
    let Some((game, course)) =
        web.app.games.find_offered(&name).and_then(|game| Some((game, course(game.meta())?)))
    else {
        return web.pages.problem(Code::UnknownGame, &format!("there are no lessons for `{name}` here"));
    };
    let Some(lesson) = number.checked_sub(1).and_then(|place| course.lessons.get(place)) else {
        return web.pages.problem(Code::NoSuchBoard, "there is no such lesson");
    };
    let meta = game.meta();
    let Some(mut line) = lesson.start(&name, number, &course).begin(game) else {
        return web.pages.problem(Code::UnknownGame, "this lesson is not for these rules");
    };
    let mover = line.position().next_seat();
    let before = standing(line.position(), mover);
    line.play_all(&look.moves);
    let lead = standing(line.position(), mover);
    let is_right = lead - before >= lesson.gain;
    let verdict = match line.moves().len() {
        0 => "",
        _ if is_right => "right",
        _ => "wrong",
    };
    let own = context! {
        game => meta.name, title => meta.title, number, verdict,
        all => course.lessons.len(), text => lesson.text.clone(), done => lesson.done.clone(),
    };
    let facts = join([own, line.facts(meta.title, &look)]);
    web.pages.page_for(visitor.as_deref(), StatusCode::OK, "lesson.html", facts)
}

impl Lesson {
    fn start(&self, game: &str, number: usize, course: &Course) -> Setup {
        Setup {
            path: format!("/learn/{game}/{number}"),
            options: course.options.clone(),
            deal: self.deal,
            before: self.moves.clone(),
            most: 1,
            level: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use knotpost_rules::Turn;

    fn leads_after(position: &dyn Position) -> Vec<i32> {
        let mover = position.next_seat();
        let after = |play: &String| {
            let mut after = position.clone_box();
            after.seal_chance();
            after.play(Turn::from_word(play)).ok().map(|_| standing(after.as_ref(), mover))
        };
        list_turns(position).iter().filter_map(after).collect()
    }

    /// Legal moves, and what is put together of steps as far as that ends soon.
    fn list_turns(position: &dyn Position) -> BTreeSet<String> {
        let mut turns: BTreeSet<String> = position.legal_moves().into_iter().collect();
        let mut begun = vec![String::new()];
        while let Some(start) = begun.pop()
            && turns.len() < 20_000
            && let Ok(Some(steps)) = position.steps(&start)
        {
            turns.extend(steps.next.iter().cloned());
            begun.extend(steps.next);
        }
        turns
    }

    #[test]
    fn every_lesson_has_a_right_move_and_the_harder_ones_a_wrong_one() {
        let registry = knotpost_games::registry();
        for game in registry.iter().filter(|game| has_lessons(game.meta())) {
            let name = game.meta().name;
            let course =
                &course(game.meta()).unwrap_or_else(|| panic!("the lessons of {name} cannot be read"));
            assert!(course.lessons.len() >= 3, "{name}");
            let figure = Setup {
                path: String::new(),
                options: String::new(),
                deal: 0,
                before: course.figure.clone(),
                most: 1,
                level: None,
            };
            assert!(figure.begin(game).is_some(), "{name}: the figure holds a wrong move");
            if let Some(first) = &course.first {
                let options = game.meta().trial.to_owned();
                let path = String::new();
                let before = first.moves.clone();
                let mut begun =
                    Setup { path, options, deal: 0, before, most: 1, level: Some(1) }.begin(game).unwrap();
                assert!(!begun.waits_for_other(), "{name}: the visitor is to move");
                begun.play_all(&first.play);
                assert!(
                    begun.moves().first().is_some_and(|made| made.gain > 0),
                    "{name}: the first push wins nothing"
                );
            }
            for (place, lesson) in course.lessons.iter().enumerate() {
                let number = place + 1;
                let begun = lesson.start(name, number, course).begin(game);
                let begun = begun.unwrap_or_else(|| panic!("{name} {number}: a wrong move"));
                let position = begun.position();
                let before = standing(position, position.next_seat());
                let gains = leads_after(position);
                let right = gains.iter().filter(|lead| **lead - before >= lesson.gain).count();
                assert!(right > 0, "{name} {number}: no move is right");
                assert!(lesson.gain == 0 || right < gains.len(), "{name} {number}: every move is right");
            }
        }
    }
}

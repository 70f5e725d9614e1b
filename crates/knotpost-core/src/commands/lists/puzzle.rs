//! `puzzle`: positions with exactly one winning move, and the check of a solution.

use knotpost_rules::{AnyGame, Puzzle};

use crate::app::App;
use crate::boards::{Code, Refusal, ServiceError, find_offered_game};
use crate::replies::puzzle::{ANSWER, puzzle_sheet};
use crate::replies::{Answer, Reply, Sheet};
use knotpost_model::Millis;

pub(in crate::commands) fn run(
    app: &App,
    game: Option<&str>,
    day: Option<u16>,
    play: Option<&str>,
    now: Millis,
) -> Result<Answer, ServiceError> {
    let day = day.unwrap_or_else(|| now.day_of_year());
    let Some(name) = game else {
        let sheets: Vec<Sheet> =
            app.games.offered().filter_map(|game| puzzle_sheet(game, day, now)).collect();
        if sheets.is_empty() {
            return Err(Refusal::new(Code::NotSupported, "no game of this server has puzzles").into());
        }
        return Ok(reply("Puzzles of the day".to_owned(), sheets));
    };
    let game = find_offered_game(&app.games, name)?;
    let meta = game.meta();
    let Some(mut sheet) = puzzle_sheet(game, day, now) else {
        let message = format!("there are no puzzles of {} here", meta.title);
        return Err(Refusal::new(Code::NotSupported, message).about_game(meta.name).into());
    };
    if let Some(play) = play
        && let Some(puzzle) = Puzzle::of_day(meta, day)
    {
        sheet.notes = judge(game, &puzzle, day, play)?;
    }
    Ok(reply(format!("Puzzle {} {day}", meta.name), vec![sheet]))
}

fn reply(subject: String, sheets: Vec<Sheet>) -> Answer {
    Answer::to_sender(Reply::Boards { subject, sheets, missing: Vec::new() })
}

fn judge(
    game: &'static dyn AnyGame,
    puzzle: &Puzzle,
    day: u16,
    play: &str,
) -> Result<Vec<String>, ServiceError> {
    let (name, solution) = (game.meta().name, puzzle.solution());
    let line = puzzle.line().collect::<Vec<_>>().join("  ");
    let best = format!("Best play of both sides: {line}");
    if play.eq_ignore_ascii_case(ANSWER) {
        return Ok(vec![format!("The answer: {solution} is the only move that wins."), best]);
    }
    let Some((_, position)) = puzzle.open(game) else {
        return Err(Refusal::new(Code::NotSupported, "this puzzle is not for these rules").into());
    };
    match puzzle.is_solved_by(position.as_ref(), play) {
        Ok(true) => Ok(vec![format!("Right: {solution} is the only move that wins."), best]),
        Ok(false) => Ok(vec![
            "This move can be played, but it does not win: the other side has an answer to it. Try again:"
                .to_owned(),
            format!("   puzzle {name} {day} MOVE"),
            format!("`puzzle {name} {day} {ANSWER}` gives the answer."),
        ]),
        Err(error) => Err(Refusal::new(Code::IllegalMove, format!("this move cannot be played: {error}"))
            .hint(format!("The position: puzzle {name} {day}"))
            .about_game(name)
            .into()),
    }
}

//! Puzzles: positions in which exactly one move wins.

use axum::Json;
use axum::extract::State;
use knotpost_rules::{Layout, Puzzle as Stored, Viewer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Web;
use crate::error::Problem;
use crate::extract::{ApiPath, ApiQuery};
use crate::openapi::{Operation, Tag};
use knotpost_core::boards::Code;

/// The query of a puzzle.
#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct PuzzleQuery {
    /// The day of the year; without it: today, in UTC.
    #[schemars(range(min = 1, max = 366))]
    day: Option<u16>,
    /// A move to be judged.
    #[serde(rename = "move")]
    play: Option<String>,
    /// True if the solution is to be given.
    solution: Option<bool>,
}

/// A position in which exactly one move wins, whatever the other side answers.
#[derive(Serialize, JsonSchema)]
pub(super) struct Puzzle {
    /// The game's name.
    game: &'static str,
    /// The day of the year.
    day: u16,
    /// The options of the board that differ from their defaults, as they are typed.
    options: &'static str,
    /// The position string.
    position: &'static str,
    /// The seat to move, which wins.
    seat: u8,
    /// Name of that side.
    side: &'static str,
    /// Number of turns, of both sides, that it takes to win against best play.
    turns: usize,
    /// The board as text.
    board: String,
    /// True if the move that was asked about is the one that wins; `null`: none was asked about.
    right: Option<bool>,
    /// The turns of best play, beginning with the move that wins; `null` unless they were asked for.
    solution: Option<Vec<&'static str>>,
}

pub(super) const SHOW: Operation = Operation::new(
    "show_puzzle",
    Tag::Games,
    "The puzzle of the day of a game, or that of another day",
)
.details(
    "One move wins, whatever the other side answers. `move` judges a move, `solution=true` gives the answer.",
)
.asks::<PuzzleQuery>()
.gives::<Puzzle>("The puzzle.")
.refuses(&[Code::UnknownGame, Code::BadValue, Code::IllegalMove]);

pub(super) async fn show(
    State(web): State<Web>,
    ApiPath(name): ApiPath<String>,
    ApiQuery(query): ApiQuery<PuzzleQuery>,
) -> Result<Json<Puzzle>, Problem> {
    let missing = || Problem::new(Code::UnknownGame, format!("there are no puzzles of `{name}` here"));
    let game = web
        .app
        .games
        .find_offered(&name.to_lowercase())
        .filter(|game| !game.meta().puzzles.is_empty())
        .ok_or_else(missing)?;
    let meta = game.meta();
    let day = query.day.unwrap_or_else(|| web.app.clock.now().day_of_year());
    let puzzle = Stored::of_day(meta, day)
        .ok_or_else(|| Problem::new(Code::BadValue, "`day` is a number from 1 to 366"))?;
    let (_, position) = puzzle.open(game).ok_or_else(missing)?;
    let right = query.play.map(|play| {
        let judged = puzzle.is_solved_by(position.as_ref(), &play);
        judged
            .map_err(|error| Problem::new(Code::IllegalMove, format!("this move cannot be played: {error}")))
    });
    let seat = position.next_seat();
    Ok(Json(Puzzle {
        game: meta.name,
        day,
        options: puzzle.options,
        position: puzzle.position,
        seat: seat.number(),
        side: meta.seat_names(2).get(seat.index()).copied().unwrap_or_default(),
        turns: puzzle.turns(),
        board: position.view(Viewer::Spectator).lay_out(Layout::Standard),
        right: right.transpose()?,
        solution: query.solution.unwrap_or(false).then(|| puzzle.line().collect()),
    }))
}

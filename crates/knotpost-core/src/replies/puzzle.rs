//! Boards of puzzles, for answers and mails.

use knotpost_rules::{AnyGame, Puzzle};

use crate::boards::Board;
use crate::replies::sheet::Listing;
use crate::replies::{BoardFacts, Heading, Sheet};
use knotpost_model::Millis;

/// Argument that asks for the solution.
pub(crate) const ANSWER: &str = "answer";

/// `None`: the game has no puzzle.
pub(crate) fn puzzle_sheet(game: &'static dyn AnyGame, day: u16, now: Millis) -> Option<Sheet> {
    let meta = game.meta();
    let puzzle = Puzzle::of_day(meta, day)?;
    let (options, position) = puzzle.open(game)?;
    let side = meta.seat_names(2).get(position.next_seat().index()).copied()?;
    let board = Board::imagine_from(game, options, 2, puzzle.position, now)?;
    let mut sheet = Sheet::of(&board, &BoardFacts::plain(Heading::Puzzle), None, Listing::Whole, now);
    sheet.basis = sheet.basis.begun_at(puzzle.position);
    (sheet.number, sheet.example, sheet.chance, sheet.times) = (None, None, None, None);
    let name = meta.name;
    sheet.notes = vec![
        format!(
            "{side} to move. One move wins, whatever the other side answers: which? To have yours judged, send a mail with this Subject, the move in place of MOVE:"
        ),
        format!("   puzzle {name} {day} MOVE"),
        format!("`puzzle {name} {day} {ANSWER}` gives the answer."),
    ];
    Some(sheet)
}

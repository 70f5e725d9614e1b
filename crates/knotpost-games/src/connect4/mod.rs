//! Four in a Row. Howard Wexler and Ned Strongin, 1974.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Meta, Part, Seat, SyntaxError,
    kit::{self, Board, Cells, End, Grid, Names, Place, Play, Refusal, Rules, Spelt, other},
    view::Shape,
};
use std::{fmt, ops::ControlFlow, str::FromStr};

/// A game of Four in a Row.
pub type Connect4 = Play<Stones>;

/// Nothing but the stones on the board.
#[derive(Clone, Debug)]
pub struct Stones;

static META: Meta = Meta {
    name: "connect4",
    title: "Four in a Row",
    aliases: &["four"],
    kind: GameKind::Line,
    weight: 1,
    length: 35,
    rules_version: 1,
    players: 2..=2,
    options: &[],
    presets: &[],
    trial: "",
    abilities: Abilities::of(&[Ability::Undo]),
    seat_names: &[&["X", "O"]],
    credit: "Howard Wexler and Ned Strongin, 1974",
    contact: None,
    summary: "drop stones until four are in a line",
    help: || kit::write_help::<Connect4>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

/// A stone for a column, by its letter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Column(u8);

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        char::from(self.0).fmt(f)
    }
}

impl FromStr for Column {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        match text.to_ascii_lowercase().as_bytes() {
            [letter @ b'a'..=b'g'] => Ok(Self(*letter)),
            _ => Err(SyntaxError::new(text, "a column, a to g")),
        }
    }
}

impl Spelt for Column {
    type Step = Self;

    fn parts(&self) -> Vec<Part> {
        vec![Part::spot("", self)]
    }

    fn tell(&self) -> String {
        format!("A move is a column, a to g: {self} drops a stone there.")
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        (Vec::new(), false)
    }
}

/// The lowest free cell of a column.
fn landing(grid: &Grid, Column(letter): Column) -> Option<usize> {
    (1..=grid.rows() as u8)
        .filter_map(|number| grid.find(Place { letter, number }))
        .find(|cell| grid.is_free(*cell))
}

fn full(grid: &Grid) -> Option<End> {
    grid.free().is_empty().then_some(End { winner: None, reason: "full" })
}

impl Rules for Stones {
    const META: &'static Meta = &META;

    type Move = Column;

    fn setup(_: &GameOptions) -> (Self, Board) {
        let names = Names { from_below: true, ..Names::default() };
        (Self, Board::new(Grid::new(Shape::Square, 7, 6, names), false))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        let has_four = |seat| board.grid.of(seat).iter().any(|cell| board.grid.has_line(cell, seat, 4));
        let winner = [Seat::FIRST, other(Seat::FIRST)].into_iter().find(|seat| has_four(*seat));
        winner.map(|seat| End::win(seat, "four")).or_else(|| full(&board.grid))
    }

    fn play(&mut self, board: &mut Board, mv: Column) -> Result<Option<End>, Refusal> {
        let refusal = || Refusal::Rule(format!("column {mv} is full"));
        let (cell, seat) = (landing(&board.grid, mv).ok_or_else(refusal)?, board.two.next);
        board.grid.put(cell, seat);
        let won = board.grid.has_line(cell, seat, 4).then(|| End::win(seat, "four"));
        Ok(won.or_else(|| full(&board.grid)))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Column) -> ControlFlow<()>) {
        let top = board.grid.rows() as u8;
        let open = |column: &Column| {
            board
                .grid
                .find(Place { letter: column.0, number: top })
                .is_some_and(|cell| board.grid.is_free(cell))
        };
        let _ = (b'a'..=b'g').map(Column).filter(open).try_for_each(visit);
    }

    fn spot(&self, board: &Board, cell: usize) -> String {
        char::from(board.grid.name(cell).letter).to_string()
    }

    fn marks(&self, before: &Board, after: &Board, _: &Column) -> (Vec<Place>, bool) {
        let came = |cells: Cells| cells.iter().filter(|cell| !after.grid.is_free(*cell)).collect::<Vec<_>>();
        (came(before.grid.free()).into_iter().map(|cell| after.grid.name(cell)).collect(), false)
    }
}

#[cfg(test)]
mod tests {
    crate::tests::game_tests!(super::Connect4, "connect4");
}

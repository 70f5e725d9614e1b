//! Y: join all three sides. Craige Schensted and Charles Titus, 1953. Names of cells are those of pbmserv.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Meta, NumberOption, OptionSpec, Preset,
    kit::{self, Board, Chains, End, Grid, Names, Place, Play, Refusal, Rules},
    view::Shape,
};
use std::ops::ControlFlow;

/// A game of Y.
pub type Y = Play<Sides>;

/// The sides of the triangle that the chains touch.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    chains: Chains,
}

/// Left, right and bottom.
const ALL_SIDES: u16 = 7;

static META: Meta = Meta {
    name: "y",
    title: "Y",
    aliases: &[],
    kind: GameKind::Connection,
    weight: 1,
    length: 40,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Small 7", options: &[("size", "7")], about: "Over in ten minutes." },
        Preset { title: "Usual 11", options: &[], about: "66 cells." },
        Preset { title: "Big 15", options: &[("size", "15")], about: "120 cells: more room for plans." },
    ],
    trial: "-size=7",
    abilities: Abilities::of(&[Ability::Swap, Ability::Undo]),
    seat_names: &[&["X", "O"]],
    credit: "Craige Schensted and Charles Titus, 1953",
    contact: None,
    summary: "join the three sides of a triangle",
    help: || kit::write_help::<Y>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

static OPTIONS: [OptionSpec; 1] = [SIZE.spec()];

static SIZE: NumberOption = NumberOption {
    name: "size",
    min: 5,
    max: 19,
    default: "11",
    help: "Cells along each side.",
    excludes: &[],
};

impl Sides {
    /// Takes up the stone on a cell: a chain that touches all sides has won.
    fn connect(&mut self, grid: &Grid, cell: usize) -> Option<End> {
        let seat = grid.owner(cell)?;
        let ((row, column), last) = (grid.row_and_column(cell), grid.rows() - 1);
        let marks =
            u16::from(row + column == last) | u16::from(column == last) << 1 | u16::from(row == last) << 2;
        (self.chains.join(grid, cell, marks) == ALL_SIDES).then(|| End::win(seat, "connection"))
    }
}

impl Rules for Sides {
    const META: &'static Meta = &META;

    type Move = Place;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let size = SIZE.of(options) as usize;
        let grid = Grid::new(Shape::Triangle, size, size, Names::default());
        (Self::default(), Board::new(grid, true))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        let (mut sides, mut end) = (Self::default(), None);
        board.grid.replay(&mut |grid, cell| end = sides.connect(grid, cell).or(end));
        *self = sides;
        end
    }

    fn play(&mut self, board: &mut Board, mv: Place) -> Result<Option<End>, Refusal> {
        let cell = board.find_free(mv)?;
        board.grid.put(cell, board.two.next);
        Ok(self.connect(&board.grid, cell))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Place) -> ControlFlow<()>) {
        board.grid.visit(board.grid.free(), visit);
    }

    fn pick(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Place> {
        board.pick_free(below)
    }
}

#[cfg(test)]
mod tests {
    crate::tests::game_tests!(super::Y, "y");
}

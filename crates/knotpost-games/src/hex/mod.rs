//! Hex: join your two sides. Piet Hein, 1942, and John Nash, 1948. Names of cells, handicap and seats are those of pbmserv.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Meta, NumberOption, OptionSpec, Preset, Seat,
    kit::{self, Board, Chains, End, Grid, Names, Place, Play, Refusal, Rules},
    view::Shape,
};
use std::ops::ControlFlow;

/// A game of Hex.
pub type Hex = Play<Sides>;

/// The sides that the chains of both seats touch: the first of a seat's own sides, and the second.
#[derive(Clone, Debug, Default)]
pub struct Sides {
    chains: Chains,
}

const FIRST_SIDE: u16 = 1;
const SECOND_SIDE: u16 = 2;

static META: Meta = Meta {
    name: "hex",
    title: "Hex",
    aliases: &[],
    kind: GameKind::Connection,
    weight: 1,
    length: 60,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Small 7x7", options: &[("size", "7")], about: "Over in ten minutes." },
        Preset { title: "Usual 11x11", options: &[], about: "The board most people play on." },
        Preset { title: "Big 14x14", options: &[("size", "14")], about: "More room for plans." },
    ],
    trial: "-size=7",
    abilities: Abilities::of(&[Ability::Swap, Ability::Undo]),
    seat_names: &[&["Vert", "Horz"]],
    credit: "Piet Hein, 1942, and John Nash, 1948",
    contact: None,
    summary: "join your two sides of a board of hexagons",
    help: || kit::write_help::<Hex>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

static OPTIONS: [OptionSpec; 2] = [SIZE.spec(), HANDICAP.spec()];

static SIZE: NumberOption =
    NumberOption { name: "size", min: 5, max: 19, default: "11", help: "Rows and columns.", excludes: &[] };

static HANDICAP: NumberOption = NumberOption {
    name: "handicap",
    min: -4,
    max: 4,
    default: "0",
    help: "Columns less, which helps Horz, or below nought rows less, which helps Vert; at least three remain. There is no swap then.",
    excludes: &[],
};

impl Sides {
    /// Takes up the stone on a cell: a chain that touches both sides of its owner has won.
    fn connect(&mut self, grid: &Grid, cell: usize) -> Option<End> {
        let seat = grid.owner(cell)?;
        let (row, column) = grid.row_and_column(cell);
        let (at, end) =
            if seat == Seat::FIRST { (row, grid.rows() - 1) } else { (column, grid.columns() - 1) };
        let marks = (u16::from(at == 0) * FIRST_SIDE) | (u16::from(at == end) * SECOND_SIDE);
        let touched = self.chains.join(grid, cell, marks);
        (touched == FIRST_SIDE | SECOND_SIDE).then(|| End::win(seat, "connection"))
    }
}

impl Rules for Sides {
    const META: &'static Meta = &META;
    const ROLES: [&'static str; 2] = ["x, top and bottom", "o, left and right"];
    const OWNERS: [&'static str; 4] = ["Horz", "Vert", "Horz", "Vert"];

    type Move = Place;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let (size, handicap) = (SIZE.of(options), HANDICAP.of(options));
        let less = |number: i32| (size - number.max(0)).max(3) as usize;
        let grid = Grid::new(Shape::Slanted, less(handicap), less(-handicap), Names::default());
        (Self::default(), Board::new(grid, handicap == 0))
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
    crate::tests::game_tests!(super::Hex, "hex");
}

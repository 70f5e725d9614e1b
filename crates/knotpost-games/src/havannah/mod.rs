//! Havannah: make a fork, a bridge or a ring. Christian Freeling, 1981. Names of cells are those of pbmserv.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Meta, NumberOption, OptionSpec, Preset,
    kit::{self, Board, Chains, End, Grid, Names, Place, Play, Refusal, Rules},
    view::Shape,
};
use std::ops::ControlFlow;

/// A game of Havannah.
pub type Havannah = Play<Border>;

/// Corners and sides of the hexagon that the chains touch: six bits of corners, then six of sides.
#[derive(Clone, Debug, Default)]
pub struct Border {
    chains: Chains,
}

const CORNERS: u16 = 0b11_1111;

static META: Meta = Meta {
    name: "havannah",
    title: "Havannah",
    aliases: &[],
    kind: GameKind::Connection,
    weight: 2,
    length: 70,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Small 6", options: &[("size", "6")], about: "91 cells, half an hour." },
        Preset { title: "Usual 8", options: &[], about: "169 cells." },
        Preset { title: "Big 10", options: &[("size", "10")], about: "271 cells: the board of the author." },
    ],
    trial: "-size=5",
    abilities: Abilities::of(&[Ability::Swap, Ability::Undo]),
    seat_names: &[&["X", "O"]],
    credit: "Christian Freeling, 1981",
    contact: None,
    summary: "make a ring, a bridge or a fork",
    help: || kit::write_help::<Havannah>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

static OPTIONS: [OptionSpec; 1] = [SIZE.spec()];

static SIZE: NumberOption = NumberOption {
    name: "size",
    min: 4,
    max: 10,
    default: "8",
    help: "Cells along each side.",
    excludes: &[],
};

/// The marks of a cell: a corner where two sides meet, else a side, else nothing.
fn marks(grid: &Grid, cell: usize) -> u16 {
    let ((row, column), last) = (grid.row_and_column(cell), grid.rows() - 1);
    let half = last / 2;
    let sides =
        [row == 0, column == row + half, column == last, row == last, row == column + half, column == 0];
    let mut touched = (0..).zip(sides).filter(|(_, touches)| *touches).map(|(number, _)| number);
    match (touched.next(), touched.next()) {
        (None, _) => 0,
        (Some(side), None) => 1 << (6 + side),
        // The first side meets the second one and the last.
        (Some(0), Some(5)) => 1,
        (_, Some(side)) => 1 << side,
    }
}

impl Border {
    /// Takes up the stone on a cell; of several things that it makes at once the ring counts first, then the fork.
    fn connect(&mut self, grid: &Grid, cell: usize) -> Option<End> {
        let seat = grid.owner(cell)?;
        let has_ring = self.chains.closes_ring(grid, cell);
        let touched = self.chains.join(grid, cell, marks(grid, cell));
        let (corners, sides) = ((touched & CORNERS).count_ones(), (touched & !CORNERS).count_ones());
        let reason = match (has_ring, sides, corners) {
            (true, ..) => "ring",
            (_, 3.., _) => "fork",
            (.., 2..) => "bridge",
            _ => return None,
        };
        Some(End::win(seat, reason))
    }
}

/// The greater of two ends by the order in which they count.
fn first_of(one: Option<End>, other: Option<End>) -> Option<End> {
    let rank = |end: &End| ["ring", "fork", "bridge"].iter().position(|reason| *reason == end.reason);
    one.into_iter().chain(other).min_by_key(rank)
}

fn full(grid: &Grid) -> Option<End> {
    grid.free().is_empty().then_some(End { winner: None, reason: "full" })
}

impl Rules for Border {
    const META: &'static Meta = &META;

    type Move = Place;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let across = 2 * SIZE.of(options) as usize - 1;
        let names = Names { lettered_rows: true, ..Names::default() };
        (Self::default(), Board::new(Grid::new(Shape::Hexagon, across, across, names), true))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        let (mut border, mut end) = (Self::default(), None);
        board.grid.replay(&mut |grid, cell| end = first_of(end, border.connect(grid, cell)));
        *self = border;
        end.or_else(|| full(&board.grid))
    }

    fn play(&mut self, board: &mut Board, mv: Place) -> Result<Option<End>, Refusal> {
        let cell = board.find_free(mv)?;
        board.grid.put(cell, board.two.next);
        Ok(self.connect(&board.grid, cell).or_else(|| full(&board.grid)))
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
    crate::tests::game_tests!(super::Havannah, "havannah");
}

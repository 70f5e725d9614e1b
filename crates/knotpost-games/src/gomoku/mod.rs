//! Gomoku: five in a line. From Japan and older than its written rules; more than five count as well here. Names of points
//! and the swap after three stones are those of pbmserv.

use knotpost_rules::{
    Abilities, Ability, ChoiceOption, GameKind, GameOptions, Meta, OptionSpec, Preset, Seat,
    kit::{self, Board, End, Grid, Names, Place, Play, Refusal, Rules, other},
    view::Shape,
};
use std::ops::ControlFlow;

/// A game of Gomoku.
pub type Gomoku = Play<Stones>;

/// Nothing but the stones on the board.
#[derive(Clone, Debug)]
pub struct Stones;

static META: Meta = Meta {
    name: "gomoku",
    title: "Gomoku",
    aliases: &["five"],
    kind: GameKind::Line,
    weight: 1,
    length: 45,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Usual 15x15", options: &[], about: "The board of tournaments." },
        Preset { title: "Big 19x19", options: &[("size", "19")], about: "A go board." },
    ],
    trial: "",
    abilities: Abilities::of(&[Ability::Swap, Ability::Undo]),
    seat_names: &[&["X", "O"]],
    credit: "traditional, from Japan",
    contact: None,
    summary: "five stones in a line",
    help: || kit::write_help::<Gomoku>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

static OPTIONS: [OptionSpec; 1] = [SIZE.spec()];

static SIZE: ChoiceOption<usize, 2> =
    ChoiceOption::new("size", [("15", 15), ("19", 19)], "15", "Lines across and down.");

/// Stones in a line that win; more do as well.
const LINE: usize = 5;

/// The worth of five points in a line without a stone of the other side, by the stones on them.
const WORTH: [i32; LINE] = [0, 1, 6, 40, 300];

/// The worth of all fives that a side can still make.
fn rate(grid: &Grid, seat: Seat) -> i32 {
    let (own, free) = (grid.of(seat), grid.free());
    let (half, _) = grid.ways().split_at(4);
    let mut sum = 0;
    for (cell, way) in own.iter().flat_map(|cell| half.iter().map(move |way| (cell, *way))) {
        // Each five counts once, with its first stone.
        for before in 0..LINE as isize {
            let at = |place: isize| cell.wrapping_add_signed(way * (place - before));
            if before > 0 && !free.contains(at(0)) {
                break;
            }
            let mut rest = (before + 1..LINE as isize).map(at);
            let stones = rest.try_fold(1, |stones, point| {
                let is_own = own.contains(point);
                (is_own || free.contains(point)).then_some(stones + usize::from(is_own))
            });
            sum += stones.and_then(|stones| WORTH.get(stones)).copied().unwrap_or(0);
        }
    }
    sum
}

fn full(grid: &Grid) -> Option<End> {
    grid.free().is_empty().then_some(End { winner: None, reason: "full" })
}

impl Rules for Stones {
    const META: &'static Meta = &META;
    const SWAP_AFTER: u32 = 3;

    type Move = Place;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let size = SIZE.of(options);
        let names = Names { lettered_rows: false, from_below: true, without_i: true };
        (Self, Board::new(Grid::new(Shape::Points, size, size, names), true))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        let has_five = |seat| board.grid.of(seat).iter().any(|cell| board.grid.has_line(cell, seat, LINE));
        let winner = [Seat::FIRST, other(Seat::FIRST)].into_iter().find(|seat| has_five(*seat));
        winner.map(|seat| End::win(seat, "five")).or_else(|| full(&board.grid))
    }

    fn play(&mut self, board: &mut Board, mv: Place) -> Result<Option<End>, Refusal> {
        let (cell, seat) = (board.find_free(mv)?, board.two.next);
        board.grid.put(cell, seat);
        let won = board.grid.has_line(cell, seat, LINE).then(|| End::win(seat, "five"));
        Ok(won.or_else(|| full(&board.grid)))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Place) -> ControlFlow<()>) {
        board.grid.visit(board.grid.free(), visit);
    }

    fn estimate(&self, board: &Board) -> i32 {
        rate(&board.grid, Seat::FIRST) - rate(&board.grid, other(Seat::FIRST))
    }

    fn pick(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Place> {
        board.pick_free(below)
    }
}

#[cfg(test)]
mod tests {
    crate::tests::game_tests!(super::Gomoku, "gomoku");
}

//! Sample: say in a sentence what it is, who found it and when, and whose names of cells these are.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Meta, NumberOption, OptionSpec, Seat,
    kit::{self, Board, End, Grid, Names, Play, Refusal, Rules, Shift, other},
    view::Shape,
};
use std::ops::ControlFlow;

/// A game of Sample.
pub type Sample = Play<Men>;

/// Nothing but the men on the board.
#[derive(Clone, Debug)]
pub struct Men;

static META: Meta = Meta {
    name: "sample",
    title: "Sample",
    aliases: &[],
    kind: GameKind::Race,
    weight: 1,
    length: 60,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[],
    trial: "",
    abilities: Abilities::of(&[Ability::Undo]),
    seat_names: &[&["X", "O"]],
    credit: "the author, and the year",
    contact: None,
    summary: "what to strive for, in a few words",
    help: || kit::write_help::<Sample>(include_str!("help.txt")),
    lessons: "",
    puzzles: "",
};

static OPTIONS: [OptionSpec; 1] = [SIZE.spec()];

static SIZE: NumberOption =
    NumberOption { name: "size", min: 4, max: 8, default: "6", help: "Cells of a side.", excludes: &[] };

/// True if a seat has a man beside a free cell.
fn can_move(grid: &Grid, seat: Seat) -> bool {
    grid.of(seat).iter().any(|from| grid.neighbours(from).any(|to| grid.is_free(to)))
}

/// The end of the game, if there is one: a seat that cannot move, and nobody has won.
fn judge(grid: &Grid) -> Option<End> {
    let can_go_on = can_move(grid, Seat::FIRST) && can_move(grid, other(Seat::FIRST));
    (!can_go_on).then_some(End { winner: None, reason: "blocked" })
}

impl Rules for Men {
    const META: &'static Meta = &META;

    type Move = Shift;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let size = SIZE.of(options) as usize;
        let names = Names { lettered_rows: false, from_below: true, without_i: false };
        let mut grid = Grid::new(Shape::Square, size, size, names);
        let cells: Vec<usize> = grid.cells().iter().collect();
        for (upper, lower) in cells.iter().zip(cells.iter().rev()).take(size) {
            grid.put(*upper, other(Seat::FIRST));
            grid.put(*lower, Seat::FIRST);
        }
        (Self, Board::new(grid, false))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        judge(&board.grid)
    }

    fn play(&mut self, board: &mut Board, mv: Shift) -> Result<Option<End>, Refusal> {
        let (from, to) = (board.find_own(mv.from)?, board.find_free(mv.to)?);
        if !board.grid.neighbours(from).any(|cell| cell == to) {
            return Err(Refusal::Rule(format!("{} is not beside {}", mv.to, mv.from)));
        }
        board.grid.clear(from);
        board.grid.put(to, board.two.next);
        Ok(judge(&board.grid))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Shift) -> ControlFlow<()>) {
        let grid = &board.grid;
        for from in grid.of(board.two.next).iter() {
            let free = grid.neighbours(from).filter(|to| grid.is_free(*to));
            let mut moves = free.map(|to| Shift { from: grid.name(from), to: grid.name(to) });
            if moves.try_for_each(&mut *visit).is_break() {
                return;
            }
        }
    }
}

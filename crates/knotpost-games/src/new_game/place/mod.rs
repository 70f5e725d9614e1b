//! Sample: say in a sentence what it is, who found it and when, and whose names of cells these are.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Meta, NumberOption, OptionSpec,
    kit::{self, Board, End, Grid, Names, Place, Play, Refusal, Rules},
    view::Shape,
};
use std::ops::ControlFlow;

/// A game of Sample.
pub type Sample = Play<Stones>;

/// Nothing but the stones on the board.
#[derive(Clone, Debug)]
pub struct Stones;

static META: Meta = Meta {
    name: "sample",
    title: "Sample",
    aliases: &[],
    kind: GameKind::Territory,
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

/// The end of the game, if there is one: a full board, on which nobody has won.
fn judge(grid: &Grid) -> Option<End> {
    grid.free().is_empty().then_some(End { winner: None, reason: "full" })
}

impl Rules for Stones {
    const META: &'static Meta = &META;

    type Move = Place;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let size = SIZE.of(options) as usize;
        let names = Names { lettered_rows: false, from_below: true, without_i: false };
        let grid = Grid::new(Shape::Square, size, size, names);
        (Self, Board::new(grid, false))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        judge(&board.grid)
    }

    fn play(&mut self, board: &mut Board, mv: Place) -> Result<Option<End>, Refusal> {
        let cell = board.find_free(mv)?;
        board.grid.put(cell, board.two.next);
        Ok(judge(&board.grid))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Place) -> ControlFlow<()>) {
        board.grid.visit(board.grid.free(), visit);
    }

    fn pick(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Place> {
        board.pick_free(below)
    }
}

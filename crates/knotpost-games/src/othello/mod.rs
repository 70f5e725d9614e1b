//! Reversi by the rules of Othello: enclose the discs of the other side to turn them. Lewis Waterman, 1883, and Goro
//! Hasegawa, 1971.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Meta, Scores, Seat,
    kit::{self, Board, End, Grid, Names, Place, Play, Refusal, Rules, other},
    view::Shape,
};
use std::{cmp::Ordering, ops::ControlFlow};

/// A game of Reversi.
pub type Othello = Play<Discs>;

/// Nothing but the discs on the board.
#[derive(Clone, Debug)]
pub struct Discs;

static META: Meta = Meta {
    name: "othello",
    title: "Reversi (Othello rules)",
    aliases: &["reversi"],
    kind: GameKind::Territory,
    weight: 1,
    length: 60,
    rules_version: 1,
    players: 2..=2,
    options: &[],
    presets: &[],
    trial: "",
    abilities: Abilities::of(&[Ability::Pass, Ability::Undo]),
    seat_names: &[&["Black", "White"]],
    credit: "Lewis Waterman, 1883, and Goro Hasegawa, 1971",
    contact: None,
    summary: "turn the discs you enclose",
    help: || kit::write_help::<Othello>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

/// The number of discs of the other side that a disc on this cell would enclose in a direction.
fn enclosed(grid: &Grid, cell: usize, way: isize, seat: Seat) -> usize {
    let count = grid.run(cell, way, other(seat));
    let end = Grid::step(cell, way * (count as isize + 1));
    if grid.owner(end) == Some(seat) { count } else { 0 }
}

fn can_place(grid: &Grid, cell: usize, seat: Seat) -> bool {
    grid.ways().iter().any(|way| enclosed(grid, cell, *way, seat) > 0)
}

fn has_move(grid: &Grid, seat: Seat) -> bool {
    grid.free().iter().any(|cell| can_place(grid, cell, seat))
}

/// The end of the game when neither seat has a move.
fn judge(grid: &Grid) -> Option<End> {
    let (first, second) = (Seat::FIRST, other(Seat::FIRST));
    if has_move(grid, first) || has_move(grid, second) {
        return None;
    }
    Some(match grid.of(first).len().cmp(&grid.of(second).len()) {
        Ordering::Greater => End::win(first, "score"),
        Ordering::Less => End::win(second, "score"),
        Ordering::Equal => End { winner: None, reason: "score" },
    })
}

impl Rules for Discs {
    const META: &'static Meta = &META;

    type Move = Place;

    fn setup(_: &GameOptions) -> (Self, Board) {
        let mut grid = Grid::new(Shape::Square, 8, 8, Names::default());
        for (row, column) in [(3, 3), (4, 4)] {
            grid.put(grid.cell_at(row, column), other(Seat::FIRST));
            grid.put(grid.cell_at(row, 7 - column), Seat::FIRST);
        }
        (Self, Board::new(grid, false))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        judge(&board.grid)
    }

    fn play(&mut self, board: &mut Board, mv: Place) -> Result<Option<End>, Refusal> {
        let (cell, seat) = (board.find_free(mv)?, board.two.next);
        if !can_place(&board.grid, cell, seat) {
            return Err(Refusal::Rule(format!("{mv} encloses no disc of the other side in a straight line")));
        }
        let before = board.grid.clone();
        board.grid.put(cell, seat);
        for way in before.ways() {
            for number in 1..=enclosed(&before, cell, *way, seat) {
                board.grid.put(Grid::step(cell, way * number as isize), seat);
            }
        }
        Ok(judge(&board.grid))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Place) -> ControlFlow<()>) {
        let (grid, seat) = (&board.grid, board.two.next);
        let mut cells = grid.free().iter().filter(|cell| can_place(grid, *cell, seat));
        let _ = cells.try_for_each(|cell| visit(grid.name(cell)));
    }

    fn must_pass(&self, board: &Board) -> bool {
        !has_move(&board.grid, board.two.next)
    }

    fn scores(&self, board: &Board) -> Scores {
        Scores::Points([Seat::FIRST, other(Seat::FIRST)].map(|seat| board.grid.of(seat).len()).to_vec())
    }
}

#[cfg(test)]
mod tests {
    crate::tests::game_tests!(super::Othello, "othello");
}

//! Breakthrough: bring one piece to the far side. Dan Troyka, 2000. Names of cells and the letters f, l, r are those of
//! pbmserv.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Meta, NumberOption, OptionSpec, Seat,
    kit::{self, Board, End, Grid, Names, Play, Refusal, Rules, Shift, other},
    view::Shape,
};
use std::ops::ControlFlow;

/// A game of Breakthrough.
pub type Breakthrough = Play<Men>;

/// Nothing but the men on the board.
#[derive(Clone, Debug)]
pub struct Men;

static META: Meta = Meta {
    name: "breakthrough",
    title: "Breakthrough",
    aliases: &[],
    kind: GameKind::Race,
    weight: 1,
    length: 60,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[],
    trial: "-size=6",
    abilities: Abilities::of(&[Ability::Undo]),
    seat_names: &[&["South", "North"]],
    credit: "Dan Troyka, 2000",
    contact: None,
    summary: "bring one piece to the far side",
    help: || kit::write_help::<Breakthrough>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

static OPTIONS: [OptionSpec; 1] = [SIZE.spec()];

static SIZE: NumberOption =
    NumberOption { name: "size", min: 6, max: 8, default: "8", help: "Rows and columns.", excludes: &[] };

/// The steps of a seat: to its left, straight on, to its right.
fn steps(grid: &Grid, seat: Seat) -> [isize; 3] {
    let down = grid.columns() as isize + 1;
    if seat == Seat::FIRST { [-down - 1, -down, 1 - down] } else { [down + 1, down, down - 1] }
}

/// The end of the game, if there is one: the goal of a seat is the first row of the other.
fn judge(grid: &Grid) -> Option<End> {
    let [first, second] = [Seat::FIRST, other(Seat::FIRST)].map(|seat| grid.of(seat));
    let stands_in =
        |cells: kit::Cells, row: usize| cells.iter().any(|cell| grid.row_and_column(cell).0 == row);
    if stands_in(first, 0) || stands_in(second, grid.rows() - 1) {
        let winner = if stands_in(first, 0) { Seat::FIRST } else { other(Seat::FIRST) };
        return Some(End::win(winner, "goal"));
    }
    match (first.is_empty(), second.is_empty()) {
        (_, true) => Some(End::win(Seat::FIRST, "captured")),
        (true, _) => Some(End::win(other(Seat::FIRST), "captured")),
        _ => None,
    }
}

impl Rules for Men {
    const META: &'static Meta = &META;
    const ROLES: [&'static str; 2] = ["x, moves up", "o, moves down"];

    type Move = Shift;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let size = SIZE.of(options) as usize;
        let mut grid = Grid::new(Shape::Square, size, size, Names { from_below: true, ..Names::default() });
        for column in 0..size {
            for row in [0, 1] {
                grid.put(grid.cell_at(row, column), other(Seat::FIRST));
                grid.put(grid.cell_at(size - 1 - row, column), Seat::FIRST);
            }
        }
        (Self, Board::new(grid, false))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        judge(&board.grid)
    }

    fn play(&mut self, board: &mut Board, mv: Shift) -> Result<Option<End>, Refusal> {
        let (from, to, seat) = (board.find_own(mv.from)?, board.find(mv.to)?, board.two.next);
        let [left, straight, right] = steps(&board.grid, seat).map(|way| Grid::step(from, way));
        if to == straight && !board.grid.is_free(to) {
            return Err(Refusal::Rule(format!("{} is taken, and pieces capture diagonally only", mv.to)));
        }
        if ![left, straight, right].contains(&to) {
            let rule =
                format!("from {} to {} is not one step forward, straight or diagonally", mv.from, mv.to);
            return Err(Refusal::Rule(rule));
        }
        if board.grid.owner(to) == Some(seat) {
            return Err(Refusal::Taken(mv.to));
        }
        board.grid.clear(from);
        board.grid.put(to, seat);
        let goal = if seat == Seat::FIRST { 0 } else { board.grid.rows() - 1 };
        if board.grid.row_and_column(to).0 == goal {
            return Ok(Some(End::win(seat, "goal")));
        }
        Ok(board.grid.of(other(seat)).is_empty().then(|| End::win(seat, "captured")))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Shift) -> ControlFlow<()>) {
        let (grid, own) = (&board.grid, board.grid.of(board.two.next));
        let ways = steps(grid, board.two.next);
        for from in own.iter() {
            let to = ways.map(|way| Grid::step(from, way));
            let may_go = |(place, to): &(usize, usize)| match place {
                1 => grid.is_free(*to),
                _ => grid.cells().contains(*to) && !own.contains(*to),
            };
            let mut moves = to.into_iter().enumerate().filter(may_go).map(|(_, to)| to);
            if moves.try_for_each(|to| visit(Shift { from: grid.name(from), to: grid.name(to) })).is_break() {
                return;
            }
        }
    }

    /// Reads `e2f`, `e2l` and `e2r` as the mover looks at the board.
    fn read(&self, board: &Board, text: &str) -> Option<Shift> {
        let (cell, letter) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let [left, straight, right] = steps(&board.grid, board.two.next);
        let way = match letter {
            "l" | "L" => left,
            "f" | "F" => straight,
            "r" | "R" => right,
            _ => return None,
        };
        let from = cell.parse().ok()?;
        let to = Grid::step(board.grid.find(from)?, way);
        board.grid.cells().contains(to).then(|| Shift { from, to: board.grid.name(to) })
    }

    fn may_read(text: &str) -> bool {
        let cell = text.strip_suffix(['l', 'f', 'r', 'L', 'F', 'R']);
        cell.is_some_and(|cell| cell.parse::<kit::Place>().is_ok())
    }
}

#[cfg(test)]
mod tests {
    crate::tests::game_tests!(super::Breakthrough, "breakthrough");
}

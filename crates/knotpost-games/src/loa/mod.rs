//! Lines of Action: gather all of one's pieces in one group. Claude Soucie, around 1960, made known by Sid Sackson in 1969.
//! The word and the option are those of pbmserv; its names of cells are not known for certain.

use knotpost_rules::{
    Abilities, Ability, ChoiceOption, GameKind, GameOptions, Key, Meta, OptionSpec, Preset, Seat,
    kit::{self, Board, Cells, End, Grid, Names, Past, Play, Refusal, Rules, Shift, other},
    view::Shape,
};
use std::ops::ControlFlow;

/// A game of Lines of Action.
pub type Loa = Play<Lines>;

/// The positions since the last capture.
#[derive(Clone, Debug)]
pub struct Lines {
    past: Past,
}

static META: Meta = Meta {
    name: "loa",
    title: "Lines of Action",
    aliases: &["lines"],
    kind: GameKind::Connection,
    weight: 2,
    length: 45,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Usual", options: &[], about: "Each side begins on two opposite edges." },
        Preset {
            title: "Scrambled",
            options: &[("start", "scrambled")],
            about: "Both sides alternate along the edge: quicker contact.",
        },
    ],
    trial: "",
    abilities: Abilities::of(&[Ability::Undo, Ability::Draw, Ability::History]),
    seat_names: &[&["Black", "White"]],
    credit: "Claude Soucie, around 1960",
    contact: None,
    summary: "gather all your pieces in one group",
    help: || kit::write_help::<Loa>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

static OPTIONS: [OptionSpec; 1] = [START.spec()];

static START: ChoiceOption<bool, 2> = ChoiceOption::new(
    "start",
    [("standard", false), ("scrambled", true)],
    "standard",
    "Where the pieces stand: by edges, or by turns along the edge.",
);

const SIZE: usize = 8;
/// Times that a position may be on the board: the last of them is a tie.
const REPEATS: usize = 3;

/// The cells along the edge without corners, from b8 clockwise.
fn edge(grid: &Grid) -> Vec<usize> {
    let last = SIZE - 1;
    let sides = [|at| (0, at), |at| (at, SIZE - 1), |at| (SIZE - 1, SIZE - 1 - at), |at| (SIZE - 1 - at, 0)];
    let places = sides.into_iter().flat_map(|side: fn(usize) -> (usize, usize)| (1..last).map(side));
    places.map(|(row, column)| grid.cell_at(row, column)).collect()
}

/// True if the pieces of a seat are one group.
fn is_joined(grid: &Grid, seat: Seat) -> bool {
    let mut rest = grid.of(seat);
    let Some(first) = rest.nth(0) else { return true };
    rest.remove(first);
    let mut group = vec![first];
    while let Some(cell) = group.pop() {
        for next in grid.ways().iter().map(|way| Grid::step(cell, *way)) {
            if rest.contains(next) {
                rest.remove(next);
                group.push(next);
            }
        }
    }
    rest.is_empty()
}

/// The pieces on the line through a piece, itself included.
fn count_line(grid: &Grid, taken: &Cells, from: usize, way: isize) -> isize {
    let count = |way: isize| {
        let cells = std::iter::successors(Some(Grid::step(from, way)), |cell| Some(Grid::step(*cell, way)));
        let cells = cells.take_while(|cell| grid.cells().contains(*cell));
        cells.filter(|cell| taken.contains(*cell)).count() as isize
    };
    1 + count(way) + count(-way)
}

/// Calls `visit` with every cell to which a piece of the seat can move.
fn each_target(
    grid: &Grid,
    (from, seat): (usize, Seat),
    visit: &mut dyn FnMut(usize) -> ControlFlow<()>,
) -> ControlFlow<()> {
    let (own, enemy) = (grid.of(seat), grid.of(other(seat)));
    let taken = own.with(enemy);
    let (half, _) = grid.ways().split_at(grid.ways().len() / 2);
    for way in half {
        let count = count_line(grid, &taken, from, *way);
        for way in [*way, -way] {
            let is_clear = |step| {
                let cell = Grid::step(from, way * step);
                grid.cells().contains(cell) && !enemy.contains(cell)
            };
            let to = Grid::step(from, way * count);
            if (1..count).all(is_clear) && grid.cells().contains(to) && !own.contains(to) {
                visit(to)?;
            }
        }
    }
    ControlFlow::Continue(())
}

fn has_move(grid: &Grid, seat: Seat) -> bool {
    let can_move = |from| each_target(grid, (from, seat), &mut |_| ControlFlow::Break(())).is_break();
    grid.of(seat).iter().any(can_move)
}

/// The end of the game before a turn of `next`, if there is one; the mover wins where both sides are joined.
fn judge(grid: &Grid, next: Seat) -> Option<End> {
    let mover = other(next);
    let joined = [mover, next].into_iter().find(|seat| is_joined(grid, *seat));
    let won = joined.map(|seat| End::win(seat, "connection"));
    won.or_else(|| (!has_move(grid, next)).then(|| End::win(mover, "blocked")))
}

/// The average distance of the pieces of a side from their middle, in hundredths of a cell.
fn scatter(grid: &Grid, seat: Seat) -> i32 {
    let places = || {
        let cells = grid.of(seat).iter().map(|cell| grid.row_and_column(cell));
        cells.map(|(row, column)| (row as i32, column as i32))
    };
    let count = grid.of(seat).len().max(1) as i32;
    let (rows, columns) =
        places().fold((0, 0), |(rows, columns), (row, column)| (rows + row, columns + column));
    let far = places().map(|(row, column)| (count * row - rows).abs().max((count * column - columns).abs()));
    100 * far.sum::<i32>() / (count * count)
}

fn key(grid: &Grid, next: Seat) -> u64 {
    grid.key().with(u64::from(next.number())).finish()
}

/// The rule that a move breaks which [`each_target`] does not find.
fn refuse(grid: &Grid, from: usize, to: usize, mv: Shift) -> Refusal {
    let ((row, column), (to_row, to_column)) = (grid.row_and_column(from), grid.row_and_column(to));
    let (down, right) = (to_row as isize - row as isize, to_column as isize - column as isize);
    if down != 0 && right != 0 && down.abs() != right.abs() {
        return Refusal::Rule(format!("{} and {} are on no common line", mv.from, mv.to));
    }
    let below = (grid.cell_at(1, 0) - grid.cell_at(0, 0)) as isize;
    let way = below * down.signum() + right.signum();
    let taken = grid.of(Seat::FIRST).with(grid.of(other(Seat::FIRST)));
    let (count, steps) = (count_line(grid, &taken, from, way), down.abs().max(right.abs()));
    let cells = |count: isize| if count == 1 { "1 cell".to_owned() } else { format!("{count} cells") };
    Refusal::Rule(if steps == count {
        format!("a piece of the other side stands between {} and {}", mv.from, mv.to)
    } else {
        format!("along this line {} moves {}, as many as there are pieces on it", mv.from, cells(count))
    })
}

impl Rules for Lines {
    const META: &'static Meta = &META;
    const ROLES: [&'static str; 2] = ["x", "o"];

    type Move = Shift;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let mut grid = Grid::new(Shape::Square, SIZE, SIZE, Names { from_below: true, ..Names::default() });
        let is_scrambled = START.of(options);
        for (number, cell) in edge(&grid).into_iter().enumerate() {
            let side = if is_scrambled { number } else { number / (SIZE - 2) };
            grid.put(cell, if side % 2 == 0 { Seat::FIRST } else { other(Seat::FIRST) });
        }
        let mut lines = Self { past: Past::default() };
        lines.past.add(key(&grid, Seat::FIRST));
        (lines, Board::new(grid, false))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        self.past.clear();
        self.past.add(key(&board.grid, board.two.next));
        judge(&board.grid, board.two.next)
    }

    fn play(&mut self, board: &mut Board, mv: Shift) -> Result<Option<End>, Refusal> {
        let (from, to, seat) = (board.find_own(mv.from)?, board.find(mv.to)?, board.two.next);
        if board.grid.owner(to) == Some(seat) {
            return Err(Refusal::Taken(mv.to));
        }
        let is_target = |cell| if cell == to { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
        if each_target(&board.grid, (from, seat), &mut { is_target }).is_continue() {
            return Err(refuse(&board.grid, from, to, mv));
        }
        if !board.grid.is_free(to) {
            self.past.clear();
        }
        board.grid.clear(from);
        board.grid.put(to, seat);
        let count = self.past.add(key(&board.grid, other(seat)));
        let tie = (count >= REPEATS).then_some(End { winner: None, reason: "repetition" });
        Ok(judge(&board.grid, other(seat)).or(tie))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Shift) -> ControlFlow<()>) {
        let (grid, seat) = (&board.grid, board.two.next);
        let _ = grid.of(seat).iter().try_for_each(|from| {
            let visit = &mut |to| visit(Shift { from: grid.name(from), to: grid.name(to) });
            each_target(grid, (from, seat), visit)
        });
    }

    fn estimate(&self, board: &Board) -> i32 {
        scatter(&board.grid, other(Seat::FIRST)) - scatter(&board.grid, Seat::FIRST)
    }

    fn add_to_key(&self, key: Key) -> Key {
        self.past.add_to_key(key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_rules::{Game, Seed};

    crate::tests::game_tests!(super::Loa, "loa");

    fn after(position: &str, moves: &[&str]) -> Loa {
        let options = GameOptions::defaults(META.options);
        let mut game = Loa::parse_position(&options, 2, &Seed::default(), position).unwrap();
        for mv in moves {
            game.play(&mv.parse().unwrap()).unwrap();
        }
        game
    }

    #[test]
    fn a_player_without_a_move_loses() {
        let game =
            after("ox....../xx....../......../......../...x..../......../......xx/......xo 1", &["d4-c4"]);
        assert_eq!(game.board.two.end, Some(End::win(Seat::FIRST, "blocked")));
    }

    #[test]
    fn the_mover_wins_where_both_sides_are_joined() {
        let game =
            after("......../......../......../...x..../...o..../......../o......./o..x.... 1", &["d1-d4"]);
        assert_eq!(game.board.two.end, Some(End::win(Seat::FIRST, "connection")));
        let read = after(&game.to_string(), &[]);
        assert_eq!(read.board.two.end, game.board.two.end);
    }

    #[test]
    fn the_past_begins_anew_at_a_capture_and_where_a_position_is_read() {
        let back = ["b8-b6", "a7-c7", "b6-b8", "c7-a7"];
        let start = Loa::setup(&GameOptions::defaults(META.options), 2, &Seed::default()).to_string();
        let twice = [back, back].concat();
        let tie = Some(End { winner: None, reason: "repetition" });
        assert_eq!(after(&start, &twice[..7]).board.two.end, None);
        let mut game = after(&start, &twice);
        assert_eq!(game.board.two.end, tie);
        game.forget();
        assert_eq!(game.board.two.end, None);
    }
}

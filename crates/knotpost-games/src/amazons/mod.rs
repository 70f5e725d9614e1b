//! Amazons: move as a queen, then shoot an arrow that blocks a cell for good. Walter Zamkauskas, 1988. The start is that of
//! pbmserv; its spelling of moves is not known for certain.

use knotpost_rules::{
    Abilities, Ability, ChoiceOption, GameKind, GameOptions, Key, Meta, OptionSpec, Part, PositionError,
    Preset, Seat, SyntaxError,
    kit::{self, Board, Cells, End, Grid, Names, Place, Play, Refusal, Rules, Spelt, other},
    view::{Figure, Look, Piece, Shape},
};
use std::{fmt, ops::ControlFlow, str::FromStr};

/// A game of Amazons.
pub type Amazons = Play<Arrows>;

/// The cells that arrows block.
#[derive(Clone, Debug)]
pub struct Arrows {
    blocked: Cells,
}

static META: Meta = Meta {
    name: "amazons",
    title: "Amazons",
    aliases: &[],
    kind: GameKind::Blockade,
    weight: 1,
    length: 80,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Usual 10x10", options: &[], about: "The board of tournaments." },
        Preset { title: "Small 6x6", options: &[("size", "6")], about: "Ten minutes, and sharp at once." },
    ],
    trial: "-size=6",
    abilities: Abilities::of(&[Ability::Undo]),
    seat_names: &[&["X", "O"]],
    credit: "Walter Zamkauskas, 1988",
    contact: None,
    summary: "move, shoot, and be the last to move",
    help: || kit::write_help::<Amazons>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: include_str!("puzzles.tsv"),
};

static OPTIONS: [OptionSpec; 1] = [SIZE.spec()];

static SIZE: ChoiceOption<usize, 3> =
    ChoiceOption::new("size", [("10", 10), ("6", 6), ("8", 8)], "10", "Rows and columns.");

/// A turn, or the beginning of one: the amazon, where it goes, where its arrow falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shot {
    from: Place,
    to: Option<Place>,
    arrow: Option<Place>,
}

impl fmt::Display for Shot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.from)?;
        self.to.map_or(Ok(()), |to| write!(f, "-{to}"))?;
        self.arrow.map_or(Ok(()), |arrow| write!(f, "/{arrow}"))
    }
}

impl FromStr for Shot {
    type Err = SyntaxError;

    /// Reads `d1-d7/g7`, `d1-d7,g7` and `D1D7G7`, and where that breaks off behind a cell.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        match Place::read_all(text, &['-', '/', ',']).as_deref() {
            Some([from]) => Ok(Self { from: *from, to: None, arrow: None }),
            Some([from, to]) => Ok(Self { from: *from, to: Some(*to), arrow: None }),
            Some([from, to, arrow]) => Ok(Self { from: *from, to: Some(*to), arrow: Some(*arrow) }),
            _ => Err(SyntaxError::new(
                text,
                "from a cell to a cell and where the arrow falls, such as d1-d7/g7",
            )),
        }
    }
}

impl Spelt for Shot {
    type Step = Self;

    fn parts(&self) -> Vec<Part> {
        let to = self.to.map(|to| Part::to("-", &to));
        let arrow = self.arrow.map(|arrow| Part::spot("/", &arrow));
        [Part::from("", &self.from)].into_iter().chain(to).chain(arrow).collect()
    }

    fn tell(&self) -> String {
        let [to, arrow] =
            [self.to, self.arrow].map(|cell| cell.map_or_else(String::new, |cell| cell.to_string()));
        format!("A move names three cells: {self} goes to {to} and shoots at {arrow}.")
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        ([Some(self.from), self.to, self.arrow].into_iter().flatten().collect(), false)
    }
}

/// True for a cell with neither an amazon nor an arrow; `left` counts as empty.
fn is_free(grid: &Grid, blocked: &Cells, left: Option<usize>, cell: usize) -> bool {
    Some(cell) == left || grid.is_free(cell) && !blocked.contains(cell)
}

/// The cells that a queen reaches.
fn reach(grid: &Grid, blocked: &Cells, from: usize, left: Option<usize>) -> Cells {
    let mut cells = Cells::NONE;
    for way in grid.ways() {
        let mut cell = Grid::step(from, *way);
        while is_free(grid, blocked, left, cell) {
            cells.insert(cell);
            cell = Grid::step(cell, *way);
        }
    }
    cells
}

impl Arrows {
    fn can_move(&self, grid: &Grid, from: usize) -> bool {
        grid.neighbours(from).any(|cell| is_free(grid, &self.blocked, None, cell))
    }

    fn movable(&self, grid: &Grid, seat: Seat) -> impl Iterator<Item = usize> {
        grid.of(seat).iter().filter(|from| self.can_move(grid, *from))
    }

    /// The end of the game before a turn of this seat, if there is one.
    fn judge(&self, grid: &Grid, next: Seat) -> Option<End> {
        self.movable(grid, next).next().is_none().then(|| End::win(other(next), "blocked"))
    }

    fn sign(&self, grid: &Grid, cell: usize) -> char {
        if self.blocked.contains(cell) { '#' } else { grid.sign(cell) }
    }

    /// The cells of a begun turn so far.
    ///
    /// # Errors
    /// The rule that forbids it.
    fn follow(&self, board: &Board, begun: Shot) -> Result<(usize, Option<usize>, Option<usize>), Refusal> {
        let grid = &board.grid;
        let from = board.find_own(begun.from)?;
        let Some(to) = begun.to else { return Ok((from, None, None)) };
        let goal = board.find(to)?;
        if !reach(grid, &self.blocked, from, None).contains(goal) {
            return Err(self.refuse(board, goal, (begun.from, to), None));
        }
        let Some(arrow) = begun.arrow else { return Ok((from, Some(goal), None)) };
        let target = board.find(arrow)?;
        if !reach(grid, &self.blocked, goal, Some(from)).contains(target) {
            return Err(self.refuse(board, target, (to, arrow), Some(from)));
        }
        Ok((from, Some(goal), Some(target)))
    }

    fn refuse(&self, board: &Board, goal: usize, (from, to): (Place, Place), left: Option<usize>) -> Refusal {
        if is_free(&board.grid, &self.blocked, left, goal) && from != to {
            Refusal::Rule(format!("there is no clear straight line from {from} to {to}"))
        } else {
            Refusal::Taken(to)
        }
    }
}

impl Rules for Arrows {
    const META: &'static Meta = &META;
    const CHAINS: bool = true;

    type Move = Shot;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let size = SIZE.of(options);
        let mut grid = Grid::new(Shape::Square, size, size, Names { from_below: true, ..Names::default() });
        // A third of the side away from the corners.
        let away = size.div_ceil(3) - 1;
        for (row, column) in [(0, away), (0, size - 1 - away), (away, 0), (away, size - 1)] {
            grid.put(grid.cell_at(row, column), other(Seat::FIRST));
            grid.put(grid.cell_at(size - 1 - row, column), Seat::FIRST);
        }
        (Self { blocked: Cells::NONE }, Board::new(grid, false))
    }

    fn write(&self, board: &Board) -> (String, String) {
        (board.grid.write_rows(|cell| self.sign(&board.grid, cell)), String::new())
    }

    fn read_parts(&mut self, board: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        board.grid.read(&rows.replace('#', "."))?;
        let signs = board.grid.read_rows(rows)?.into_iter();
        signs.filter(|(.., sign)| *sign == '#').for_each(|(cell, ..)| self.blocked.insert(cell));
        if rest.is_empty() { Ok(()) } else { Err(PositionError::Special(format!("`{rest}` is too much"))) }
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        self.judge(&board.grid, board.two.next)
    }

    fn play(&mut self, board: &mut Board, mv: Shot) -> Result<Option<End>, Refusal> {
        let seat = board.two.next;
        let (from, to, arrow) = match self.follow(board, mv)? {
            (from, Some(to), Some(arrow)) => (from, to, arrow),
            (_, None, _) => return Err(Refusal::Rule(format!("say where the amazon on {} goes", mv.from))),
            (.., None) => {
                return Err(Refusal::Rule(format!("say where the arrow falls, as in {mv}/{}", mv.from)));
            }
        };
        board.grid.clear(from);
        board.grid.put(to, seat);
        self.blocked.insert(arrow);
        Ok(self.judge(&board.grid, other(seat)))
    }

    /// One turn of each amazon.
    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Shot) -> ControlFlow<()>) {
        let grid = &board.grid;
        let turns = self.movable(grid, board.two.next).filter_map(|from| {
            let to = reach(grid, &self.blocked, from, None).nth(0)?;
            let arrow = reach(grid, &self.blocked, to, Some(from)).nth(0)?;
            let [from, to, arrow] = [from, to, arrow].map(|cell| grid.name(cell));
            Some(Shot { from, to: Some(to), arrow: Some(arrow) })
        });
        let _ = { turns }.try_for_each(visit);
    }

    fn each_step(
        &self,
        board: &Board,
        begun: Option<&Shot>,
        visit: &mut dyn FnMut(Shot) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        let (grid, blocked) = (&board.grid, &self.blocked);
        let Some(begun) = begun else {
            let first = |from| Shot { from: grid.name(from), to: None, arrow: None };
            let _ = self.movable(grid, board.two.next).map(first).try_for_each(visit);
            return Ok(());
        };
        let (cells, extend): (Cells, fn(Shot, Place) -> Shot) = match self.follow(board, *begun)? {
            (from, None, _) => (reach(grid, blocked, from, None), |shot, to| Shot { to: Some(to), ..shot }),
            (from, Some(to), None) => {
                (reach(grid, blocked, to, Some(from)), |shot, arrow| Shot { arrow: Some(arrow), ..shot })
            }
            _ => return Ok(()),
        };
        grid.visit(cells, &mut |cell| visit(extend(*begun, cell)));
        Ok(())
    }

    fn is_complete(&self, _: &Board, begun: &Shot) -> bool {
        begun.arrow.is_some()
    }

    fn pick(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Shot> {
        let grid = &board.grid;
        let mut movable = Cells::NONE;
        self.movable(grid, board.two.next).for_each(|cell| movable.insert(cell));
        let mut any = |cells: Cells| cells.nth(below(cells.len()));
        let from = any(movable)?;
        let to = any(reach(grid, &self.blocked, from, None))?;
        let arrow = any(reach(grid, &self.blocked, to, Some(from)))?;
        let [from, to, arrow] = [from, to, arrow].map(|cell| grid.name(cell));
        Some(Shot { from, to: Some(to), arrow: Some(arrow) })
    }

    fn add_to_key(&self, key: Key) -> Key {
        self.blocked.add_to(key)
    }

    fn piece(&self, board: &Board, cell: usize) -> Piece {
        if self.blocked.contains(cell) {
            let look = Look { figure: Figure::Blocked, ..Look::default() };
            return Piece::Token { sign: '#', owner: None, look };
        }
        board.grid.piece(cell)
    }

    /// The lead in cells next to amazons that are free, which hardly costs anything.
    fn estimate(&self, board: &Board) -> i32 {
        let grid = &board.grid;
        let room = |seat| {
            let around = grid.of(seat).iter().flat_map(|cell| grid.neighbours(cell));
            around.filter(|cell| is_free(grid, &self.blocked, None, *cell)).count() as i32
        };
        room(Seat::FIRST) - room(other(Seat::FIRST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_rules::{Game, Seed};

    crate::tests::game_tests!(super::Amazons, "amazons");

    #[test]
    fn refusals_name_the_rule() {
        let options = GameOptions::defaults(META.options);
        let game = Amazons::setup(&options, 2, &Seed::default());
        let cases = [
            ("d1", "say where the amazon on d1 goes"),
            ("d1-d7", "say where the arrow falls, as in d1-d7/d1"),
            ("d1-e3/e4", "there is no clear straight line from d1 to e3"),
            ("d1-g1/g2", "g1 is taken"),
            ("d1-d7/d7", "d7 is taken"),
            ("d1-d9/d10", "d10 is taken"),
            ("a7-a6/a5", "there is no piece of yours on a7"),
            ("d1-d12/a1", "d12 is outside the board, whose corners are a1 and j10"),
        ];
        for (mv, refusal) in cases {
            assert_eq!(
                game.clone().play(&mv.parse().unwrap()).map_err(|error| error.to_string()),
                Err(refusal.to_owned())
            );
        }
        for spelling in ["d1-d7/g7", "d1-d7,g7", "D1D7G7", "1d-7d/7g"] {
            assert_eq!(spelling.parse::<Shot>().unwrap().to_string(), "d1-d7/g7");
        }
    }
}

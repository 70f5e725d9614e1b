//! Dots and Boxes: whoever draws the fourth side of a box owns it and goes on. Édouard Lucas, 1889. The names of lines, by
//! their middles on a sheet of signs, and turns as chains are those of pbmserv.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Key, Meta, NumberOption, OptionSpec, Part, PositionError,
    Preset, Scores, Seat, SyntaxError,
    kit::{self, Board, Cells, End, Grid, Names, Place, Play, Refusal, Rules, Spelt, other},
    view::{EdgePart, Figure, Look, Panel, Piece, Shape},
};
use std::{cmp::Ordering, fmt, ops::ControlFlow, str::FromStr};

/// A game of Dots and Boxes.
pub type Dots = Play<Lines>;

/// The lines; boxes are the stones of the grid.
#[derive(Clone, Debug)]
pub struct Lines {
    /// The places of lines.
    all: Cells,
    boxes: Cells,
    drawn: Cells,
}

static META: Meta = Meta {
    name: "dots",
    title: "Dots and Boxes",
    aliases: &["boxes"],
    kind: GameKind::Territory,
    weight: 1,
    length: 75,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Small 4x4", options: &[("size", "4")], about: "16 boxes, a few minutes." },
        Preset { title: "Usual 7x7", options: &[], about: "49 boxes: no ties." },
        Preset { title: "Big 12x12", options: &[("size", "12")], about: "144 boxes: long chains." },
    ],
    trial: "-size=3",
    abilities: Abilities::of(&[Ability::Undo]),
    seat_names: &[&["X", "O"]],
    credit: "Edouard Lucas, 1889",
    contact: None,
    summary: "close more boxes than the other",
    help: || kit::write_help::<Dots>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: include_str!("puzzles.tsv"),
};

static OPTIONS: [OptionSpec; 1] = [SIZE.spec()];

static SIZE: NumberOption = NumberOption {
    name: "size",
    min: 2,
    max: 12,
    default: "7",
    help: "Boxes along each side.",
    excludes: &[],
};

/// The promise of a line that closes a box.
const CLOSES: u8 = 2;

/// The lines of a turn: all but the last close boxes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Chain(Vec<Place>);

impl fmt::Display for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.iter().map(Place::to_string).collect::<Vec<_>>().join(","))
    }
}

impl FromStr for Chain {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let lines: Result<_, _> = text.split(',').map(Place::from_str).collect();
        lines.map(Self).map_err(|_| SyntaxError::new(text, "lines joined by commas, such as b1 or b1,c2"))
    }
}

impl From<Place> for Chain {
    fn from(line: Place) -> Self {
        Self(vec![line])
    }
}

impl TryFrom<Chain> for Place {
    type Error = ();

    fn try_from(chain: Chain) -> Result<Self, ()> {
        if let [line] = chain.0.as_slice() { Ok(*line) } else { Err(()) }
    }
}

impl Spelt for Chain {
    type Step = Place;

    fn join(begun: Option<&Self>, step: Place) -> Self {
        Self(begun.iter().flat_map(|begun| &begun.0).copied().chain([step]).collect())
    }

    fn parts(&self) -> Vec<Part> {
        let before = std::iter::once("").chain(std::iter::repeat(","));
        self.0.iter().zip(before).map(|(line, before)| Part::spot(before, line)).collect()
    }

    fn tell(&self) -> String {
        let Some(line) = self.0.first() else { return String::new() };
        match self.0.len() {
            1 => format!("A move is a free line, named by its middle: {line}."),
            _ => format!("{line} closes a box. The next line of the turn follows after a comma."),
        }
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        (self.0.clone(), false)
    }
}

impl Lines {
    /// Draws a line and returns the boxes that it closes.
    fn draw(&mut self, grid: &Grid, line: usize) -> [Option<usize>; 2] {
        self.drawn.insert(line);
        let down = grid.columns() as isize + 1;
        let is_across =
            self.boxes.contains(Grid::step(line, down)) || self.boxes.contains(Grid::step(line, -down));
        let way = if is_across { down } else { 1 };
        [way, -way].map(|way| Grid::step(line, way)).map(|cell| self.is_closed(grid, cell).then_some(cell))
    }

    fn is_closed(&self, grid: &Grid, cell: usize) -> bool {
        let down = grid.columns() as isize + 1;
        self.boxes.contains(cell)
            && [down, -down, 1, -1].iter().all(|way| self.drawn.contains(Grid::step(cell, *way)))
    }

    fn free(&self) -> Cells {
        self.all.minus(self.drawn)
    }

    /// True if the turn goes on after a line that closed these boxes.
    fn goes_on(&self, closed: [Option<usize>; 2]) -> bool {
        closed != [None, None] && !self.free().is_empty()
    }

    /// The shortest turn that begins with this line, as a rule.
    fn complete(&self, grid: &Grid, first: usize) -> Chain {
        let (mut after, mut line, mut chain) = (self.clone(), first, Vec::new());
        loop {
            chain.push(grid.name(line));
            let closed = after.draw(grid, line);
            if !after.goes_on(closed) {
                return Chain(chain);
            }
            let free = after.free();
            let ending = free.iter().find(|line| after.rate(grid, *line) < CLOSES);
            line = ending.or_else(|| free.nth(0)).unwrap_or(line);
        }
    }

    /// The lines after those of a begun turn, and whether it goes on.
    fn follow(&self, board: &Board, chain: &Chain) -> Result<(Self, bool, Vec<usize>), Refusal> {
        let (mut after, mut goes_on, mut won) = (self.clone(), true, Vec::new());
        let mut last = None;
        for place in &chain.0 {
            let line = board.find(*place)?;
            if let Some(last) = last.filter(|_| !goes_on) {
                return Err(Refusal::Rule(format!("the turn ends with {last}, which closes no box")));
            }
            if !self.all.contains(line) {
                let what = if self.boxes.contains(line) { "the middle of a box" } else { "a dot" };
                return Err(Refusal::Rule(format!("{place} is {what}, not a line")));
            }
            if after.drawn.contains(line) {
                return Err(Refusal::Rule(format!("{place} is drawn already")));
            }
            let closed = after.draw(&board.grid, line);
            won.extend(closed.into_iter().flatten());
            goes_on = after.goes_on(closed);
            last = Some(place);
        }
        Ok((after, goes_on, won))
    }
}

/// The owner of the most boxes wins once all lines are drawn.
fn judge(lines: &Lines, grid: &Grid) -> Option<End> {
    if !lines.free().is_empty() {
        return None;
    }
    let (first, second) = (Seat::FIRST, other(Seat::FIRST));
    let winner = match grid.of(first).len().cmp(&grid.of(second).len()) {
        Ordering::Greater => Some(first),
        Ordering::Less => Some(second),
        Ordering::Equal => None,
    };
    Some(End { winner, reason: "score" })
}

const PARTS: &str =
    "the rows of dots, lines and boxes from the top joined by `/`, a blank and the seat to move";

impl Rules for Lines {
    const META: &'static Meta = &META;
    const GAINS: bool = true;
    const CHAINS: bool = true;

    type Move = Chain;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let across = 2 * SIZE.of(options) as usize + 1;
        let grid = Grid::new(Shape::Edges, across, across, Names::default());
        let mut lines = Self { all: Cells::NONE, boxes: Cells::NONE, drawn: Cells::NONE };
        for cell in grid.cells().iter() {
            let (row, column) = grid.row_and_column(cell);
            match Panel::edge_part(row, column) {
                EdgePart::Dot => {}
                EdgePart::Across | EdgePart::Down => lines.all.insert(cell),
                EdgePart::Box => lines.boxes.insert(cell),
            }
        }
        (lines, Board::new(grid, false))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        judge(self, &board.grid)
    }

    fn play(&mut self, board: &mut Board, mv: Chain) -> Result<Option<End>, Refusal> {
        let (after, goes_on, won) = self.follow(board, &mv)?;
        if goes_on {
            let last = mv.0.last().map(ToString::to_string).unwrap_or_default();
            let next = after
                .free()
                .nth(0)
                .map(|next| board.grid.name(next))
                .map_or_else(String::new, |next| format!(", as in {mv},{next}"));
            let rule = format!("{last} closes a box, so the turn goes on: add another line{next}");
            return Err(Refusal::Rule(rule));
        }
        *self = after;
        for cell in won {
            board.grid.put(cell, board.two.next);
        }
        Ok(judge(self, &board.grid))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Chain) -> ControlFlow<()>) {
        let _ = self.free().iter().try_for_each(|line| visit(self.complete(&board.grid, line)));
    }

    fn each_step(
        &self,
        board: &Board,
        begun: Option<&Chain>,
        visit: &mut dyn FnMut(Place) -> ControlFlow<()>,
    ) -> Result<(), Refusal> {
        let (after, goes_on) = match begun {
            None => (self.clone(), true),
            Some(chain) => self.follow(board, chain).map(|(after, goes_on, _)| (after, goes_on))?,
        };
        if goes_on {
            board.grid.visit(after.free(), visit);
        }
        Ok(())
    }

    fn is_complete(&self, board: &Board, begun: &Chain) -> bool {
        self.follow(board, begun).is_ok_and(|(_, goes_on, _)| !goes_on)
    }

    fn pick(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Chain> {
        self.pick_lines(board, &mut |after| {
            let free = after.free();
            free.nth(below(free.len()))
        })
    }

    /// Each line is the best of three by chance: one that closes a box, else one that gives none away.
    fn pick_likely(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Chain> {
        self.pick_lines(board, &mut |after| {
            let free = after.free();
            let mut tries = [(); 3].map(|()| free.nth(below(free.len())));
            tries.sort_by_key(|line| line.map_or(0, |line| after.rate(&board.grid, line)));
            tries.into_iter().next_back().flatten()
        })
    }

    fn write(&self, board: &Board) -> (String, String) {
        let sign = |row, column| {
            let cell = board.grid.cell_at(row, column);
            match Panel::edge_part(row, column) {
                EdgePart::Dot => '+',
                EdgePart::Across if self.drawn.contains(cell) => '-',
                EdgePart::Down if self.drawn.contains(cell) => '|',
                EdgePart::Across | EdgePart::Down => '.',
                EdgePart::Box => board.grid.sign(cell),
            }
        };
        let row = |row| (0..board.grid.columns()).map(|column| sign(row, column)).collect::<String>();
        ((0..board.grid.rows()).map(row).collect::<Vec<_>>().join("/"), String::new())
    }

    fn read_parts(&mut self, board: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        let (expected, found) = (board.grid.rows(), rows.split('/').count());
        if !rest.is_empty() {
            return Err(PositionError::Parts { expected: PARTS });
        }
        if found != expected {
            return Err(PositionError::Rows { expected, found });
        }
        for (row, signs) in rows.split('/').enumerate() {
            let found = signs.chars().count();
            if found != expected {
                return Err(PositionError::Width { row: row + 1, expected, found });
            }
            for (column, sign) in signs.chars().enumerate() {
                let cell = board.grid.cell_at(row, column);
                match (Panel::edge_part(row, column), sign) {
                    (EdgePart::Dot, '+') | (EdgePart::Across | EdgePart::Down | EdgePart::Box, '.') => {}
                    (EdgePart::Across, '-') | (EdgePart::Down, '|') => self.drawn.insert(cell),
                    (EdgePart::Box, 'x') => board.grid.put(cell, Seat::FIRST),
                    (EdgePart::Box, 'o') => board.grid.put(cell, other(Seat::FIRST)),
                    (_, found) => return Err(PositionError::Cell { row: row + 1, found }),
                }
            }
        }
        // A closed box has an owner, and no other box.
        let mut boxes = self.boxes.iter();
        let odd = boxes.find(|cell| self.is_closed(&board.grid, *cell) == board.grid.is_free(*cell));
        odd.map_or(Ok(()), |cell| {
            let row = board.grid.row_and_column(cell).0 + 1;
            Err(PositionError::Cell { row, found: board.grid.sign(cell) })
        })
    }

    fn add_to_key(&self, key: Key) -> Key {
        self.drawn.add_to(key)
    }

    fn piece(&self, board: &Board, cell: usize) -> Piece {
        if !self.drawn.contains(cell) {
            return board.grid.piece(cell);
        }
        let (row, column) = board.grid.row_and_column(cell);
        let sign = if Panel::edge_part(row, column) == EdgePart::Across { '-' } else { '|' };
        Piece::Token { sign, owner: None, look: Look { figure: Figure::Line, ..Look::default() } }
    }

    fn scores(&self, board: &Board) -> Scores {
        Scores::Points([Seat::FIRST, other(Seat::FIRST)].map(|seat| board.grid.of(seat).len()).to_vec())
    }

    fn spot(&self, board: &Board, cell: usize) -> String {
        if self.all.contains(cell) { board.grid.name(cell).to_string() } else { String::new() }
    }
}

impl Lines {
    /// A turn, line by line.
    fn pick_lines(&self, board: &Board, next: &mut dyn FnMut(&Self) -> Option<usize>) -> Option<Chain> {
        let (mut after, mut chain) = (self.clone(), Vec::with_capacity(4));
        loop {
            let line = next(&after)?;
            chain.push(board.grid.name(line));
            let closed = after.draw(&board.grid, line);
            if !after.goes_on(closed) {
                return Some(Chain(chain));
            }
        }
    }

    /// The promise of a free line: most if it closes a box, none if it is the third side of one.
    fn rate(&self, grid: &Grid, line: usize) -> u8 {
        let down = grid.columns() as isize + 1;
        let sides = |cell: usize| {
            let ways = [down, -down, 1, -1];
            ways.iter().filter(|way| self.drawn.contains(Grid::step(cell, **way))).count()
        };
        let around = [down, -down, 1, -1].map(|way| Grid::step(line, way));
        let most = around.into_iter().filter(|cell| self.boxes.contains(*cell)).map(sides).max();
        match most {
            Some(3) => CLOSES,
            Some(2) => 0,
            _ => 1,
        }
    }
}

#[cfg(test)]
mod tests {
    crate::tests::game_tests!(super::Dots, "dots");
}

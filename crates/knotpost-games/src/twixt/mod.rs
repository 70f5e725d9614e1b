//! Twin Pegs: pegs a knight's move apart are linked, and links may not cross. By the rules of Alex Randolph's Twixt, 1962, as
//! played on paper: links come by themselves and stay. Names of holes, seats and handicap are those of pbmserv.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Key, Meta, NumberOption, OptionSpec, PositionError, Preset,
    Seat,
    kit::{self, Board, Cells, Chains, End, Grid, Names, Place, Play, Refusal, Rules, other},
    view::Shape,
};
use std::{ops::ControlFlow, sync::LazyLock};

/// A game of Twin Pegs.
pub type Twixt = Play<Links>;

/// The links on the board, and what their chains touch.
#[derive(Clone, Debug)]
pub struct Links {
    /// For each of [`WAYS`] the upper ends of the links that go there.
    upper: [Cells; 4],
    chains: Chains,
    /// The holes of each seat that only the other may use.
    closed: [Cells; 2],
}

const FIRST_SIDE: u16 = 1;
const SECOND_SIDE: u16 = 2;

/// Rows down and columns to the right of a link, from its upper end.
const WAYS: [[isize; 2]; 4] = [[1, 2], [2, 1], [2, -1], [1, -2]];

/// Rows and columns to the upper end of a link, and its way.
type Crossing = ([isize; 2], usize);

/// The links that cross a link of each way: rows and columns from its upper end to theirs, and their ways.
static CROSSING: LazyLock<[Vec<Crossing>; 4]> = LazyLock::new(|| WAYS.map(list_crossing));

/// Fewest rows and columns that a handicap leaves.
const LEAST: i32 = 5;

static META: Meta = Meta {
    name: "twixt",
    title: "Twin Pegs",
    aliases: &["pegs"],
    kind: GameKind::Connection,
    weight: 2,
    length: 60,
    rules_version: 1,
    players: 2..=2,
    options: &OPTIONS,
    presets: &[
        Preset { title: "Small 12x12", options: &[("size", "12")], about: "Half an hour, to begin with." },
        Preset { title: "Usual 24x24", options: &[], about: "The board of the author." },
    ],
    trial: "-size=9",
    abilities: Abilities::of(&[Ability::Swap, Ability::Draw, Ability::Undo]),
    seat_names: &[&["Red", "Black"]],
    credit: "Alex Randolph, 1962",
    contact: None,
    summary: "join your two sides by linked pegs",
    help: || kit::write_help::<Twixt>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

static OPTIONS: [OptionSpec; 2] = [SIZE.spec(), HANDICAP.spec()];

static SIZE: NumberOption = NumberOption {
    name: "size",
    min: 8,
    max: 24,
    default: "24",
    help: "Rows and columns; larger boards do not fit a mail.",
    excludes: &[],
};

static HANDICAP: NumberOption = NumberOption {
    name: "handicap",
    min: -6,
    max: 6,
    default: "0",
    help: "Columns less, which helps Black, or below nought rows less, which helps Red; at least five remain. There is no swap then.",
    excludes: &[],
};

/// Twice the area of a triangle; its sign tells the side of a line on which the third corner lies.
const fn turn([a, b]: [isize; 2], [c, d]: [isize; 2], [e, f]: [isize; 2]) -> isize {
    (c - a) * (f - b) - (d - b) * (e - a)
}

fn list_crossing(way: [isize; 2]) -> Vec<Crossing> {
    let mut crossing = Vec::new();
    for (row, column) in (-2..3).flat_map(|row| (-4..5).map(move |column| (row, column))) {
        for (number, [down, right]) in WAYS.into_iter().enumerate() {
            let (start, end) = ([row, column], [row + down, column + right]);
            let parts =
                |from, to, one, other| turn(from, to, one).signum() * turn(from, to, other).signum() < 0;
            if parts([0, 0], way, start, end) && parts(start, end, [0, 0], way) {
                crossing.push((start, number));
            }
        }
    }
    crossing
}

/// The cell some rows and columns away, which must be on the board.
fn beside(grid: &Grid, cell: usize, [down, right]: [isize; 2]) -> Option<usize> {
    let (row, column) = grid.row_and_column(cell);
    let row = row.checked_add_signed(down).filter(|row| *row < grid.rows())?;
    let column = column.checked_add_signed(right).filter(|column| *column < grid.columns())?;
    Some(grid.cell_at(row, column))
}

impl Links {
    /// Adds a link unless another one crosses it.
    fn link(&mut self, grid: &Grid, upper: usize, way: usize) -> bool {
        let mut crossing = CROSSING.get(way).into_iter().flatten();
        let is_crossed = crossing.any(|(away, way)| {
            let start = beside(grid, upper, *away);
            start.is_some_and(|start| self.upper.get(*way).is_some_and(|links| links.contains(start)))
        });
        if let Some(links) = self.upper.get_mut(way).filter(|_| !is_crossed) {
            links.insert(upper);
        }
        !is_crossed
    }

    /// The pegs that may be linked with a cell: the upper end, the way and the other peg.
    fn around(grid: &Grid, cell: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        WAYS.into_iter().enumerate().flat_map(move |(way, [down, right])| {
            let below = beside(grid, cell, [down, right]).map(|below| (cell, way, below));
            let above = beside(grid, cell, [-down, -right]).map(|above| (above, way, above));
            below.into_iter().chain(above)
        })
    }

    /// Joins the chains of a peg and of those it is linked with.
    fn connect(&mut self, grid: &Grid, cell: usize) -> Option<End> {
        let seat = grid.owner(cell)?;
        let (row, column) = grid.row_and_column(cell);
        let (at, end) =
            if seat == Seat::FIRST { (row, grid.rows() - 1) } else { (column, grid.columns() - 1) };
        let marks = (u16::from(at == 0) * FIRST_SIDE) | (u16::from(at == end) * SECOND_SIDE);
        let is_linked = |(upper, way, _): &(usize, usize, usize)| {
            self.upper.get(*way).is_some_and(|links| links.contains(*upper))
        };
        let linked: Vec<usize> = Self::around(grid, cell).filter(is_linked).map(|(.., peg)| peg).collect();
        let pegs = linked.into_iter().filter(|peg| grid.owner(*peg) == Some(seat));
        let touched = self.chains.tie(cell, marks, pegs);
        (touched == FIRST_SIDE | SECOND_SIDE).then(|| End::win(seat, "connection"))
    }

    /// The holes where a seat may place a peg.
    fn open(&self, board: &Board, seat: Seat) -> Cells {
        let closed = self.closed.get(seat.index()).copied().unwrap_or(Cells::NONE);
        board.grid.free().minus(closed)
    }

    /// A tie if a seat has no hole left.
    fn judge(&self, board: &Board, next: Seat) -> Option<End> {
        self.open(board, next).is_empty().then_some(End { winner: None, reason: "blocked" })
    }

    /// All links: the upper end, the lower end, the owner.
    fn list(&self, grid: &Grid) -> Vec<(usize, usize, Seat)> {
        let ways = self.upper.into_iter().zip(WAYS);
        let links = ways.flat_map(|(links, way)| links.iter().map(move |upper| (upper, way)));
        links
            .filter_map(|(upper, way)| Some((upper, beside(grid, upper, way)?, grid.owner(upper)?)))
            .collect()
    }

    /// Reads a link between two pegs.
    fn read_link(&mut self, grid: &Grid, text: &str) -> Option<()> {
        let (at, _) = text.char_indices().skip(1).find(|(_, sign)| sign.is_ascii_lowercase())?;
        let (one, two) = text.split_at_checked(at)?;
        let [one, two] = [grid.find(one.parse().ok()?)?, grid.find(two.parse().ok()?)?];
        let (upper, way, _) = Self::around(grid, one).find(|(.., peg)| *peg == two)?;
        let seat = grid.owner(one)?;
        (grid.owner(two) == Some(seat) && self.link(grid, upper, way)).then_some(())
    }

    fn write_links(&self, grid: &Grid) -> String {
        let name = |(from, to, _): (usize, usize, Seat)| {
            let (one, two) = (grid.name(from), grid.name(to));
            format!("{}{}", one.min(two), one.max(two))
        };
        let mut names: Vec<String> = self.list(grid).into_iter().map(name).collect();
        names.sort_unstable();
        if names.is_empty() { "-".to_owned() } else { names.join(",") }
    }
}

const PARTS: &str =
    "the rows from the top joined by `/`, the seat to move, and the links such as b3d4,c5d3 or -";

impl Rules for Links {
    const META: &'static Meta = &META;
    const ROLES: [&'static str; 2] = ["x, top and bottom", "o, left and right"];
    const OWNERS: [&'static str; 4] = ["Black", "Red", "Black", "Red"];
    const EXPECTED: Option<&'static str> =
        Some("a hole, such as k5; links come by themselves and stay, none is chosen or taken off");

    type Move = Place;

    fn setup(options: &GameOptions) -> (Self, Board) {
        let (size, handicap) = (SIZE.of(options), HANDICAP.of(options));
        let less = |number: i32| (size - number.max(0)).max(LEAST) as usize;
        let (columns, rows) = (less(handicap), less(-handicap));
        let grid = Grid::new(Shape::Square, columns, rows, Names::default());
        let mut closed = [Cells::NONE; 2];
        let [first, second] = &mut closed;
        for column in [0, columns - 1] {
            (0..rows).for_each(|row| first.insert(grid.cell_at(row, column)));
        }
        for row in [0, rows - 1] {
            (0..columns).for_each(|column| second.insert(grid.cell_at(row, column)));
        }
        let corners: Vec<usize> = first.iter().filter(|cell| second.contains(*cell)).collect();
        let links = Self { upper: [Cells::NONE; 4], chains: Chains::default(), closed };
        (links, Board::new(grid.without(corners), handicap == 0))
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        let (mut end, all) = (None, self.clone());
        self.chains = Chains::default();
        board.grid.replay(&mut |grid, cell| end = self.connect(grid, cell).or(end));
        end.or_else(|| all.judge(board, board.two.next))
    }

    fn play(&mut self, board: &mut Board, mv: Place) -> Result<Option<End>, Refusal> {
        let (cell, seat) = (board.find_free(mv)?, board.two.next);
        if !self.open(board, seat).contains(cell) {
            let owner = if seat == Seat::FIRST { "Black" } else { "Red" };
            return Err(Refusal::Rule(format!(
                "{mv} lies on a border line of {owner}, who alone may use it"
            )));
        }
        board.grid.put(cell, seat);
        let own = board.grid.of(seat);
        for (upper, way, _) in Self::around(&board.grid, cell).filter(|(.., peg)| own.contains(*peg)) {
            self.link(&board.grid, upper, way);
        }
        Ok(self.connect(&board.grid, cell).or_else(|| self.judge(board, other(seat))))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Place) -> ControlFlow<()>) {
        board.grid.visit(self.open(board, board.two.next), visit);
    }

    fn pick(&self, board: &Board, below: &mut dyn FnMut(u32) -> u32) -> Option<Place> {
        let open = self.open(board, board.two.next);
        let count = open.len();
        if count == 0 { None } else { open.nth(below(count)).map(|cell| board.grid.name(cell)) }
    }

    /// True for pbmserv's words that choose links, `-a1/b3` and `+a1/b3`, which are kept free.
    fn may_read(text: &str) -> bool {
        text.strip_prefix(['-', '+']).is_some_and(|rest| rest.contains('/'))
    }

    fn write(&self, board: &Board) -> (String, String) {
        (board.grid.to_string(), self.write_links(&board.grid))
    }

    fn read_parts(&mut self, board: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        board.grid.read(rows)?;
        let wrong = PositionError::Parts { expected: PARTS };
        let is_read = rest == "-" || rest.split(',').all(|link| self.read_link(&board.grid, link).is_some());
        let misplaced = [Seat::FIRST, other(Seat::FIRST)].into_iter().any(|seat| {
            let closed = self.closed.get(seat.index()).copied().unwrap_or(Cells::NONE);
            board.grid.of(seat) != board.grid.of(seat).minus(closed)
        });
        let is_right = is_read && !misplaced && self.write_links(&board.grid) == rest;
        if is_right { Ok(()) } else { Err(wrong) }
    }

    fn add_to_key(&self, key: Key) -> Key {
        self.upper.iter().fold(key, |key, links| links.add_to(key))
    }

    fn links(&self, board: &Board) -> Option<Vec<(usize, usize, Seat)>> {
        Some(self.list(&board.grid))
    }
}

#[cfg(test)]
mod tests {
    crate::tests::game_tests!(super::Twixt, "twixt");
}

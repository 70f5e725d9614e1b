//! Checkers: jump over the men of the other side and crown one's own. English draughts, traditional; its rules were first
//! printed by William Payne in 1756. The numbers of squares are those of draughts books.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Key, Meta, Part, PositionError, Seat, SyntaxError,
    kit::{self, Board, Cells, End, Grid, Names, Place, Play, Refusal, Rules, Spelt, other},
    view::{Figure, Look, Piece, Shape},
};
use std::{fmt, ops::ControlFlow, str::FromStr};

/// A game of Checkers.
pub type Checkers = Play<Kings>;

/// The kings of both sides, and the turns in a row without a capture or a move of a man.
#[derive(Clone, Debug)]
pub struct Kings {
    kings: Cells,
    quiet: u8,
}

static META: Meta = Meta {
    name: "checkers",
    title: "Checkers",
    aliases: &["draughts8", "draughts"],
    kind: GameKind::Capture,
    weight: 2,
    length: 60,
    rules_version: 1,
    players: 2..=2,
    options: &[],
    presets: &[],
    trial: "",
    abilities: Abilities::of(&[Ability::Undo, Ability::Draw]),
    seat_names: &[&["South", "North"]],
    credit: "traditional; rules printed by William Payne in 1756",
    contact: None,
    summary: "jump over men, and crown your own",
    help: || kit::write_help::<Checkers>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

/// Rows and columns.
const SIZE: usize = 8;
/// Rows of men of each side.
const FILLED: usize = 3;
/// Quiet turns that are a tie.
const QUIET: u8 = 80;

/// Cells of the longest turn: nine men can be jumped over, and no more stand where one piece comes.
const LONGEST: usize = 10;

/// The cells of a turn, from where the piece stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Way([Option<Place>; LONGEST]);

impl Way {
    fn of(cells: impl IntoIterator<Item = Place>) -> Self {
        let mut all = [None; LONGEST];
        all.iter_mut().zip(cells).for_each(|(slot, cell)| *slot = Some(cell));
        Self(all)
    }

    fn cells(&self) -> impl DoubleEndedIterator<Item = Place> {
        self.0.into_iter().flatten()
    }

    fn ends(&self) -> [Option<Place>; 2] {
        [self.cells().next(), self.cells().next_back()]
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.cells().map(|cell| cell.to_string()).collect();
        f.write_str(&names.join("-"))
    }
}

impl FromStr for Way {
    type Err = SyntaxError;

    /// Reads `c3-d4`, `c3-e5-g7`, `c3xe5` and `C3E5`.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let cells = Place::read_all(&text.replace(['x', 'X'], "-"), &['-']);
        let is_way = |cells: &Vec<Place>| (2..=LONGEST).contains(&cells.len());
        cells.filter(is_way).map(Self::of).ok_or_else(|| {
            SyntaxError::new(
                text,
                "from cell to cell, such as c3-d4, or two numbers of squares, such as 11-15",
            )
        })
    }
}

impl Spelt for Way {
    type Step = Self;

    fn parts(&self) -> Vec<Part> {
        let part = |(number, cell)| if number == 0 { Part::from("", &cell) } else { Part::to("-", &cell) };
        self.cells().enumerate().map(part).collect()
    }

    fn tell(&self) -> String {
        let [from, to] = self.ends().map(|cell| cell.map_or_else(String::new, |cell| cell.to_string()));
        format!("A move says from where to where: {self} moves the piece on {from} to {to}.")
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        (self.cells().collect(), true)
    }
}

/// The numbers of squares: from 1 on the right of the lowest row, row by row, as the first side reads the board upside down.
fn numbered(number: usize) -> Option<Place> {
    let (row, at) = ((number.checked_sub(1)?) / 4, (number - 1) % 4);
    let column = 2 * (3 - at) + row % 2;
    (row < SIZE).then_some(Place { letter: b'a' + column as u8, number: row as u8 + 1 })
}

fn read_numbers(text: &str) -> Option<Vec<Place>> {
    let cells: Option<Vec<Place>> =
        text.split(['-', 'x', 'X']).map(|word| numbered(word.parse().ok()?)).collect();
    cells.filter(|cells| (2..=LONGEST).contains(&cells.len()))
}

/// The cell between two that are a jump apart.
const fn half(from: usize, to: usize) -> usize {
    usize::midpoint(from, to)
}

impl Kings {
    /// The diagonals in which a piece moves.
    fn ways(&self, grid: &Grid, cell: usize, seat: Seat) -> impl Iterator<Item = isize> {
        let is_king = self.kings.contains(cell);
        let ahead = move |way: &isize| is_king || (*way < 0) == (seat == Seat::FIRST);
        let below = (grid.cell_at(1, 0) - grid.cell_at(0, 0)) as isize;
        [-below - 1, 1 - below, below + 1, below - 1].into_iter().filter(ahead)
    }

    /// The cells to which a piece can jump; `jumped` are men that the turn has taken already.
    fn jumps(&self, grid: &Grid, (from, seat): (usize, Seat), way: &[usize]) -> Vec<usize> {
        let start = way.first().copied().unwrap_or(from);
        let was_jumped =
            |over: usize| way.windows(2).any(|pair| matches!(pair, [one, two] if half(*one, *two) == over));
        let can_jump = |step: &isize| {
            let (over, to) = (Grid::step(from, *step), Grid::step(from, 2 * step));
            grid.owner(over) == Some(other(seat))
                && !was_jumped(over)
                && (grid.is_free(to) || to == start && way.len() > 1)
        };
        self.ways(grid, start, seat).filter(can_jump).map(|step| Grid::step(from, 2 * step)).collect()
    }

    fn must_jump(&self, grid: &Grid, seat: Seat) -> bool {
        grid.of(seat).iter().any(|cell| !self.jumps(grid, (cell, seat), &[cell]).is_empty())
    }

    /// True if a piece that has gone this way becomes a king. That ends its turn by itself, for it jumps as a man until then.
    fn is_crowned(&self, grid: &Grid, (from, to): (usize, usize), seat: Seat) -> bool {
        let goal = if seat == Seat::FIRST { 0 } else { SIZE - 1 };
        !self.kings.contains(from) && grid.row_and_column(to).0 == goal
    }

    /// Calls `visit` with every turn that begins with these cells and jumps on.
    fn each_chain(
        &self,
        grid: &Grid,
        seat: Seat,
        way: &mut Vec<usize>,
        visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let Some(last) = way.last().copied() else {
            return ControlFlow::Continue(());
        };
        let next = self.jumps(grid, (last, seat), way);
        if next.is_empty() && way.len() > 1 {
            return visit(way);
        }
        next.into_iter().try_for_each(|to| {
            way.push(to);
            let flow = self.each_chain(grid, seat, way, visit);
            way.pop();
            flow
        })
    }

    /// Calls `visit` with every turn of a seat.
    fn each_turn(
        &self,
        grid: &Grid,
        seat: Seat,
        visit: &mut dyn FnMut(&[usize]) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        if self.must_jump(grid, seat) {
            return grid
                .of(seat)
                .iter()
                .try_for_each(|from| self.each_chain(grid, seat, &mut vec![from], visit));
        }
        grid.of(seat).iter().try_for_each(|from| {
            let targets = self.ways(grid, from, seat).map(|step| Grid::step(from, step));
            targets.filter(|to| grid.is_free(*to)).try_for_each(|to| visit(&[from, to]))
        })
    }

    /// The end of the game before a turn of this seat, if there is one.
    fn judge(&self, grid: &Grid, next: Seat) -> Option<End> {
        if grid.of(next).is_empty() {
            return Some(End::win(other(next), "captured"));
        }
        if self.each_turn(grid, next, &mut |_| ControlFlow::Break(())).is_continue() {
            return Some(End::win(other(next), "blocked"));
        }
        (self.quiet >= QUIET).then_some(End { winner: None, reason: "quiet" })
    }

    fn sign(&self, grid: &Grid, cell: usize) -> char {
        let sign = grid.sign(cell);
        if self.kings.contains(cell) { sign.to_ascii_uppercase() } else { sign }
    }

    /// The rule that a turn breaks which is none of [`Self::each_turn`].
    fn refuse(&self, grid: &Grid, seat: Seat, (mv, way): (&Way, &[usize])) -> Refusal {
        let (mut longer, mut jump) = (None, None);
        let _ = self.each_turn(grid, seat, &mut |turn| {
            let spell = || Way::of(turn.iter().map(|cell| grid.name(*cell))).to_string();
            if longer.is_none() && turn.starts_with(way) {
                longer = Some(spell());
            }
            jump = jump.take().or_else(|| Some(spell()));
            ControlFlow::Continue(())
        });
        let jump = jump.filter(|_| self.must_jump(grid, seat));
        Refusal::Rule(match (longer, jump) {
            (Some(longer), _) => format!("{mv} must jump on, such as {longer}"),
            (None, Some(jump)) => format!("you must jump where you can, such as {jump}"),
            _ => {
                format!("{mv} is not a step of this piece: men go one cell diagonally ahead, kings also back")
            }
        })
    }
}

impl Rules for Kings {
    const META: &'static Meta = &META;
    const CHEQUERED: bool = true;
    const ROLES: [&'static str; 2] = ["x, moves up", "o, moves down"];

    type Move = Way;

    fn setup(_: &GameOptions) -> (Self, Board) {
        let mut grid = Grid::new(Shape::Square, SIZE, SIZE, Names { from_below: true, ..Names::default() });
        let dark =
            (0..SIZE * SIZE).map(|at| (at / SIZE, at % SIZE)).filter(|(row, column)| (row + column) % 2 == 1);
        for (row, column) in dark {
            let cell = grid.cell_at(row, column);
            match row {
                _ if row < FILLED => grid.put(cell, other(Seat::FIRST)),
                _ if row >= SIZE - FILLED => grid.put(cell, Seat::FIRST),
                _ => {}
            }
        }
        (Self { kings: Cells::NONE, quiet: 0 }, Board::new(grid, false))
    }

    fn write(&self, board: &Board) -> (String, String) {
        (board.grid.write_rows(|cell| self.sign(&board.grid, cell)), self.quiet.to_string())
    }

    fn read_parts(&mut self, board: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        const PARTS: &str = "the rows from the top joined by `/`, the seat to move, and the turns without a capture or a man's move";
        board.grid.read(&rows.replace('X', "x").replace('O', "o"))?;
        for (cell, row, sign) in board.grid.read_rows(rows)? {
            let (line, column) = board.grid.row_and_column(cell);
            let goal = if sign == 'x' { 0 } else { SIZE - 1 };
            if sign != '.' && ((line + column) % 2 == 0 || sign.is_lowercase() && line == goal) {
                return Err(PositionError::Cell { row, found: sign });
            }
            if sign.is_uppercase() {
                self.kings.insert(cell);
            }
        }
        let quiet = rest.parse::<u8>().ok().filter(|quiet| quiet.to_string() == rest);
        self.quiet = quiet.ok_or(PositionError::Parts { expected: PARTS })?;
        Ok(())
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        self.judge(&board.grid, board.two.next)
    }

    fn play(&mut self, board: &mut Board, mv: Way) -> Result<Option<End>, Refusal> {
        let seat = board.two.next;
        let cells: Result<Vec<usize>, Refusal> = mv.cells().map(|place| board.find(place)).collect();
        let way = cells?;
        let (Some(from), Some(to)) = (way.first().copied(), way.last().copied()) else {
            return Err(Refusal::Rule("a move has two cells at least".to_owned()));
        };
        mv.cells().next().map_or(Ok(from), |place| board.find_own(place))?;
        let find = &mut |turn: &[usize]| {
            if turn == way { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        if self.each_turn(&board.grid, seat, find).is_continue() {
            return Err(self.refuse(&board.grid, seat, (&mv, &way)));
        }
        let is_jump = self.must_jump(&board.grid, seat);
        let was_king = self.kings.contains(from);
        let is_king = was_king || self.is_crowned(&board.grid, (from, to), seat);
        board.grid.clear(from);
        self.kings.remove(from);
        for pair in way.windows(2).filter(|_| is_jump) {
            if let [one, two] = pair {
                board.grid.clear(half(*one, *two));
                self.kings.remove(half(*one, *two));
            }
        }
        board.grid.put(to, seat);
        if is_king {
            self.kings.insert(to);
        }
        self.quiet = if is_jump || !was_king { 0 } else { self.quiet.saturating_add(1) };
        Ok(self.judge(&board.grid, other(seat)))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Way) -> ControlFlow<()>) {
        let grid = &board.grid;
        let visit = &mut |turn: &[usize]| visit(Way::of(turn.iter().map(|cell| grid.name(*cell))));
        let _ = self.each_turn(grid, board.two.next, visit);
    }

    /// Reads `11-15` and `11x18x25`, and a chain by its ends where it is the only one between these.
    fn read(&self, board: &Board, text: &str) -> Option<Way> {
        let cells = read_numbers(text)?;
        let (count, typed) = (cells.len(), Way::of(cells));
        let mut fitting = Vec::new();
        self.each_move(board, &mut |mv| {
            if mv.ends() == typed.ends() {
                fitting.push(mv);
            }
            ControlFlow::Continue(())
        });
        match fitting.as_slice() {
            [only] if count == 2 => Some(*only),
            _ => Some(typed),
        }
    }

    fn may_read(text: &str) -> bool {
        read_numbers(text).is_some()
    }

    fn add_to_key(&self, key: Key) -> Key {
        self.kings.add_to(key).with(u64::from(self.quiet))
    }

    fn piece(&self, board: &Board, cell: usize) -> Piece {
        match board.grid.owner(cell).filter(|_| self.kings.contains(cell)) {
            None => board.grid.piece(cell),
            owner => Piece::Token {
                sign: self.sign(&board.grid, cell),
                owner,
                look: Look { figure: Figure::Crowned, ..Look::default() },
            },
        }
    }

    /// The lead in men, a king counting as much as one and a half.
    fn estimate(&self, board: &Board) -> i32 {
        let count = |seat| {
            let men = board.grid.of(seat);
            2 * men.len() as i32 + men.iter().filter(|cell| self.kings.contains(*cell)).count() as i32
        };
        count(Seat::FIRST) - count(other(Seat::FIRST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_rules::{Game, Seed};

    crate::tests::game_tests!(super::Checkers, "checkers");

    fn after(position: &str, mv: &str) -> String {
        let options = GameOptions::defaults(META.options);
        let mut game = Checkers::parse_position(&options, 2, &Seed::default(), position).unwrap();
        match game.read(mv) {
            Err(error) => error.to_string(),
            Ok(mv) => game.play(&mv).map_or_else(|refusal| refusal.to_string(), |_| game.to_string()),
        }
    }

    #[test]
    fn sentences_of_the_rules() {
        let start = Checkers::setup(&GameOptions::defaults(META.options), 2, &Seed::default()).to_string();
        let chain = "......../......../.....o../......../...o..../..x...../......../......x. 1 7";
        let crowned = "......../....o.o./...x..../......../......../......../......../........ 1 7";
        let cases = [
            (
                start.as_str(),
                "c3-d5",
                "c3-d5 is not a step of this piece: men go one cell diagonally ahead, kings also back",
            ),
            (start.as_str(), "c3-c9", "c9 is outside the board, whose corners are a1 and h8"),
            (start.as_str(), "b6-a5", "there is no piece of yours on b6"),
            (chain, "g1-f2", "you must jump where you can, such as c3-e5-g7"),
            (chain, "c3-e5", "c3-e5 must jump on, such as c3-e5-g7"),
            (
                chain,
                "c3xe5xg7",
                "......../......x./......../......../......../......../......../......x. 2 0",
            ),
            (chain, "11-25", "......../......x./......../......../......../......../......../......x. 2 0"),
            (crowned, "d6-f8-h6", "you must jump where you can, such as d6-f8"),
            (crowned, "d6-f8", ".....X../......o./......../......../......../......../......../........ 2 0"),
        ];
        for (position, mv, expected) in cases {
            assert_eq!(after(position, mv), expected, "{mv}");
        }
    }

    #[test]
    fn eighty_quiet_turns_are_a_tie_and_a_shut_in_side_has_lost() {
        let options = GameOptions::defaults(META.options);
        let read =
            |position: &str| Checkers::parse_position(&options, 2, &Seed::default(), position).unwrap();
        let mut game = read("......../X......./......../......../......../......../.......O/........ 1 78");
        game.play(&"a7-b8".parse().unwrap()).unwrap();
        assert_eq!(game.board.two.end, None);
        let mut game = read("......../X......./......../......../......../......../.......O/........ 1 79");
        assert_eq!(game.board.two.end, None);
        game.play(&"a7-b8".parse().unwrap()).unwrap();
        assert_eq!(game.board.two.end, Some(End { winner: None, reason: "quiet" }));
        let game = read("......../......../.......o/......x./.....x../......../......../........ 2 0");
        assert_eq!(game.board.two.end, Some(End::win(Seat::FIRST, "blocked")));
    }

    #[test]
    fn squares_are_numbered_as_in_books() {
        let names = [(1, "g1"), (4, "a1"), (5, "h2"), (32, "b8"), (11, "c3"), (15, "d4")];
        for (number, name) in names {
            assert_eq!(numbered(number).unwrap().to_string(), name);
        }
        assert_eq!((numbered(0), numbered(33)), (None, None));
    }
}

//! Nine Men's Morris: close mills of three and take a man for each. Known since antiquity. Names of points are those of
//! pbmserv.

use knotpost_rules::{
    Abilities, Ability, GameKind, GameOptions, Key, Meta, Part, PositionError, Seat, SyntaxError,
    kit::{self, Board, Cells, End, Grid, Names, Place, Play, Refusal, Rules, Spelt, other},
    view::Shape,
};
use std::{fmt, ops::ControlFlow, str::FromStr};

/// A game of Nine Men's Morris.
pub type Nmm = Play<Men>;

/// The men still in hand, and the turns in a row without placing or taking.
#[derive(Clone, Debug)]
pub struct Men {
    hand: [u8; 2],
    quiet: u8,
}

/// Men of a seat.
const MEN: u8 = 9;
/// A mill has as many; a seat with fewer has lost, and one with as many flies.
const FEW: u32 = 3;
/// Quiet turns that are a tie.
const QUIET: u8 = 100;
/// Rows and columns.
const SIZE: usize = 7;
/// The points of each mill, by row and column, in their order on the line.
const MILLS: [[(usize, usize); 3]; 16] = [
    [(0, 0), (0, 3), (0, 6)],
    [(1, 1), (1, 3), (1, 5)],
    [(2, 2), (2, 3), (2, 4)],
    [(3, 0), (3, 1), (3, 2)],
    [(3, 4), (3, 5), (3, 6)],
    [(4, 2), (4, 3), (4, 4)],
    [(5, 1), (5, 3), (5, 5)],
    [(6, 0), (6, 3), (6, 6)],
    [(0, 0), (3, 0), (6, 0)],
    [(1, 1), (3, 1), (5, 1)],
    [(2, 2), (3, 2), (4, 2)],
    [(0, 3), (1, 3), (2, 3)],
    [(4, 3), (5, 3), (6, 3)],
    [(2, 4), (3, 4), (4, 4)],
    [(1, 5), (3, 5), (5, 5)],
    [(0, 6), (3, 6), (6, 6)],
];

/// The cell of a row and column, as [`Grid::cell_at`] numbers it on this board.
const fn cell((row, column): (usize, usize)) -> usize {
    (row + 1) * (SIZE + 1) + column + 1
}

static META: Meta = Meta {
    name: "nmm",
    title: "Nine Men's Morris",
    aliases: &["morris", "mill"],
    kind: GameKind::Capture,
    weight: 2,
    length: 60,
    rules_version: 1,
    players: 2..=2,
    options: &[],
    presets: &[],
    trial: "",
    abilities: Abilities::of(&[Ability::Undo, Ability::Draw]),
    seat_names: &[&["X", "O"]],
    credit: "traditional, known since antiquity",
    contact: None,
    summary: "close mills and take men",
    help: || kit::write_help::<Nmm>(include_str!("help.txt")),
    lessons: include_str!("lessons.json"),
    puzzles: "",
};

/// A turn: a man from a point or from the hand, to a point, and the man that it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Turn {
    from: Option<Place>,
    to: Place,
    takes: Option<Place>,
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.from.map_or(Ok(()), |from| write!(f, "{from}-"))?;
        write!(f, "{}", self.to)?;
        self.takes.map_or(Ok(()), |takes| write!(f, "x{takes}"))
    }
}

impl FromStr for Turn {
    type Err = SyntaxError;

    /// Reads `a1`, `a1xd3`, `a1-a4` and `A1A4XG7`.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let (way, taken) = match text.split_once(['x', 'X']) {
            Some((way, taken)) => (way, Some(taken)),
            None => (text, None),
        };
        let takes = taken.map(|taken| Place::read_all(taken, &[]).unwrap_or_default());
        match (Place::read_all(way, &['-']).as_deref(), takes.as_deref()) {
            (Some([to]), None) => Ok(Self { from: None, to: *to, takes: None }),
            (Some([from, to]), None) => Ok(Self { from: Some(*from), to: *to, takes: None }),
            (Some([to]), Some([takes])) => Ok(Self { from: None, to: *to, takes: Some(*takes) }),
            (Some([from, to]), Some([takes])) => Ok(Self { from: Some(*from), to: *to, takes: Some(*takes) }),
            _ => Err(SyntaxError::new(text, "a point or two, and x with the man taken, such as a1-a4xg7")),
        }
    }
}

impl Spelt for Turn {
    type Step = Self;

    fn parts(&self) -> Vec<Part> {
        let to = match &self.from {
            Some(from) => vec![Part::from("", from), Part::to("-", &self.to)],
            None => vec![Part::spot("", &self.to)],
        };
        to.into_iter().chain(self.takes.map(|takes| Part::spot("x", &takes))).collect()
    }

    fn tell(&self) -> String {
        let how = match self.from {
            Some(from) => format!("moves the man on {from} to {}", self.to),
            None => format!("puts a man on {}", self.to),
        };
        let takes = self.takes.map_or_else(String::new, |takes| format!(" and takes the one on {takes}"));
        format!("Type points: {self} {how}{takes}.")
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        (self.from.into_iter().chain([self.to]).collect(), self.from.is_some())
    }
}

/// True if a seat with these men has a mill through a point.
fn is_milled(men: &Cells, point: usize) -> bool {
    let mills = MILLS.iter().map(|mill| mill.map(cell)).filter(|mill| mill.contains(&point));
    { mills }.any(|mill| mill.iter().all(|point| men.contains(*point)))
}

/// The points next to a point.
fn beside(point: usize) -> Cells {
    let mut next = Cells::NONE;
    for [one, middle, other] in MILLS.map(|mill| mill.map(cell)) {
        if point == middle {
            next.insert(one);
            next.insert(other);
        } else if point == one || point == other {
            next.insert(middle);
        }
    }
    next
}

impl Men {
    fn in_hand(&self, seat: Seat) -> u8 {
        self.hand.get(seat.index()).copied().unwrap_or(0)
    }

    /// The points to which a man of the seat can move.
    fn targets(grid: &Grid, from: usize, seat: Seat) -> Cells {
        let free = grid.free();
        if grid.of(seat).len() == FEW { free } else { free.minus(free.minus(beside(from))) }
    }

    /// The men that a turn to `to` may take; `None` where it closes no mill.
    fn takeable(grid: &Grid, seat: Seat, from: Option<usize>, to: usize) -> Option<Cells> {
        let mut own = grid.of(seat);
        if let Some(from) = from {
            own.remove(from);
        }
        own.insert(to);
        if !is_milled(&own, to) {
            return None;
        }
        let men = grid.of(other(seat));
        let mut loose = men;
        men.iter().filter(|man| is_milled(&men, *man)).for_each(|man| loose.remove(man));
        Some(if loose.is_empty() { men } else { loose })
    }

    /// Calls `visit` with every turn of a seat.
    fn each_turn(
        &self,
        grid: &Grid,
        seat: Seat,
        visit: &mut dyn FnMut(Turn) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut each = |from: Option<usize>, to: usize| {
            let turn = Turn { from: from.map(|from| grid.name(from)), to: grid.name(to), takes: None };
            match Self::takeable(grid, seat, from, to).filter(|men| !men.is_empty()) {
                None => visit(turn),
                Some(men) => {
                    { men }.iter().try_for_each(|man| visit(Turn { takes: Some(grid.name(man)), ..turn }))
                }
            }
        };
        if self.in_hand(seat) > 0 {
            return grid.free().iter().try_for_each(|to| each(None, to));
        }
        grid.of(seat).iter().try_for_each(|from| {
            Self::targets(grid, from, seat).iter().try_for_each(|to| each(Some(from), to))
        })
    }

    /// The end of the game before a turn of this seat, if there is one.
    fn judge(&self, grid: &Grid, next: Seat) -> Option<End> {
        let men = |seat| grid.of(seat).len() + u32::from(self.in_hand(seat));
        let lost = [next, other(next)].into_iter().find(|seat| men(*seat) < FEW);
        if let Some(seat) = lost {
            return Some(End::win(other(seat), "captured"));
        }
        if self.each_turn(grid, next, &mut |_| ControlFlow::Break(())).is_continue() {
            return Some(End::win(other(next), "blocked"));
        }
        (self.quiet >= QUIET).then_some(End { winner: None, reason: "quiet" })
    }

    /// The cell that the man of a turn leaves.
    ///
    /// # Errors
    /// The seat has men in hand and moves one, or has none and places one; the man cannot go there.
    fn lift(&self, board: &Board, mv: Turn, to: usize) -> Result<Option<usize>, Refusal> {
        let seat = board.two.next;
        let rule = |text: String| Err(Refusal::Rule(text));
        match (mv.from, self.in_hand(seat)) {
            (None, 0) => rule(format!(
                "all your men are placed: say which one goes to {}, such as a1-{}",
                mv.to, mv.to
            )),
            (None, _) => Ok(None),
            (Some(_), 1..) => rule("as long as you have men in hand you place one of them".to_owned()),
            (Some(place), 0) => {
                let from = board.find_own(place)?;
                if Self::targets(&board.grid, from, seat).contains(to) {
                    return Ok(Some(from));
                }
                rule(format!("{} is not next to {place} on a line", mv.to))
            }
        }
    }
}

impl Rules for Men {
    const META: &'static Meta = &META;
    const ROLES: [&'static str; 2] = ["x", "o"];

    type Move = Turn;

    fn setup(_: &GameOptions) -> (Self, Board) {
        let grid = Grid::new(Shape::Points, SIZE, SIZE, Names::default());
        let points = MILLS.iter().flatten().map(|place| cell(*place));
        let mut holes = grid.cells();
        points.for_each(|point| holes.remove(point));
        (Self { hand: [MEN; 2], quiet: 0 }, Board::new(grid.without(holes.iter()), false))
    }

    fn write(&self, board: &Board) -> (String, String) {
        let [first, second] = self.hand;
        (board.grid.to_string(), format!("{first}-{second} {}", self.quiet))
    }

    fn read_parts(&mut self, board: &mut Board, rows: &str, rest: &str) -> Result<(), PositionError> {
        const PARTS: &str = "the points of the seven rows joined by `/`, the seat to move, the men in hand, such as 9-9, and the quiet turns";
        board.grid.read(rows)?;
        let number = |word: &str| word.parse::<u8>().ok().filter(|number| number.to_string() == word);
        let numbers = rest.split_once(' ').and_then(|(hand, quiet)| {
            let (first, second) = hand.split_once('-')?;
            Some(([number(first)?, number(second)?], number(quiet)?))
        });
        (self.hand, self.quiet) = numbers.ok_or(PositionError::Parts { expected: PARTS })?;
        let men = |seat: Seat| board.grid.of(seat).len() + u32::from(self.in_hand(seat));
        match [Seat::FIRST, other(Seat::FIRST)].map(men).into_iter().find(|men| *men > u32::from(MEN)) {
            Some(men) => {
                Err(PositionError::Special(format!("a seat has {men} men instead of {MEN} at most")))
            }
            None => Ok(()),
        }
    }

    fn take_up(&mut self, board: &Board) -> Option<End> {
        self.judge(&board.grid, board.two.next)
    }

    fn play(&mut self, board: &mut Board, mv: Turn) -> Result<Option<End>, Refusal> {
        let (seat, to) = (board.two.next, board.find_free(mv.to)?);
        let from = self.lift(board, mv, to)?;
        let may_take = Self::takeable(&board.grid, seat, from, to).filter(|men| !men.is_empty());
        let takes = mv.takes.map(|man| board.find(man)).transpose()?;
        match (may_take, takes, mv.takes) {
            (Some(men), Some(man), _) if men.contains(man) => {}
            (None, None, _) => {}
            (Some(men), None, _) => {
                let example = men.nth(0).map_or_else(String::new, |man| board.grid.name(man).to_string());
                return Err(Refusal::Rule(format!(
                    "this closes a mill: say whom it takes, such as {mv}x{example}"
                )));
            }
            (Some(_), Some(man), Some(name)) if board.grid.owner(man) == Some(other(seat)) => {
                return Err(Refusal::Rule(format!(
                    "the man on {name} is safe in a mill while others are not"
                )));
            }
            (Some(_), _, Some(name)) => {
                return Err(Refusal::Rule(format!("there is no man of the other side on {name}")));
            }
            (_, Some(_), _) => return Err(Refusal::Rule("this closes no mill and takes nothing".to_owned())),
        }
        from.into_iter().chain(takes).for_each(|cell| board.grid.clear(cell));
        board.grid.put(to, seat);
        if let Some(hand) = self.hand.get_mut(seat.index()).filter(|_| from.is_none()) {
            *hand -= 1;
        }
        self.quiet = if from.is_some() && takes.is_none() { self.quiet.saturating_add(1) } else { 0 };
        Ok(self.judge(&board.grid, other(seat)))
    }

    fn each_move(&self, board: &Board, visit: &mut dyn FnMut(Turn) -> ControlFlow<()>) {
        let _ = self.each_turn(&board.grid, board.two.next, visit);
    }

    fn add_to_key(&self, key: Key) -> Key {
        key.with(u64::from_le_bytes([self.hand[0], self.hand[1], self.quiet, 0, 0, 0, 0, 0]))
    }

    fn lines(&self) -> Vec<[usize; 2]> {
        MILLS.map(|[from, _, to]| [cell(from), cell(to)]).to_vec()
    }

    /// The lead in men.
    fn estimate(&self, board: &Board) -> i32 {
        let men = |seat| (board.grid.of(seat).len() + u32::from(self.in_hand(seat))) as i32;
        men(Seat::FIRST) - men(other(Seat::FIRST))
    }

    fn role(&self, seat: Seat) -> String {
        let sign = if seat == Seat::FIRST { "x" } else { "o" };
        match self.in_hand(seat) {
            0 => sign.to_owned(),
            men => format!("{sign}, {men} in hand"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_rules::{Game, Seed};

    crate::tests::game_tests!(super::Nmm, "nmm");

    fn after(position: &str, mv: &str) -> Result<Nmm, String> {
        let options = GameOptions::defaults(META.options);
        let mut game = Nmm::parse_position(&options, 2, &Seed::default(), position).unwrap();
        game.play(&mv.parse().unwrap()).map(|_| game).map_err(|error| error.to_string())
    }

    #[test]
    fn refusals_name_the_rule() {
        let placing = "xx./.../.../....../.../.../o.o 1 7-7 0";
        let moving = "xx./x../.../....../.oo/.../oo. 1 0-0 0";
        let cases = [
            (placing, "g1", "this closes a mill: say whom it takes, such as g1xa7"),
            (placing, "g1xb6", "there is no man of the other side on b6"),
            (placing, "b2xa7", "this closes no mill and takes nothing"),
            (placing, "a1-a4", "as long as you have men in hand you place one of them"),
            (placing, "a1", "a1 is taken"),
            (placing, "a2", "a2 is outside the board, whose corners are a1 and g7"),
            (moving, "g1", "all your men are placed: say which one goes to g1, such as a1-g1"),
        ];
        for (position, mv, refusal) in cases {
            assert_eq!(after(position, mv).map(|game| game.to_string()), Err(refusal.to_owned()), "{mv}");
        }
        let moving = "xx./x.x/.../....../.oo/.../oo. 1 0-0 0";
        assert_eq!(after(moving, "a1-g1").unwrap_err(), "g1 is not next to a1 on a line");
    }

    #[test]
    fn men_in_mills_are_safe_unless_all_are() {
        let position = "xx./.../.../....../.../o../ooo 1 7-5 0";
        assert_eq!(
            after(position, "g1xa7").unwrap_err(),
            "the man on a7 is safe in a mill while others are not"
        );
        assert!(after(position, "g1xb6").is_ok());
        assert!(after("xx./.../.../....../.../.../ooo 1 7-6 0", "g1xa7").is_ok());
    }

    #[test]
    fn three_men_fly_and_a_hundred_quiet_turns_are_a_tie() {
        let game = after("x.x/x../.../....../.oo/.../oo. 1 0-0 99", "a1-g7").unwrap();
        assert_eq!(game.board.two.end, Some(End { winner: None, reason: "quiet" }));
    }
}

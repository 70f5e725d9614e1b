//! Osbox: push knot dice into a box and close thick knots. Rules and dice by Cameron Browne, 2008.

mod bot;
mod help;
mod moves;
mod rules;
mod text;
mod view;

pub use bot::BOT;
pub use moves::{OsboxIllegal, OsboxMove};

use knotpost_rules::{
    Game, GameOptions, Key, Meta, Outcome, PositionError, Scores, Seat, Seats, Seed, SyntaxError,
    knot::{ClosedPath, Face, Knotwork, Place, Places, Shape},
    lead,
};
use moves::Line;
use rules::{Capture, Knots, META, Rules, Scoring};

/// The most seats at a board.
const MAX_SEATS: usize = 4;

/// A game of Osbox in progress.
#[derive(Clone, Debug)]
pub struct Osbox {
    rules: Rules,
    dice: Knotwork,
    /// The number of dice on the board.
    count: u16,
    points: [u32; MAX_SEATS],
    next: Seat,
    retired: Seats,
}

impl Osbox {
    /// The side of the square board.
    pub const fn size(&self) -> u8 {
        self.rules.size
    }

    /// True if every cell holds a die.
    fn is_full(&self) -> bool {
        self.count >= u16::from(self.rules.size) * u16::from(self.rules.size)
    }

    /// The line behind an entry the mover may use.
    fn find_line(&self, entry: u8) -> Result<Line, OsboxIllegal> {
        if self.is_full() {
            return Err(OsboxIllegal::Over);
        }
        let line =
            self.rules.line(entry).ok_or(OsboxIllegal::NoEntry { entry, most: 4 * self.rules.size })?;
        if !self.rules.owns(self.next, line.from) {
            let seat = self.rules.seat_name(self.next);
            return Err(OsboxIllegal::NotYourSide { entry, seat, sides: self.rules.sides_of(self.next) });
        }
        Ok(line)
    }

    /// True if the line has an empty cell.
    fn has_gap(&self, line: Line) -> bool {
        let cells = std::iter::successors(Some(line.first), |place| Some(place.beyond(line.inward)));
        cells.take(usize::from(self.rules.size)).any(|place| self.dice.face(place).is_none())
    }

    /// The entries the seat to move can push at, ascending; none when over.
    fn open_entries(&self) -> impl Iterator<Item = u8> {
        let usable = |entry: &u8| self.find_line(*entry).is_ok_and(|line| self.has_gap(line));
        (1..=4 * self.rules.size).filter(usable)
    }

    /// True if a path that this move closed scores.
    const fn scores_path(&self, path: ClosedPath) -> bool {
        matches!(path.shape, Shape::Thick) || matches!(self.rules.knots, Knots::ThinToo)
    }

    /// Takes the dice of the scoring paths off.
    fn capture(&mut self, visited: Places) {
        for place in visited.iter() {
            self.dice.remove(place);
            self.count -= 1;
        }
    }

    /// Passes the turn on, skipping retired seats; when all have retired it stays where it is.
    fn advance(&mut self) {
        let mut index = self.next.index();
        for _ in 0..self.rules.seats {
            index = if index + 1 == self.rules.seats { 0 } else { index + 1 };
            if let Some(seat) = Seat::from_index(index).filter(|seat| !self.retired.contains(*seat)) {
                self.next = seat;
                return;
            }
        }
    }
}

impl Game for Osbox {
    const META: &'static Meta = &META;

    type Move = OsboxMove;
    type Step = OsboxMove;
    type Illegal = OsboxIllegal;

    fn setup(options: &GameOptions, players: usize, _: &Seed) -> Self {
        Self {
            rules: Rules::new(options, players),
            dice: Knotwork::default(),
            count: 0,
            points: [0; MAX_SEATS],
            next: Seat::FIRST,
            retired: Seats::NONE,
        }
    }

    fn read_position(&mut self, text: &str) -> Result<(), PositionError> {
        text::read(text, self)
    }

    fn is_over(&self) -> bool {
        self.is_full()
    }

    fn next_seat(&self) -> Seat {
        self.next
    }

    fn play(&mut self, mv: &OsboxMove) -> Result<u32, OsboxIllegal> {
        let line = self.find_line(mv.entry)?;
        let pushed = self.dice.push(mv.face, line.first, line.inward, self.rules.size);
        let run = pushed.ok_or(OsboxIllegal::FullLine { entry: mv.entry })?;
        self.count += 1;
        let (mut crossings, mut visited) = (0, Places::default());
        self.dice.closed_paths(run, |path| {
            if self.scores_path(path) {
                crossings += path.length;
                visited.extend(self.dice.visited(path));
            }
        });
        let mut gain = 0;
        if crossings > 0 {
            gain = match self.rules.scoring {
                Scoring::Crossings => crossings,
                Scoring::Dice => visited.len(),
            };
            if self.rules.capture == Capture::Take {
                self.capture(visited);
            }
        }
        if let Some(points) = self.points.get_mut(self.next.index()) {
            *points = points.saturating_add(gain);
        }
        self.advance();
        Ok(gain)
    }

    fn retire(&mut self, seat: Seat) {
        self.retired = self.retired.with(seat);
        if self.next == seat {
            self.advance();
        }
    }

    fn legal_moves(&self) -> Vec<OsboxMove> {
        let entries = self.open_entries();
        entries.flat_map(|entry| Face::ALL.map(|face| OsboxMove { face, entry })).collect()
    }

    fn example_move(&self) -> Option<OsboxMove> {
        // The crossing fits anywhere and reads like a move, not like a word.
        let face = Face::from_letter('o')?;
        self.open_entries().next().map(|entry| OsboxMove { face, entry })
    }

    /// A face and an open entry, each as likely as any other.
    fn pick(&self, below: &mut dyn FnMut(u32) -> u32) -> Option<OsboxMove> {
        let entries = self.open_entries().count() as u32;
        if entries == 0 {
            return None;
        }
        let choice = below(entries * Face::ALL.len() as u32);
        let face = Face::ALL.get((choice / entries) as usize).copied()?;
        self.open_entries().nth((choice % entries) as usize).map(|entry| OsboxMove { face, entry })
    }

    fn key(&self) -> u64 {
        let dice = self.dice.add_rows(Key::EMPTY, 1, self.rules.size);
        let points = self.points.iter().fold(dice, |key, points| key.with(u64::from(*points)));
        points.with_seats(self.next, self.retired).finish()
    }

    fn estimate(&self, seat: Seat) -> i32 {
        lead(self.points.get(..self.rules.seats).unwrap_or_default(), seat)
    }

    fn scores(&self) -> Scores {
        Scores::Points(self.points.iter().take(self.rules.seats).copied().collect())
    }

    fn result_by_scores(&self) -> Outcome {
        let standing = |(index, points): (usize, &u32)| {
            let active = Seat::from_index(index).is_some_and(|seat| !self.retired.contains(seat));
            (active, *points)
        };
        let mut keys = [(false, 0); MAX_SEATS];
        for (key, place) in keys.iter_mut().zip(self.points.iter().enumerate()) {
            *key = standing(place);
        }
        Outcome::rank(keys.get(..self.rules.seats).unwrap_or_default(), "score")
    }
}

/// The form of a move, to complete "a move is ...".
const MOVE_SHAPE: &str = "a face a to o and an entry number, such as d2 or d:2";

/// Refuses a text that is no move.
fn refuse(text: &str) -> SyntaxError {
    SyntaxError::new(text, MOVE_SHAPE)
}

/// The cell in the row from the top and the column from the left, both from 0.
const fn place_at(row: u8, column: u8) -> Place {
    Place::new(row + 1, column + 1)
}

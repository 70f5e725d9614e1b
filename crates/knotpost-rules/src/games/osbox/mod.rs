//! Osbox: push knot dice into a box and close thick knots. Rules and dice by Cameron Browne, 2008.

mod help;
mod moves;
mod rules;
mod text;
mod view;

pub use moves::{OsboxIllegal, OsboxMove};

use crate::{
    choice::Part,
    error::{PositionError, SyntaxError},
    game::Game,
    help::HelpPage,
    knot::{ClosedPath, Knotwork, Place, Places, Shape},
    meta::Meta,
    options::GameOptions,
    seat::{Seat, Seats},
    seed::Seed,
    turn::{Outcome, Scores, Status},
    view::{View, Viewer},
};
use moves::Line;
use rules::{Capture, Knots, META, Rules, Scoring};

/// The most seats at a board.
const MOST_SEATS: usize = 4;

/// A game of Osbox in progress.
#[derive(Clone, Debug)]
pub struct Osbox {
    rules: Rules,
    dice: Knotwork,
    /// How many dice lie on the board.
    count: u16,
    points: [u32; MOST_SEATS],
    next: Seat,
    retired: Seats,
    /// What the last move did, for the view; never part of the truth.
    last: LastMove,
}

/// Traces of the last move.
#[derive(Clone, Debug, Default)]
struct LastMove {
    entry: Option<u8>,
    /// Where dice were taken off.
    removed: Places,
    /// Their faces, valid at `removed` only.
    faces: Knotwork,
}

impl Osbox {
    /// The side of the square board.
    pub const fn size(&self) -> u8 {
        self.rules.size
    }

    /// Whether every cell holds a die.
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

    /// Whether the line has an empty cell.
    fn has_gap(&self, line: Line) -> bool {
        let cells = std::iter::successors(Some(line.first), |place| Some(place.beyond(line.inward)));
        cells.take(usize::from(self.rules.size)).any(|place| self.dice.face(place).is_none())
    }

    /// The entries the seat to move can push at, ascending; none when over.
    fn open_entries(&self) -> impl Iterator<Item = u8> {
        let usable = |entry: &u8| self.find_line(*entry).is_ok_and(|line| self.has_gap(line));
        (1..=4 * self.rules.size).filter(usable)
    }

    /// Whether a path that this move closed scores.
    const fn scores_path(&self, path: ClosedPath) -> bool {
        matches!(path.shape, Shape::Thick) || matches!(self.rules.knots, Knots::ThinToo)
    }

    /// Takes the dice of the scoring paths off, remembering them for the view.
    fn capture(&mut self, visited: Places) {
        for place in visited.iter() {
            if let Some(face) = self.dice.face(place) {
                self.last.faces.put(place, face);
                self.dice.remove(place);
                self.count -= 1;
            }
        }
        self.last.removed = visited;
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
    type Move = OsboxMove;
    type Illegal = OsboxIllegal;

    fn meta() -> &'static Meta {
        &META
    }

    fn help() -> HelpPage {
        help::write()
    }

    fn setup(options: &GameOptions, players: usize, _: &Seed) -> Self {
        Self {
            rules: Rules::new(options, players),
            dice: Knotwork::default(),
            count: 0,
            points: [0; MOST_SEATS],
            next: Seat::FIRST,
            retired: Seats::NONE,
            last: LastMove::default(),
        }
    }

    fn parse_position(
        options: &GameOptions,
        players: usize,
        seed: &Seed,
        text: &str,
    ) -> Result<Self, PositionError> {
        let mut game = Self::setup(options, players, seed);
        text::read(text, &mut game)?;
        Ok(game)
    }

    fn position(&self) -> String {
        text::write(self)
    }

    fn status(&self) -> Status {
        if self.is_full() { Status::Over(self.result_by_scores()) } else { Status::ToAct(self.next) }
    }

    fn next_seat(&self) -> Seat {
        self.next
    }

    fn play(&mut self, mv: &OsboxMove) -> Result<u32, OsboxIllegal> {
        let line = self.find_line(mv.entry)?;
        let pushed = self.dice.push(mv.face, line.first, line.inward, self.rules.size);
        let run = pushed.ok_or(OsboxIllegal::FullLine { entry: mv.entry })?;
        self.count += 1;
        self.last.entry = Some(mv.entry);
        self.last.removed = Places::default();
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
        entries.flat_map(|entry| crate::knot::Face::ALL.map(|face| OsboxMove { face, entry })).collect()
    }

    fn parts(mv: &OsboxMove) -> Vec<Part> {
        vec![Part::face("", mv.face), Part::spot("", &mv.entry)]
    }

    fn example_move(&self) -> Option<OsboxMove> {
        // The crossing fits anywhere and reads like a move, not like a word.
        let face = crate::knot::Face::from_letter('o')?;
        self.open_entries().next().map(|entry| OsboxMove { face, entry })
    }

    fn scores(&self) -> Scores {
        Scores::Points(self.points.iter().take(self.rules.seats).copied().collect())
    }

    fn result_by_scores(&self) -> Outcome {
        let standing = |(index, points): (usize, &u32)| {
            let active = Seat::from_index(index).is_some_and(|seat| !self.retired.contains(seat));
            (active, *points)
        };
        let keys: Vec<_> = self.points.iter().take(self.rules.seats).enumerate().map(standing).collect();
        Outcome::rank(&keys, "score")
    }

    fn view(&self, _: Viewer) -> View {
        view::draw(self)
    }
}

/// What a move of the game looks like, to complete "a move is ...".
const MOVE_SHAPE: &str = "a face a to o and an entry number, such as d2 or d:2";

/// Refuses a text that is no move.
fn refuse(text: &str) -> SyntaxError {
    SyntaxError::new(text, MOVE_SHAPE)
}

/// The cell in the row from the top and the column from the left, both from 0.
const fn place_at(row: u8, column: u8) -> Place {
    Place::new(row + 1, column + 1)
}

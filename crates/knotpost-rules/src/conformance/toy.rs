//! The toy game of the kit: take one to three matches from a heap; whoever takes the last one wins.

use crate::{
    Abilities, Game, GameKind, GameOptions, HelpPage, Meta, Outcome, Scores, Seat, Seats, Seed, Show,
    SyntaxError, View, Viewer,
    error::PositionError,
    options::{NumberOption, OptionSpec},
    view::{Look, Panel, Piece, Shape},
};
use std::{fmt, str::FromStr};

static META: Meta = Meta {
    name: "matches",
    title: "Matches",
    aliases: &[],
    kind: GameKind::Blockade,
    weight: 1,
    length: 8,
    rules_version: 1,
    players: 2..=3,
    options: &OPTIONS,
    presets: &[],
    trial: "",
    abilities: Abilities::of(&[]),
    seat_names: &[&["First", "Second"], &["First", "Second", "Third"]],
    credit: "traditional",
    contact: None,
    summary: "take the last match",
    help: || HelpPage::open(&META).section("A turn", "Take one, two or three matches."),
    lessons: "",
    puzzles: "",
};

static OPTIONS: [OptionSpec; 1] = [HEAP.spec()];

static HEAP: NumberOption = NumberOption {
    name: "heap",
    min: 1,
    max: 40,
    default: "15",
    help: "Matches in the heap.",
    excludes: &[],
};

/// A game of matches.
#[derive(Clone, Debug)]
pub struct Toy {
    heap: u32,
    seats: usize,
    next: Seat,
    last: Option<Seat>,
    retired: Seats,
}

impl fmt::Display for Toy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.heap, self.next, self.last.map_or(0, Seat::number))
    }
}

/// Matches to take, 1 to 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Take(u32);

impl fmt::Display for Take {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Take {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        match text {
            "1" => Ok(Self(1)),
            "2" => Ok(Self(2)),
            "3" => Ok(Self(3)),
            _ => Err(SyntaxError::new(text, "1, 2 or 3")),
        }
    }
}

/// More matches than there are.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the heap has only {0} matches")]
pub struct TooMany(u32);

impl Toy {
    fn advance(&mut self) {
        let following =
            (1..=self.seats).filter_map(|step| Seat::from_index((self.next.index() + step) % self.seats));
        self.next = following.into_iter().find(|seat| !self.retired.contains(*seat)).unwrap_or(self.next);
    }
}

impl Game for Toy {
    const META: &'static Meta = &META;

    type Move = Take;
    type Step = Take;
    type Illegal = TooMany;

    fn setup(options: &GameOptions, players: usize, _: &Seed) -> Self {
        let heap = HEAP.of(options) as u32;
        Self { heap, seats: players, next: Seat::FIRST, last: None, retired: Seats::NONE }
    }

    fn read_position(&mut self, text: &str) -> Result<(), PositionError> {
        let read = |part: &str| part.parse().ok().filter(|number: &u32| number.to_string() == part);
        let parts: Option<Vec<u32>> = text.split(' ').map(read).collect();
        let Some([heap, next, last]) = parts.as_deref() else {
            return Err(PositionError::Parts {
                expected: "the heap, the seat to move and the last taker or 0",
            });
        };
        let seats = self.seats;
        let seat =
            |number: u32| u8::try_from(number).ok().and_then(Seat::new).filter(|seat| seat.index() < seats);
        self.heap = *heap;
        self.next = seat(*next).ok_or(PositionError::Seat { seats })?;
        self.last = seat(*last);
        if self.last.is_none() && *last != 0 {
            return Err(PositionError::Seat { seats });
        }
        Ok(())
    }

    fn is_over(&self) -> bool {
        self.heap == 0
    }

    fn next_seat(&self) -> Seat {
        self.next
    }

    fn play(&mut self, mv: &Take) -> Result<u32, TooMany> {
        self.heap = self.heap.checked_sub(mv.0).ok_or(TooMany(self.heap))?;
        self.last = Some(self.next);
        self.advance();
        Ok(0)
    }

    fn retire(&mut self, seat: Seat) {
        self.retired = self.retired.with(seat);
        if self.next == seat {
            self.advance();
        }
    }

    fn legal_moves(&self) -> Vec<Take> {
        (1..=self.heap.min(3)).map(Take).collect()
    }

    fn scores(&self) -> Scores {
        let won = |seat| u32::from(self.heap == 0 && self.last == Some(seat));
        Scores::Points(Seats::first(self.seats).iter().map(won).collect())
    }

    fn result_by_scores(&self) -> Outcome {
        let Scores::Points(points) = self.scores() else { return Outcome::rank::<u8>(&[], "score") };
        Outcome::rank(&points, "last match")
    }
}

impl Show for Toy {
    type Trace = ();

    fn view(&self, (): &(), _: Viewer) -> View {
        let cells: Vec<_> =
            (0..self.heap).map(|_| Piece::Token { sign: '|', owner: None, look: Look::default() }).collect();
        let panel = Panel { shape: Shape::Square, columns: cells.len(), cells, ..Panel::default() };
        let legend = "Type how many matches to take.".to_owned();
        View { panels: vec![panel], legend, ..View::default() }
    }
}

//! Names of cells, moves that are spelt by them, and why one is refused.

use crate::{choice::Part, error::SyntaxError};
use std::{fmt, hash::Hash, str::FromStr};

/// The way cells of a board are named.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Letters name rows from the top and numbers columns, instead of the other way round.
    pub lettered_rows: bool,
    /// Row 1 is the lowest one.
    pub from_below: bool,
    /// No column is called `i`.
    pub without_i: bool,
}

/// A cell by its name, a letter and a number: `f6`. It is a move as well, of games that place a stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The letter, lower case.
    pub letter: u8,
    /// The number, from 1.
    pub number: u8,
}

impl Place {
    /// Reads letter and number in either order and case.
    fn read(text: &str) -> Option<Self> {
        let (letter, digits) = match text.as_bytes() {
            [letter, digits @ ..] | [digits @ .., letter] if letter.is_ascii_alphabetic() => (letter, digits),
            _ => return None,
        };
        let number = match digits {
            [units @ b'1'..=b'9'] => units - b'0',
            [tens @ b'1'..=b'9', units @ b'0'..=b'9'] => 10 * (tens - b'0') + (units - b'0'),
            _ => return None,
        };
        Some(Self { letter: letter.to_ascii_lowercase(), number })
    }
}

impl Place {
    /// Reads cells one after the other, between them one of these signs or none: `d1-d7/g7`, `d1d7g7`.
    pub fn read_all(text: &str, between: &[char]) -> Option<Vec<Self>> {
        let mut cells = Vec::new();
        for word in text.split(between) {
            let starts = |(at, pair): (usize, &[u8])| match pair {
                [before, after] => (before.is_ascii_digit() && after.is_ascii_alphabetic()).then_some(at + 1),
                _ => None,
            };
            let mut begin = 0;
            let is_lettered = word.starts_with(|sign: char| sign.is_ascii_alphabetic());
            for end in word.as_bytes().windows(2).enumerate().filter_map(starts).filter(|_| is_lettered) {
                cells.push(Self::read(word.get(begin..end)?)?);
                begin = end;
            }
            cells.push(Self::read(word.get(begin..)?)?);
        }
        Some(cells)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(self.letter), self.number)
    }
}

impl FromStr for Place {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        Self::read(text).ok_or_else(|| SyntaxError::new(text, "a cell, such as c3"))
    }
}

/// A move from a cell to another: `e2-e3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shift {
    /// The cell it leaves.
    pub from: Place,
    /// The cell it goes to.
    pub to: Place,
}

impl fmt::Display for Shift {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.from, self.to)
    }
}

impl FromStr for Shift {
    type Err = SyntaxError;

    /// Reads `e2-e3` and `E2E3`.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let (from, to) = text.split_once('-').unwrap_or_else(|| {
            let letter = text.char_indices().skip(1).find(|(_, sign)| sign.is_ascii_alphabetic());
            text.split_at(letter.map_or(0, |(at, _)| at))
        });
        let pair = Place::read(from).zip(Place::read(to));
        let (from, to) =
            pair.ok_or_else(|| SyntaxError::new(text, "from a cell to a cell, such as c2-c3"))?;
        Ok(Self { from, to })
    }
}

/// A move of the kit.
pub trait Spelt:
    Clone + Eq + Hash + fmt::Debug + fmt::Display + FromStr<Err = SyntaxError> + Send + Sync + 'static
{
    /// A step of a move that is put together step by step; the move itself where it is a single step.
    type Step: Copy + Eq + Hash + Into<Self> + TryFrom<Self>;

    /// A begun move with one step more.
    fn join(_begun: Option<&Self>, step: Self::Step) -> Self {
        step.into()
    }

    /// The parts that are pointed at.
    fn parts(&self) -> Vec<Part>;

    /// An example of typing a move, as a sentence.
    fn tell(&self) -> String;

    /// The cells that are marked when it was the last move, and whether an arrow leads from the first to the last.
    fn marks(&self) -> (Vec<Place>, bool);
}

impl Spelt for Place {
    type Step = Self;

    fn parts(&self) -> Vec<Part> {
        vec![Part::spot("", self)]
    }

    fn tell(&self) -> String {
        format!("A move is an empty cell: {self} places a stone there.")
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        (vec![*self], false)
    }
}

impl Spelt for Shift {
    type Step = Self;

    fn parts(&self) -> Vec<Part> {
        vec![Part::from("", &self.from), Part::to("-", &self.to)]
    }

    fn tell(&self) -> String {
        let Self { from, to } = self;
        format!("A move says from where to where: {self} moves the piece on {from} to {to}.")
    }

    fn marks(&self) -> (Vec<Place>, bool) {
        (vec![self.from, self.to], true)
    }
}

/// The reason a move is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// The board has no such cell.
    #[error("{0} is outside the board, whose corners are {1}")]
    Outside(Place, String),
    /// A piece stands there.
    #[error("{0} is taken")]
    Taken(Place),
    /// Nothing there can be moved.
    #[error("there is no piece of yours on {0}")]
    NotYours(Place),
    /// A rule of the game.
    #[error("{0}")]
    Rule(String),
}

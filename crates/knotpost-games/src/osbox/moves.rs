//! Osbox moves: their text, the lines they push into, and why one is refused.

use super::refuse;
use knotpost_rules::{
    SyntaxError,
    knot::{Face, Place, Side},
};
use std::{fmt, str::FromStr};

/// Push this face onto the board at this entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OsboxMove {
    /// The die, as it will lie.
    pub face: Face,
    /// The entry's number, from 1.
    pub entry: u8,
}

impl fmt::Display for OsboxMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.face.letter(), self.entry)
    }
}

impl FromStr for OsboxMove {
    type Err = SyntaxError;

    /// Reads `f12`, `F12` and `f:12`.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let mut chars = text.chars();
        let face = chars.next().and_then(Face::from_letter).ok_or_else(|| refuse(text))?;
        let rest = chars.as_str();
        let digits = rest.strip_prefix(':').unwrap_or(rest);
        if digits.starts_with('0') || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(refuse(text));
        }
        let entry = digits.parse().map_err(|_| refuse(text))?;
        Ok(Self { face, entry })
    }
}

/// The refusal of an Osbox move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OsboxIllegal {
    /// The board is full.
    #[error("the game is over: the board is full")]
    Over,
    /// No entry has this number.
    #[error("there is no entry {entry}: this board has entries 1 to {most}")]
    NoEntry {
        /// As given.
        entry: u8,
        /// The highest number.
        most: u8,
    },
    /// The entry lies on a side the mover does not own.
    #[error("entry {entry} is not on a side of {seat}, who pushes from {sides}")]
    NotYourSide {
        /// As given.
        entry: u8,
        /// The mover's side name.
        seat: &'static str,
        /// The sides the mover owns.
        sides: &'static str,
    },
    /// The line has no empty cell.
    #[error("the line behind entry {entry} is full: a push needs an empty cell in it")]
    FullLine {
        /// As given.
        entry: u8,
    },
}

/// The four sides in the order of their entry numbers.
pub(super) const SIDES: [Side; 4] = [Side::West, Side::East, Side::North, Side::South];

/// A line of cells as seen from an entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    /// The side the entry is on.
    pub from: Side,
    /// The cell next to the entry.
    pub first: Place,
    /// The direction of a push.
    pub inward: Side,
}

impl Line {
    /// The line behind an entry; `None` for a number the board does not have. Entries count left, right, top,
    /// bottom, each side from the top or the left.
    pub(super) fn through(entry: u8, size: u8) -> Option<Self> {
        let mut along = entry.checked_sub(1)?;
        let mut side = 0;
        while along >= size {
            along -= size;
            side += 1;
            if side == SIDES.len() {
                return None;
            }
        }
        let from = SIDES.get(side).copied()?;
        let (first, inward) = match from {
            Side::West => (Place::new(along + 1, 1), Side::East),
            Side::East => (Place::new(along + 1, size), Side::West),
            Side::North => (Place::new(1, along + 1), Side::South),
            Side::South => (Place::new(size, along + 1), Side::North),
        };
        Some(Self { from, first, inward })
    }
}

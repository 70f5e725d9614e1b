//! Boxilies moves: their text, the cells they name, and why one is refused.

use super::stones::{Hand, Lie, Stone};
use knotpost_rules::SyntaxError;
use std::{fmt, str::FromStr};

/// A cell of the 3 x 3 board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell(u8);

impl Cell {
    /// All nine, rows from the top.
    pub const ALL: [Self; 9] =
        [Self(0), Self(1), Self(2), Self(3), Self(4), Self(5), Self(6), Self(7), Self(8)];

    /// The place in [`Self::ALL`].
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cell| cell.to_string().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Cell {
    /// Column letter and row from the bottom: `c2`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.0 % 3), 3 - self.0 / 3)
    }
}

/// Place this stone, lying so, on this cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BoxiliesMove {
    /// The stone with its turns.
    pub lie: Lie,
    /// Its destination.
    pub cell: Cell,
}

impl fmt::Display for BoxiliesMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.lie.stone(), self.cell, self.lie.turns())
    }
}

/// The form of a move, to complete "a move is ...".
const MOVE_SHAPE: &str = "a stone 1a to 5n, a cell a1 to c3 and 0 to 3 quarter turns, such as 3b:c2:1";

impl FromStr for BoxiliesMove {
    type Err = SyntaxError;

    /// Reads `3b:c2:1`, in either case; without turns, none are made.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let read = || {
            let mut parts = text.split(':');
            let stone = Stone::from_name(parts.next()?)?;
            let cell = Cell::from_name(parts.next()?)?;
            let turns = parts.next().map_or(Some(0), read_turns)?;
            parts.next().is_none().then(|| Self { lie: Lie::new(stone, turns), cell })
        };
        read().ok_or_else(|| SyntaxError::new(text, MOVE_SHAPE))
    }
}

/// Quarter turns as one digit.
pub(super) fn read_turns(text: &str) -> Option<u8> {
    ["0", "1", "2", "3"].into_iter().zip(0..).find_map(|(digit, turns)| (digit == text).then_some(turns))
}

/// The refusal of a Boxilies move.
#[derive(Clone, Copy, Debug, thiserror::Error)]
pub enum BoxiliesIllegal {
    /// All cells are taken.
    #[error("the game is over: all nine cells hold a stone")]
    Full,
    /// The seat to move has nothing to place; only positions that no game reaches are like this.
    #[error("the game is over: {seat} has no stone left to place")]
    NoStones {
        /// The mover's side name.
        seat: &'static str,
    },
    /// The stone is not the mover's to place.
    #[error("{seat} does not hold stone {stone}: the stones in that hand are {hand}")]
    NotInHand {
        /// As given.
        stone: Stone,
        /// The mover's side name.
        seat: &'static str,
        /// The mover's stones.
        hand: Hand,
    },
    /// The cell is taken.
    #[error("{cell} already holds a stone: a stone goes on an empty cell")]
    Taken {
        /// As given.
        cell: Cell,
    },
}

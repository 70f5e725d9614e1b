//! Refusals of turns and position strings. Every `Display` is one lower-case clause a player can act on.

use std::fmt;

/// Length of a player's own text that an error repeats.
const MAX_ECHO: usize = 40;

/// A turn was refused; nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// The text is not a move of this game.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The move exists but the rules forbid it here.
    #[error(transparent)]
    Illegal(#[from] Illegal),
}

/// A text that is not a move of the game, whatever the position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    given: String,
    expected: &'static str,
}

impl SyntaxError {
    /// `expected` completes the sentence "a move is ...".
    pub fn new(given: &str, expected: &'static str) -> Self {
        Self { given: given.to_owned(), expected }
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a move: a move is {}", echo(&self.given), self.expected)
    }
}

impl std::error::Error for SyntaxError {}

/// A move the rules forbid in this position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Illegal {
    clause: String,
}

impl Illegal {
    /// `clause` names the move and the rule it breaks.
    pub fn new(clause: impl Into<String>) -> Self {
        Self { clause: clause.into() }
    }
}

impl fmt::Display for Illegal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.clause)
    }
}

impl std::error::Error for Illegal {}

/// A text is not a position of this game under these options.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PositionError {
    /// The blank-separated parts are not those of the game.
    #[error("a position is {expected}")]
    Parts {
        /// Parts of the game's position strings.
        expected: &'static str,
    },
    /// Too few or too many rows.
    #[error("the board has {found} rows instead of {expected}")]
    Rows {
        /// Rows the board size asks for.
        expected: usize,
        /// Rows in the text.
        found: usize,
    },
    /// A row of the wrong width.
    #[error("row {row} from the top has {found} cells instead of {expected}")]
    Width {
        /// Counted from 1 at the top.
        row: usize,
        /// Cells the board size asks for.
        expected: usize,
        /// Cells in the text.
        found: usize,
    },
    /// A character that stands for nothing in a cell.
    #[error("`{}` in row {row} from the top is not a cell", found.escape_default())]
    Cell {
        /// Counted from 1 at the top.
        row: usize,
        /// The character.
        found: char,
    },
    /// Not the number of a seat at this board.
    #[error("the seat to move is a number from 1 to {seats}")]
    Seat {
        /// Seats at the board.
        seats: usize,
    },
    /// The scores are not one number a seat.
    #[error("the scores are {seats} numbers joined by `-`")]
    Scores {
        /// Seats at the board.
        seats: usize,
    },
    /// Something only this game asks of its positions.
    #[error("{0}")]
    Special(String),
}

/// A player's own text, made safe to repeat in a sentence.
pub fn echo(text: &str) -> String {
    let mut safe: String =
        text.chars().take(MAX_ECHO).map(|c| if c.is_control() { '?' } else { c }).collect();
    if text.chars().nth(MAX_ECHO).is_some() {
        safe.push_str("...");
    }
    safe
}

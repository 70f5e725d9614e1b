//! Obsidio moves: their text, and why one is refused. The text names squares only; what they are good for is decided
//! by the game.

use super::grid::Square;
use knotpost_rules::SyntaxError;
use std::{fmt, str::FromStr};

/// The most squares a move can name: all targets of the largest board.
const MAX_SQUARES: usize = 25;

/// The form of a move, to complete "a move is ...".
const MOVE_SHAPE: &str =
    "a dark cell such as c3, two light cells such as c2,e4 or targets to claim such as b2,d4";

/// The squares of a turn in the order they are played: a dark cell, one or two light cells, or targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ObsidioMove {
    /// The squares beyond `count` are all alike.
    squares: [Square; MAX_SQUARES],
    count: u8,
}

impl ObsidioMove {
    /// One token, or the claim of one target.
    pub fn single(square: Square) -> Self {
        let mut squares = [Square::default(); MAX_SQUARES];
        squares[0] = square;
        Self { squares, count: 1 }
    }

    /// Two tokens on light cells.
    pub fn pair(first: Square, second: Square) -> Self {
        let mut squares = [Square::default(); MAX_SQUARES];
        [squares[0], squares[1]] = [first, second];
        Self { squares, count: 2 }
    }

    /// This move with a square more; the same when it is as long as a move can be.
    pub(super) fn with(mut self, square: Square) -> Self {
        if let Some(slot) = self.squares.get_mut(usize::from(self.count)) {
            *slot = square;
            self.count += 1;
        }
        self
    }

    /// The squares in the order they are played; at least one.
    pub fn squares(&self) -> &[Square] {
        self.squares.get(..usize::from(self.count)).unwrap_or(&self.squares)
    }
}

impl From<Square> for ObsidioMove {
    fn from(square: Square) -> Self {
        Self::single(square)
    }
}

impl TryFrom<ObsidioMove> for Square {
    type Error = SeveralSquares;

    fn try_from(mv: ObsidioMove) -> Result<Self, SeveralSquares> {
        if let [only] = mv.squares() { Ok(*only) } else { Err(SeveralSquares) }
    }
}

/// A move is more than one square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the move names several squares")]
pub struct SeveralSquares;

impl fmt::Display for ObsidioMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, square) in self.squares().iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{square}")?;
        }
        Ok(())
    }
}

impl FromStr for ObsidioMove {
    type Err = SyntaxError;

    /// Reads `c3`, `c2,e4` and `B2,D4,F6`.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let refuse = || SyntaxError::new(text, MOVE_SHAPE);
        let mut squares = [Square::default(); MAX_SQUARES];
        let mut count = 0;
        for word in text.split(',') {
            let square = squares.get_mut(usize::from(count)).ok_or_else(refuse)?;
            *square = word.parse().map_err(|_| refuse())?;
            count += 1;
        }
        Ok(Self { squares, count })
    }
}

/// The refusal of an Obsidio move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ObsidioIllegal {
    /// The game has ended.
    #[error("the game is over: {winner} has won")]
    Over {
        /// The winner's side name.
        winner: &'static str,
    },
    /// The board has no such square.
    #[error("there is no square {square}: this board has a1 to {last}")]
    NoSquare {
        /// As given.
        square: Square,
        /// The upper right corner.
        last: Square,
    },
    /// A square is named more than once.
    #[error("{square} is named twice")]
    Repeated {
        /// As given.
        square: Square,
    },
    /// A dark cell is not the only one named.
    #[error("{square} is a dark cell: one token on a dark cell is the whole turn")]
    DarkIsAll {
        /// The dark cell.
        square: Square,
    },
    /// More than two light cells.
    #[error("a turn places at most two tokens, both on light cells")]
    TooMany,
    /// The second token of a pair is not on a light cell.
    #[error(
        "{square} is not a light cell: after a token on a light cell the second one goes on a light cell too"
    )]
    SecondNotLight {
        /// The second square.
        square: Square,
    },
    /// Something lies there.
    #[error("{square} is not empty: a token goes on an empty cell")]
    Occupied {
        /// As given.
        square: Square,
    },
    /// The first token is not seen from the last one.
    #[error(
        "{square} is out of sight of {origin}, where the last token went: a turn starts in a straight line from there over empty cells only"
    )]
    OutOfSight {
        /// As given.
        square: Square,
        /// The cell of the last token.
        origin: Square,
    },
    /// The second token touches the first.
    #[error(
        "{second} touches {first}: the second token goes on a light cell that the first one sees but does not touch"
    )]
    SecondTouches {
        /// The first square.
        first: Square,
        /// The second square.
        second: Square,
    },
    /// The second token is not seen from the first.
    #[error(
        "{second} is out of sight of {first}: the second token goes on a light cell that the first one sees but does not touch"
    )]
    SecondOutOfSight {
        /// The first square.
        first: Square,
        /// The second square.
        second: Square,
    },
    /// A second token is possible and therefore due.
    #[error(
        "a second light token is due, because {first} sees light cells it does not touch: for example {first},{example}"
    )]
    SecondDue {
        /// The only square given.
        first: Square,
        /// A place for the second.
        example: Square,
    },
    /// A claim names a square that is no target.
    #[error("{square} is not a target: a turn claims targets or places tokens, not both")]
    NotTarget {
        /// As given.
        square: Square,
    },
    /// The target belongs to somebody.
    #[error("{square} is already claimed by {owner}")]
    Claimed {
        /// As given.
        square: Square,
        /// The owner's side name.
        owner: &'static str,
    },
    /// Too few own tokens around the target.
    #[error("{square} has only {count} of the four tokens of {seat} around it that a claim needs")]
    FewTokens {
        /// As given.
        square: Square,
        /// The mover's side name.
        seat: &'static str,
        /// Own tokens on its eight neighbours.
        count: u32,
    },
}

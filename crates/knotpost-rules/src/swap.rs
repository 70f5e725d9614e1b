//! The right to change sides in answer to the first move, for games that swap there.

use crate::{game::Forbidden, seat::Seat};

/// The right of the second seat to swap. It is part of a game from its start alone, never of a position string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwapRight {
    /// The first move is still to come.
    Later,
    /// It is the answer to the first move.
    Now,
    /// Used or let go, or the game began from a position.
    Gone,
    /// Not part of what is played on this board.
    Never,
}

impl SwapRight {
    /// The right after a move.
    #[must_use]
    pub const fn after_move(self) -> Self {
        match self {
            Self::Later => Self::Now,
            Self::Now | Self::Gone => Self::Gone,
            Self::Never => Self::Never,
        }
    }

    /// Returns true if the seat to move may swap in a game that is not over.
    pub fn is_for(self, next: Seat) -> bool {
        self == Self::Now && next != Seat::FIRST
    }

    /// The right after a swap.
    ///
    /// # Errors
    /// Unless the seat to move may swap.
    pub fn used(self, next: Seat) -> Result<Self, Forbidden> {
        match self {
            Self::Never => Err(Forbidden::NotNow("there is no swap on this board: it is an option, -swap")),
            _ if self.is_for(next) => Ok(Self::Gone),
            _ => {
                Err(Forbidden::NotNow("only the second player may swap, and only instead of the first move"))
            }
        }
    }
}

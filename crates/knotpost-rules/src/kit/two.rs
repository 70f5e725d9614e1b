//! Two seats that move in turn: who is next, who has left, whether sides may be changed, how it ended.

use crate::{
    game::Forbidden,
    seat::{Seat, Seats},
    swap::SwapRight,
    turn::Outcome,
};

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// The winner; `None` for a tie.
    pub winner: Option<Seat>,
    /// One word: what decided.
    pub reason: &'static str,
}

impl End {
    /// A win.
    pub const fn win(winner: Seat, reason: &'static str) -> Self {
        Self { winner: Some(winner), reason }
    }

    pub(super) fn outcome(self) -> Outcome {
        let seats = [Seat::FIRST, other(Seat::FIRST)];
        Outcome::rank(&seats.map(|seat| self.winner == Some(seat)), self.reason)
    }
}

/// The opponent's seat.
pub fn other(seat: Seat) -> Seat {
    Seat::from_index(1 - seat.index().min(1)).unwrap_or(Seat::FIRST)
}

/// The state of two seats.
#[derive(Clone, Copy, Debug)]
pub struct Two {
    /// The seat to move or, when over, the one that would be next.
    pub next: Seat,
    /// The seats that have left.
    pub retired: Seats,
    /// The right to change sides.
    pub swap: SwapRight,
    /// The end; `None` while it goes on.
    pub end: Option<End>,
}

impl Two {
    /// The start, with or without the right of the second seat to change sides.
    pub const fn new(swap: bool) -> Self {
        let swap = if swap { SwapRight::Later } else { SwapRight::Gone };
        Self { next: Seat::FIRST, retired: Seats::NONE, swap, end: None }
    }

    /// Gives the turn to the other seat, unless it has left.
    pub(super) fn advance(&mut self) {
        if !self.retired.contains(other(self.next)) {
            self.next = other(self.next);
        }
    }

    pub(super) fn retire(&mut self, seat: Seat) {
        self.retired = self.retired.with(seat);
        if self.next == seat {
            self.advance();
        }
    }

    pub(super) fn may_swap(&self) -> bool {
        self.end.is_none() && self.swap.is_for(self.next)
    }

    pub(super) fn swap(&mut self) -> Result<(), Forbidden> {
        let right = if self.end.is_some() { SwapRight::Gone } else { self.swap };
        self.swap = right.used(self.next)?;
        Ok(())
    }
}

//! How long is played: so many moves, and no longer than a time.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Shared by all tables.
#[derive(Debug)]
pub(crate) struct Budget {
    moves: AtomicI64,
    until: Option<Instant>,
}

impl Budget {
    pub(crate) fn new(moves: u32, time: Option<Duration>) -> Self {
        Self { moves: AtomicI64::new(i64::from(moves)), until: time.map(|time| Instant::now() + time) }
    }

    /// Takes one move off; `false`: none is left.
    pub(crate) fn draw(&self) -> bool {
        !self.is_late() && self.moves.fetch_sub(1, Ordering::Relaxed) > 0
    }

    /// Whether nobody gets another move.
    pub(crate) fn is_spent(&self) -> bool {
        self.is_late() || self.moves.load(Ordering::Relaxed) <= 0
    }

    fn is_late(&self) -> bool {
        self.until.is_some_and(|until| Instant::now() >= until)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_with_its_moves_or_with_its_time() {
        let moves = Budget::new(2, None);
        assert_eq!([moves.draw(), moves.draw(), moves.draw()], [true, true, false]);
        assert!(moves.is_spent());
        let time = Budget::new(2, Some(Duration::ZERO));
        assert!(time.is_spent() && !time.draw());
    }
}

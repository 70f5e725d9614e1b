//! The length of a trial: a number of moves, and a time limit.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// The number of mistakes made at once, and again in every hour. A server answers 2,000 an hour and ignores the rest, so
/// that it does not become a source of backscatter.
const MISTAKES: f64 = 900.0;
/// The same for questions and challenges that are mailed: they prove nothing. A server mails 200 answers an hour to such
/// senders of a domain, and puts off what would be more.
const QUESTIONS: f64 = 150.0;

/// Shared by all tables.
#[derive(Debug)]
pub(crate) struct Budget {
    moves: AtomicI64,
    mistakes: AtomicI64,
    questions: AtomicI64,
    since: Instant,
    until: Option<Instant>,
}

impl Budget {
    pub(crate) fn new(moves: u32, time: Option<Duration>) -> Self {
        let since = Instant::now();
        let until = time.map(|time| since + time);
        Self {
            moves: AtomicI64::new(i64::from(moves)),
            mistakes: AtomicI64::new(0),
            questions: AtomicI64::new(0),
            since,
            until,
        }
    }

    /// Takes one mistake; `false` when one more would not be answered.
    pub(crate) fn may_err(&self) -> bool {
        self.may_make(&self.mistakes, MISTAKES)
    }

    /// The same for a question, or a challenge that is mailed.
    pub(crate) fn may_ask(&self) -> bool {
        self.may_make(&self.questions, QUESTIONS)
    }

    fn may_make(&self, made: &AtomicI64, an_hour: f64) -> bool {
        let hours = self.since.elapsed().as_secs_f64() / 3600.0;
        let most = (an_hour * (1.0 + hours)) as i64;
        let one_more = |made: i64| (made < most).then_some(made + 1);
        made.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_more).is_ok()
    }

    /// Takes one move; `false` when none is left.
    pub(crate) fn draw(&self) -> bool {
        !self.is_late() && self.moves.fetch_sub(1, Ordering::Relaxed) > 0
    }

    /// Uses up what is left.
    pub(crate) fn end(&self) {
        self.moves.store(0, Ordering::Relaxed);
    }

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

    #[test]
    fn no_more_is_asked_than_is_answered() {
        let budget = Budget::new(2, None);
        assert_eq!((0..5_000).filter(|_| budget.may_err()).count(), 900);
        assert_eq!((0..5_000).filter(|_| budget.may_ask()).count(), 150);
    }
}

//! How many mails are taken at once, when, and for how long what they say is true: by how busy the server is, and how
//! soon they leave.

use crate::domain::Millis;

/// So many mails are leased at once,
const LEAST: i64 = 16;
/// … and while these leave sooner than they have to be looked up again, twice as many each time, up to this. A relay
/// that is slow is not given more than it takes: what is leased waits longest when the server is killed.
const MOST: i64 = 64;
/// What a mail says is asked anew when it was not sent within this time, which handing it over may take as well.
const STILL_TRUE_MS: i64 = 250;
/// So long a mail lies before it is sent while the server is busy. Where moves follow each other in a moment, their
/// readers then get one mail instead of many, and nobody waits for a move because mail is being written.
const SETTLING_MS: i64 = 1_000;
/// A server that writes more often than this in a second is busy.
const BUSY: u64 = 200;

/// Whether a mail may say what was asked then.
pub(super) fn is_still_true(asked: Millis, now: Millis) -> bool {
    now.since(asked).0 < STILL_TRUE_MS
}

/// How often the database was written to when somebody looked last, and whether that was often.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    at: Millis,
    writes: u64,
    is_busy: bool,
}

impl Pace {
    /// Looks again, once in a second or less.
    pub(super) fn look(&mut self, now: Millis, writes: u64) {
        let passed = now.since(self.at).0.unsigned_abs();
        if passed < 1_000 {
            return;
        }
        let often = writes.saturating_sub(self.writes).saturating_mul(1_000) / passed;
        *self = Self { at: now, writes, is_busy: often > BUSY };
    }

    /// For how many milliseconds a mail lies before it is sent.
    pub(super) fn settling(self) -> i64 {
        if self.is_busy { SETTLING_MS } else { 0 }
    }
}

/// How many mails are leased at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portion {
    size: i64,
    /// Whether there were about as many the last time, and when that was.
    was_filled: bool,
    at: Millis,
}

impl Default for Portion {
    fn default() -> Self {
        Self { size: LEAST, was_filled: false, at: Millis(0) }
    }
}

impl Portion {
    /// How many to lease now.
    pub(super) fn next(&mut self, now: Millis) -> i64 {
        let have_left_soon = self.was_filled && now.since(self.at).0 < STILL_TRUE_MS;
        self.size = if have_left_soon { MOST.min(self.size * 2) } else { LEAST };
        self.size
    }

    pub(super) fn note(&mut self, leased: usize, now: Millis) {
        self.was_filled = leased > self.few();
        self.at = now;
    }

    /// Whether there were as many as ever are leased.
    pub(super) fn is_largest(self) -> bool {
        self.was_filled && self.size == MOST
    }

    /// With fewer than this in hand the next are leased, so that nobody has to wait for it.
    pub(super) fn few(self) -> usize {
        usize::try_from(self.size / 2).unwrap_or_default()
    }
}

/// What whoever fills the tray goes by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Measure {
    pub(super) pace: Pace,
    pub(super) portion: Portion,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_grow_while_they_leave_soon() {
        let mut portion = Portion::default();
        let mut lease = |at: i64, due: i64| {
            let size = portion.next(Millis(at));
            portion.note(usize::try_from(size.min(due)).unwrap(), Millis(at));
            size
        };
        assert_eq!([0, 9, 19, 29, 39].map(|at| lease(1_000_000 + at, 500)), [16, 32, 64, 64, 64]);
        assert_eq!(lease(1_000_050, 20), 64);
        assert_eq!(lease(1_000_060, 500), 16, "there were few");
        assert_eq!(lease(1_000_070, 500), 32);
        assert_eq!(lease(1_000_070 + STILL_TRUE_MS, 500), 16, "they took their time");
    }

    #[test]
    fn a_server_is_busy_when_it_writes_often_for_a_second() {
        let mut pace = Pace::default();
        pace.look(Millis(1_000_000), 50);
        assert!(!pace.is_busy);
        // A burst shorter than a second is none.
        pace.look(Millis(1_000_999), 900);
        assert!(!pace.is_busy);
        pace.look(Millis(1_001_000), 251);
        assert!(pace.is_busy);
        pace.look(Millis(1_003_000), 651);
        assert!(!pace.is_busy, "exactly as often as a quiet one may");
        pace.look(Millis(1_002_000), 9_000);
        assert!(!pace.is_busy, "the clock was put back");
    }
}

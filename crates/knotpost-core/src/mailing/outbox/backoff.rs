//! When to try again to send a mail that could not be sent.

/// A minute, in milliseconds.
const MINUTE: i64 = 60_000;
/// The longest pause between two attempts.
const LONGEST: i64 = 4 * 60 * MINUTE;
/// For how long attempts are made.
pub(super) const GIVE_UP_AFTER: i64 = 4 * 24 * 60 * MINUTE;

/// What to do after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// Try again after this many milliseconds.
    In(i64),
    /// It has been long enough.
    GiveUp,
}

/// The pause after the given number of failed attempts (1 = the first has just failed).
///
/// `age` is how long ago the mail was queued, in milliseconds; `random` is any number, from which the jitter of a
/// quarter to either side is made, so that mails that failed together are not tried together again.
pub(super) fn after_failure(attempts: u32, age: i64, random: u64) -> Retry {
    if age >= GIVE_UP_AFTER {
        return Retry::GiveUp;
    }
    let doublings = attempts.saturating_sub(1).min(16);
    let pause = MINUTE.saturating_mul(1 << doublings).min(LONGEST);
    let jitter = (random % (pause.unsigned_abs() / 2)) as i64 - pause / 4;
    Retry::In((pause + jitter).min((GIVE_UP_AFTER - age).max(MINUTE)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MIDDLE: fn(i64) -> u64 = |pause| pause.unsigned_abs() / 4;

    #[test]
    fn pauses_double_from_a_minute_to_four_hours() {
        let minutes = [1, 2, 4, 8, 16, 32, 64, 128, 240, 240];
        for (attempts, minutes) in (1..).zip(minutes) {
            let pause = minutes * MINUTE;
            assert_eq!(after_failure(attempts, 0, MIDDLE(pause)), Retry::In(pause));
        }
    }

    #[test]
    fn after_four_days_it_ends() {
        assert_eq!(after_failure(3, GIVE_UP_AFTER, 0), Retry::GiveUp);
        assert!(matches!(after_failure(30, GIVE_UP_AFTER - 1, 0), Retry::In(_)));
    }

    proptest! {
        #[test]
        fn every_pause_is_near_its_step(attempts in 0u32..u32::MAX, random: u64) {
            let Retry::In(pause) = after_failure(attempts, 0, random) else { return Err(TestCaseError::fail("gave up")) };
            prop_assert!((MINUTE * 3 / 4..=LONGEST * 5 / 4).contains(&pause));
        }
    }
}

//! Schedule of the attempts to send a mail that could not be sent.

/// A minute, in milliseconds.
const MINUTE: i64 = 60_000;
/// The longest pause between two attempts.
const LONGEST: i64 = 4 * 60 * MINUTE;
/// For how long attempts are made at least.
pub(super) const GIVE_UP_AFTER: i64 = 4 * 24 * 60 * MINUTE;
/// Least number of attempts: as many as fit into [`GIVE_UP_AFTER`] when every pause has the longest jitter. A
/// mail is old without them when the server stood still, or when an administrator has it tried once more.
const FEWEST_ATTEMPTS: u32 = attempts_within(GIVE_UP_AFTER);

/// Action after a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Retry {
    /// Try again after this many milliseconds.
    In(i64),
    /// It has been long enough.
    GiveUp,
}

/// The pause after the given number of failed attempts (1 = the first has just failed).
///
/// Attempts end when the mail is old enough and enough of them were made. `age` is how long ago the mail was queued, in
/// milliseconds; `random` is any number, from which the jitter of a quarter to either side is made, so that mails that
/// failed together are not tried together again.
pub(super) fn after_failure(attempts: u32, age: i64, random: u64) -> Retry {
    if age >= GIVE_UP_AFTER && attempts >= FEWEST_ATTEMPTS {
        return Retry::GiveUp;
    }
    let pause = step(attempts);
    let jitter = (random % (pause.unsigned_abs() / 2)) as i64 - pause / 4;
    let pause = pause + jitter;
    // The last attempt is made when the time is over, not hours later.
    let left = GIVE_UP_AFTER.saturating_sub(age);
    Retry::In(if left > 0 { pause.min(left.max(MINUTE)) } else { pause })
}

/// The pause after this many failed attempts, without jitter.
const fn step(attempts: u32) -> i64 {
    let doublings = attempts.saturating_sub(1);
    let doublings = if doublings < 16 { doublings } else { 16 };
    let pause = MINUTE << doublings;
    if pause < LONGEST { pause } else { LONGEST }
}

/// Number of attempts within this time when every pause is a quarter longer than its step.
const fn attempts_within(time: i64) -> u32 {
    let (mut attempts, mut passed) = (1, 0);
    loop {
        passed += step(attempts) / 4 * 5;
        if passed > time {
            return attempts;
        }
        attempts += 1;
    }
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
        assert_eq!(after_failure(FEWEST_ATTEMPTS, GIVE_UP_AFTER, 0), Retry::GiveUp);
        assert_eq!(after_failure(u32::MAX, i64::MAX, 0), Retry::GiveUp);
        assert!(matches!(after_failure(30, GIVE_UP_AFTER - 1, 0), Retry::In(_)));
    }

    #[test]
    fn an_old_mail_gets_the_attempts_and_pauses_of_a_new_one() {
        assert_eq!(FEWEST_ATTEMPTS, 27);
        let (mut age, mut attempts) = (GIVE_UP_AFTER, 1);
        while let Retry::In(pause) = after_failure(attempts, age, MIDDLE(step(attempts))) {
            assert_eq!(pause, step(attempts));
            (age, attempts) = (age + pause, attempts + 1);
        }
        assert_eq!(attempts, FEWEST_ATTEMPTS);
        assert!(age - GIVE_UP_AFTER > 3 * 24 * 60 * MINUTE, "{age}");
    }

    proptest! {
        #[test]
        fn a_mail_that_is_tried_all_the_time_is_given_up_after_four_days(randoms in prop::collection::vec(0u64.., 64)) {
            let (mut age, mut attempts) = (0, 1);
            for random in randoms {
                match after_failure(attempts, age, random) {
                    Retry::In(pause) => (age, attempts) = (age + pause, attempts + 1),
                    Retry::GiveUp => break,
                }
            }
            prop_assert!((GIVE_UP_AFTER..GIVE_UP_AFTER + MINUTE).contains(&age), "{attempts} attempts in {age}");
        }
    }

    proptest! {
        #[test]
        fn every_pause_is_near_its_step(attempts in 0u32..u32::MAX, random: u64) {
            let Retry::In(pause) = after_failure(attempts, 0, random) else { return Err(TestCaseError::fail("gave up")) };
            prop_assert!((MINUTE * 3 / 4..=LONGEST * 5 / 4).contains(&pause));
        }
    }
}

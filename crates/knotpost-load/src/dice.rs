//! Repeatable randomness: players, killers and the sink draw from one seed, which is printed.

use std::ops::Range;
use std::time::Duration;

pub(crate) use fastrand::Rng as Dice;

/// True with a probability of `percent` in a hundred.
pub(crate) fn happens(dice: &mut Dice, percent: u64) -> bool {
    dice.u64(..100) < percent
}

/// A time within the range.
pub(crate) fn pause(dice: &mut Dice, range: &Range<Duration>) -> Duration {
    range.start + range.end.saturating_sub(range.start).mul_f64(dice.f64())
}

/// One of these by their shares, which must be a hundred together.
pub(crate) fn draw<T: Copy>(dice: &mut Dice, shares: &[(T, u64)]) -> anyhow::Result<T> {
    let (drawn, mut passed) = (dice.u64(..100), 0);
    let found = shares.iter().find(|(_, share)| {
        passed += share;
        drawn < passed
    });
    Ok(found.ok_or_else(|| anyhow::anyhow!("the shares are less than a hundred"))?.0)
}

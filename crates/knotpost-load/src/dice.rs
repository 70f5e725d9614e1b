//! Repeatable randomness: players, killers and the sink draw from one seed, which is printed.

use std::ops::Range;
use std::time::Duration;

/// A generator (`SplitMix64`, Steele, Lea and Flood 2014). Nothing secret depends on it.
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A second generator, whose draws are independent of this one's.
    pub(crate) fn split(&mut self) -> Self {
        Self(self.draw())
    }

    pub(crate) fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`; 0 when there is none.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.draw().checked_rem(end).unwrap_or(0)
    }

    /// True with a probability of `percent` in a hundred.
    pub(crate) fn happens(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }

    /// A time within `range`, its end excluded.
    pub(crate) fn pause(&mut self, range: &Range<Duration>) -> Duration {
        let width = range.end.saturating_sub(range.start).as_micros();
        range.start + Duration::from_micros(self.below(u64::try_from(width).unwrap_or(u64::MAX)))
    }

    /// A random element; `None` when there is none.
    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let index = self.below(from.len() as u64);
        from.get(usize::try_from(index).ok()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same() {
        let draws = |seed| {
            let mut dice = Dice::new(seed);
            (0..5).map(|_| dice.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draws(7), draws(7));
        assert_ne!(draws(7), draws(8));
    }

    #[test]
    fn a_pause_stays_within_its_range() {
        let range = Duration::from_millis(300)..Duration::from_secs(3);
        let mut dice = Dice::new(1);
        assert!((0..1000).all(|_| range.contains(&dice.pause(&range))));
        assert_eq!(dice.pause(&(Duration::ZERO..Duration::ZERO)), Duration::ZERO);
    }
}

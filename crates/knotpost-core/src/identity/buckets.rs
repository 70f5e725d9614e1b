//! Leaky buckets, one number per key: the moment at which the bucket will be empty again.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// A digest, so that keys are short whatever a stranger writes.
pub(crate) type Key = [u8; 16];

const SWEEP: u32 = 10_000;
/// Non-empty buckets per kind. Beyond it new keys are not counted; shares of all still are.
const MOST: usize = 500_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quota {
    burst: u32,
    period: Duration,
}

impl Quota {
    /// `burst` at once, refilled over `period`.
    pub(crate) fn new(burst: u32, period: Duration) -> Self {
        Self { burst: burst.max(1), period }
    }

    fn period(self) -> u64 {
        u64::try_from(self.period.as_nanos()).unwrap_or(u64::MAX)
    }

    fn step(self) -> u64 {
        self.period() / u64::from(self.burst)
    }
}

/// Buckets of one kind. Times are nanoseconds since the server started.
#[derive(Debug, Default)]
pub(crate) struct Buckets(Mutex<Levels>);

#[derive(Debug, Default)]
struct Levels {
    empty_at: HashMap<Key, u64>,
    uses: u32,
}

impl Buckets {
    /// Uses a bucket once; if full, returns the seconds until it has room.
    pub(crate) fn take(&self, key: Key, quota: Quota, now: u64) -> Result<(), u64> {
        let mut levels = self.lock(now);
        let filled = levels.level(&key, now).saturating_add(quota.step());
        let room = now.saturating_add(quota.period());
        // Steps are rounded down, so that a burst always fits.
        if filled > room {
            return Err(seconds(filled - room));
        }
        levels.set(key, filled);
        Ok(())
    }

    /// As [`Self::take`], without using it.
    pub(crate) fn look(&self, key: Key, quota: Quota, now: u64) -> Result<(), u64> {
        let filled = self.lock(now).level(&key, now).saturating_add(quota.step());
        let room = now.saturating_add(quota.period());
        if filled > room { Err(seconds(filled - room)) } else { Ok(()) }
    }

    /// Counts uses that happened anyway, up to a full bucket.
    pub(crate) fn add(&self, key: Key, quota: Quota, times: u32, now: u64) {
        let mut levels = self.lock(now);
        let more = quota.step().saturating_mul(u64::from(times));
        let filled = levels.level(&key, now).saturating_add(more);
        levels.set(key, filled.min(now.saturating_add(quota.period())));
    }

    pub(crate) fn give_back(&self, key: Key, quota: Quota, now: u64) {
        let mut levels = self.lock(now);
        let filled = levels.level(&key, now).saturating_sub(quota.step());
        levels.set(key, filled);
    }

    pub(crate) fn count(&self, key: Key, quota: Quota, now: u64) -> u64 {
        (self.lock(now).level(&key, now) - now).div_ceil(quota.step().max(1))
    }

    #[cfg(test)]
    pub(crate) fn forget(&self) {
        self.lock(0).empty_at.clear();
    }

    fn lock(&self, now: u64) -> MutexGuard<'_, Levels> {
        let mut levels = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        levels.uses += 1;
        if levels.uses >= SWEEP {
            levels.uses = 0;
            levels.empty_at.retain(|_, at| *at > now);
        }
        levels
    }
}

impl Levels {
    fn level(&self, key: &Key, now: u64) -> u64 {
        self.empty_at.get(key).copied().unwrap_or_default().max(now)
    }

    fn set(&mut self, key: Key, level: u64) {
        if self.empty_at.len() < MOST || self.empty_at.contains_key(&key) {
            self.empty_at.insert(key, level);
        }
    }
}

fn seconds(nanos: u64) -> u64 {
    nanos / 1_000_000_000 + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: Quota = Quota { burst: 2, period: Duration::from_hours(1) };
    const MINUTE: u64 = 60_000_000_000;

    #[test]
    fn a_bucket_takes_its_burst_and_drains_evenly() {
        let buckets = Buckets::default();
        let key = [1; 16];
        assert_eq!(buckets.take(key, HOUR, 0), Ok(()));
        assert_eq!(buckets.take(key, HOUR, 0), Ok(()));
        assert_eq!(buckets.take(key, HOUR, 0), Err(1801));
        assert_eq!(buckets.look(key, HOUR, 29 * MINUTE), Err(61));
        assert_eq!(buckets.take(key, HOUR, 30 * MINUTE), Ok(()));
        assert!(buckets.take(key, HOUR, 30 * MINUTE).is_err());
        assert_eq!(buckets.take([2; 16], HOUR, 0), Ok(()), "another bucket");
    }

    #[test]
    fn what_is_given_back_can_be_taken_again() {
        let buckets = Buckets::default();
        let key = [1; 16];
        for _ in 0..20 {
            assert_eq!(buckets.take(key, HOUR, 5), Ok(()));
            buckets.give_back(key, HOUR, 5);
        }
        assert_eq!(buckets.count(key, HOUR, 5), 0);
        buckets.give_back(key, HOUR, 5);
        assert_eq!(buckets.count(key, HOUR, 5), 0, "nobody gets more than the burst");
    }

    #[test]
    fn what_happened_in_any_case_fills_a_bucket_and_no_more() {
        let buckets = Buckets::default();
        let key = [1; 16];
        buckets.add(key, HOUR, 100, 0);
        assert_eq!(buckets.count(key, HOUR, 0), 2);
        assert_eq!(buckets.take(key, HOUR, 30 * MINUTE), Ok(()));
    }

    #[test]
    fn empty_buckets_are_swept_out() {
        let buckets = Buckets::default();
        for number in 0..SWEEP - 1 {
            let mut key = [0; 16];
            key[..4].copy_from_slice(&number.to_be_bytes());
            assert_eq!(buckets.take(key, HOUR, 0), Ok(()));
        }
        assert_eq!(buckets.take([255; 16], HOUR, 61 * MINUTE), Ok(()));
        assert_eq!(buckets.lock(61 * MINUTE).empty_at.len(), 1);
    }
}

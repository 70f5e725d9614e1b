//! How many mails are leased at once, how long due mail is held back on a busy server, and how long prefetched rows
//! stay valid. Arithmetic over times and counts: knows neither the database nor the transport.

use std::collections::VecDeque;

use knotpost_model::Millis;

/// The fewest mails leased at once.
const LEASE_MIN_MAILS: i64 = 16;
/// The most mails leased at once. The number doubles up to this while leased mails leave before their prefetched rows
/// expire. A slow relay is leased no more than it takes: after a crash leased mails wait for the end of the lease.
const LEASE_MAX_MAILS: i64 = 64;
/// How long prefetched rows stay valid. Handing a mail over may take as long.
const PREFETCH_VALID_MS: i64 = 250;
/// How long a due mail is held back while the server is busy. When moves follow each other quickly, their readers then
/// get one mail instead of many, and no move waits for mail being built.
const BUSY_HOLD_MS: i64 = 1_000;
const HOUR_MS: i64 = 60 * 60_000;
/// A server that writes more often than this is busy.
const BUSY_WRITES_PER_SECOND: u64 = 200;

/// Whether rows that were read then may still be sent.
pub(super) fn is_prefetch_valid(read_at: Millis, now: Millis) -> bool {
    now.since(read_at).0 < PREFETCH_VALID_MS
}

/// How often the database was written to, sampled at most once a second.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ServerLoad {
    at: Millis,
    writes: u64,
    is_busy: bool,
}

impl ServerLoad {
    /// Takes the number of writes so far into account, once a second or less.
    pub(super) fn sample(&mut self, now: Millis, writes: u64) {
        let passed = now.since(self.at).0.unsigned_abs();
        if passed < 1_000 {
            return;
        }
        let rate = writes.saturating_sub(self.writes).saturating_mul(1_000) / passed;
        *self = Self { at: now, writes, is_busy: rate > BUSY_WRITES_PER_SECOND };
    }

    /// How many milliseconds a due mail is held back.
    pub(super) fn hold_ms(self) -> i64 {
        if self.is_busy { BUSY_HOLD_MS } else { 0 }
    }
}

/// How many mails are leased at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct LeaseSize {
    mails: i64,
    /// Whether the last lease got about as many mails as it asked for, and when that was.
    was_filled: bool,
    at: Millis,
}

impl Default for LeaseSize {
    fn default() -> Self {
        Self { mails: LEASE_MIN_MAILS, was_filled: false, at: Millis(0) }
    }
}

impl LeaseSize {
    /// How many mails to lease now.
    pub(super) fn next(&mut self, now: Millis) -> i64 {
        let is_draining_fast = self.was_filled && now.since(self.at).0 < PREFETCH_VALID_MS;
        self.mails = if is_draining_fast { LEASE_MAX_MAILS.min(self.mails * 2) } else { LEASE_MIN_MAILS };
        self.mails
    }

    /// Records how many mails were leased.
    pub(super) fn record(&mut self, leased: usize, now: Millis) {
        self.was_filled = leased > self.refill_below();
        self.at = now;
    }

    /// Whether the last lease was of the largest size and got about as many.
    pub(super) fn is_max(self) -> bool {
        self.was_filled && self.mails == LEASE_MAX_MAILS
    }

    /// With fewer leased mails than this, more are leased, so that no worker has to wait for a lease.
    pub(super) fn refill_below(self) -> usize {
        usize::try_from(self.mails / 2).unwrap_or_default()
    }
}

/// How many mails may still be leased, so that in no hour more than a given number leaves.
#[derive(Clone, Debug, Default)]
pub(super) struct HourlyLimit {
    /// When mails were leased in the last hour, and how many.
    leased: VecDeque<(Millis, i64)>,
}

impl HourlyLimit {
    /// How many of at most `wanted` mails may be leased now; `per_hour` 0: all. A mail may leave up to `delay_ms` after
    /// it was leased.
    pub(super) fn grant(&mut self, wanted: i64, per_hour: u32, delay_ms: i64, now: Millis) -> i64 {
        if per_hour == 0 {
            return wanted;
        }
        // A clock that was put back must not hold mails back for longer than an hour.
        let is_past = |at: Millis| at > now || now.since(at).0 >= HOUR_MS + delay_ms;
        self.leased.retain(|(at, _)| !is_past(*at));
        let left: i64 = self.leased.iter().map(|(_, mails)| mails).sum();
        wanted.min(i64::from(per_hour).saturating_sub(left)).max(0)
    }

    /// Records how many mails were leased.
    pub(super) fn record(&mut self, leased: usize, now: Millis) {
        if leased > 0 {
            self.leased.push_back((now, i64::try_from(leased).unwrap_or(i64::MAX)));
        }
    }
}

/// What the worker that refills the buffer decides by.
#[derive(Clone, Debug, Default)]
pub(super) struct Pacing {
    pub(super) hourly: HourlyLimit,
    pub(super) load: ServerLoad,
    pub(super) lease_size: LeaseSize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leases_grow_while_mails_leave_quickly() {
        let mut size = LeaseSize::default();
        let mut lease = |at: i64, due: i64| {
            let mails = size.next(Millis(at));
            size.record(usize::try_from(mails.min(due)).unwrap(), Millis(at));
            mails
        };
        assert_eq!([0, 9, 19, 29, 39].map(|at| lease(1_000_000 + at, 500)), [16, 32, 64, 64, 64]);
        assert_eq!(lease(1_000_050, 20), 64);
        assert_eq!(lease(1_000_060, 500), 16, "few were due");
        assert_eq!(lease(1_000_070, 500), 32);
        assert_eq!(lease(1_000_070 + PREFETCH_VALID_MS, 500), 16, "they left slowly");
    }

    #[test]
    fn no_more_mails_are_leased_than_may_leave_in_an_hour() {
        let mut limit = HourlyLimit::default();
        let mut lease = |at: i64, wanted: i64| {
            let mails = limit.grant(wanted, 20, 30_000, Millis(at));
            limit.record(usize::try_from(mails).unwrap(), Millis(at));
            mails
        };
        let begin = 1_000_000;
        assert_eq!([lease(begin, 16), lease(begin + 5, 16), lease(begin + 10, 16)], [16, 4, 0]);
        let first_is_past = begin + HOUR_MS + 30_000;
        assert_eq!([lease(first_is_past - 1, 16), lease(first_is_past, 64)], [0, 16]);
        assert_eq!(lease(begin, 16), 16, "the clock was put back");
        assert_eq!(HourlyLimit::default().grant(64, 0, 30_000, Millis(begin)), 64);
    }

    #[test]
    fn a_server_is_busy_when_it_writes_often_for_a_second() {
        let mut load = ServerLoad::default();
        load.sample(Millis(1_000_000), 50);
        assert!(!load.is_busy);
        // A burst shorter than a second is none.
        load.sample(Millis(1_000_999), 900);
        assert!(!load.is_busy);
        load.sample(Millis(1_001_000), 251);
        assert!(load.is_busy);
        load.sample(Millis(1_003_000), 651);
        assert!(!load.is_busy, "exactly at the limit");
        load.sample(Millis(1_002_000), 9_000);
        assert!(!load.is_busy, "the clock was put back");
    }
}

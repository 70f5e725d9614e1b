//! How many mails are leased at once, how long due mail is held back on a busy server, and how long prefetched rows
//! stay valid. Arithmetic over times and counts: knows neither the database nor the transport.

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

/// What the worker that refills the buffer decides by.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pacing {
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

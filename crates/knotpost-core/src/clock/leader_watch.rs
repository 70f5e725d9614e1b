//! Observations of the clock lease while another process holds it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use knotpost_model::Millis;
use knotpost_storage::LeaderLease;

/// Clocks of two machines may differ, so a lease counts as alive when its row changes, whatever its times
/// say.
#[derive(Debug, Default)]
pub struct LeaderWatch {
    seen: Mutex<HashMap<String, Seen>>,
    paired_at: AtomicI64,
}

const PAIRING_MS: i64 = 60_000;

#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) duty: LeaderLease,
    pub(super) at: Millis,
    /// True if it changed since an earlier look: the holder is alive.
    pub(super) has_changed: bool,
    looked_at: Millis,
    /// Start of looks without a longer gap.
    pub(super) running_since: Millis,
}

impl LeaderWatch {
    /// True, once per interval, if idle searches are due.
    pub(super) fn is_time_to_pair(&self, now: Millis) -> bool {
        let last = self.paired_at.load(Ordering::Relaxed);
        // Guards against a clock set back.
        let is_time = !(0..PAIRING_MS).contains(&(now.0 - last));
        if is_time {
            self.paired_at.store(now.0, Ordering::Relaxed);
        }
        is_time
    }

    /// Records the row and tells since when it has been unchanged. `pause` is the longest gap between looks
    /// of a running process.
    pub(super) fn look(&self, watcher: &str, duty: &LeaderLease, now: Millis, pause: i64) -> Seen {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen.get(watcher);
        let runs_on = known.filter(|known| (0..=pause).contains(&(now.0 - known.looked_at.0)));
        let running_since = runs_on.map_or(now, |known| known.running_since);
        let looked = match known {
            Some(known) if known.duty == *duty && known.at <= now => {
                Seen { looked_at: now, running_since, ..known.clone() }
            }
            _ => Seen {
                duty: duty.clone(),
                at: now,
                has_changed: known.is_some(),
                looked_at: now,
                running_since,
            },
        };
        seen.insert(watcher.to_owned(), looked.clone());
        looked
    }
}

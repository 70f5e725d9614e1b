//! What a process has seen of the lease on the clock while another process held it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use knotpost_model::Millis;
use knotpost_storage::LeaderLease;

/// What this process has seen of the lease while another one held it. Clocks of two machines may be far apart, so that
/// the times in the row say nothing about now: that its holder runs shows in the row changing.
#[derive(Debug, Default)]
pub struct LeaderWatch {
    seen: Mutex<HashMap<String, Seen>>,
    /// The last look at searches that rested.
    paired_at: AtomicI64,
}

/// Searches that rested are looked at again this often.
const PAIRING_MS: i64 = 60_000;

/// The row as seen by a process that waits for the lease.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) duty: LeaderLease,
    /// When it was first seen like this.
    pub(super) at: Millis,
    /// Whether it had been seen before, and has changed: its holder went on at that moment.
    pub(super) has_changed: bool,
    /// The last look of this process …
    looked_at: Millis,
    /// … and since when it has looked without a longer pause.
    pub(super) running_since: Millis,
}

impl LeaderWatch {
    /// Returns true if searches that rested are to be looked at again, and notes that they are.
    pub(super) fn is_time_to_pair(&self, now: Millis) -> bool {
        let last = self.paired_at.load(Ordering::Relaxed);
        // A clock that went back must not put this off.
        let is_time = !(0..PAIRING_MS).contains(&(now.0 - last));
        if is_time {
            self.paired_at.store(now.0, Ordering::Relaxed);
        }
        is_time
    }

    /// Notes the row as it is, and says since when it has been like this. `pause` is the longest between two looks of a
    /// process that runs.
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

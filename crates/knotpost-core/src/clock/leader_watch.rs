//! What a process has seen of the lease on the clock while another process held it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use knotpost_model::Millis;
use knotpost_storage::LeaderLease;

/// What this process has seen of the lease while another one held it. Clocks of two machines may be far apart, so that
/// the times in the row say nothing about now: that its holder runs shows in the row changing.
#[derive(Debug, Default)]
pub struct LeaderWatch(Mutex<HashMap<String, Seen>>);

/// The row as seen by a process that waits for the lease.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub(super) duty: LeaderLease,
    /// When it was first seen like this.
    pub(super) at: Millis,
    /// Whether it had been seen before, and has changed: its holder went on at that moment.
    pub(super) has_changed: bool,
}

impl LeaderWatch {
    /// Notes the row as it is, and says since when it has been like this.
    pub(super) fn look(&self, watcher: &str, duty: &LeaderLease, now: Millis) -> Seen {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen.get(watcher);
        match known {
            Some(known) if known.duty == *duty && known.at <= now => known.clone(),
            _ => {
                let fresh = Seen { duty: duty.clone(), at: now, has_changed: known.is_some() };
                seen.insert(watcher.to_owned(), fresh.clone());
                fresh
            }
        }
    }
}

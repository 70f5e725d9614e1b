//! Liveness of this process's loops, reported between two pieces of work for monitoring. Nothing is stored.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use knotpost_model::{Millis, words};

const STALLED_MS: i64 = 5 * 60_000;

words! {
    #[derive(PartialOrd, Ord)]
    Loop {
        Inbox = "inbox",
        Outbox = "outbox",
        Clock = "clock",
        Tournaments = "tournaments",
        Rounds = "rounds",
        Webhooks = "webhooks",
    }
}

/// Last beat of each kind that runs in this process; with several loops of a kind, any.
#[derive(Debug, Default)]
pub struct Pulse(Mutex<BTreeMap<Loop, Millis>>);

impl Pulse {
    pub fn beat(&self, which: Loop, now: Millis) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(which, now);
    }

    /// Running loops without a beat for longer than any piece of work takes.
    pub fn stalled(&self, now: Millis) -> Vec<Loop> {
        let beats = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        beats.iter().filter(|(_, last)| now.since(**last).0 > STALLED_MS).map(|(which, _)| *which).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loop_stands_still_when_it_has_not_been_seen_for_longer_than_its_work_takes() {
        let pulse = Pulse::default();
        assert!(pulse.stalled(Millis(1_000_000_000)).is_empty(), "none runs here");
        pulse.beat(Loop::Inbox, Millis(1_000));
        pulse.beat(Loop::Clock, Millis(2_000));
        assert!(pulse.stalled(Millis(1_000 + STALLED_MS)).is_empty());
        assert_eq!(pulse.stalled(Millis(1_001 + STALLED_MS)), [Loop::Inbox]);
        pulse.beat(Loop::Inbox, Millis(3_000 + STALLED_MS));
        assert_eq!(pulse.stalled(Millis(3_000 + STALLED_MS)), [Loop::Clock]);
    }
}

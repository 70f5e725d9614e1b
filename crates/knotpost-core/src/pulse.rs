//! Liveness of this process's loops, reported between two pieces of work for monitoring. Nothing is stored.

use std::sync::atomic::{AtomicI64, Ordering};

use knotpost_model::Millis;

const STALLED_MS: i64 = 5 * 60_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    Inbox,
    Outbox,
    Clock,
    Rounds,
    Webhooks,
}

impl Loop {
    const ALL: [Self; 5] = [Self::Inbox, Self::Outbox, Self::Clock, Self::Rounds, Self::Webhooks];

    pub const fn name(self) -> &'static str {
        match self {
            Self::Inbox => "inbox",
            Self::Outbox => "outbox",
            Self::Clock => "clock",
            Self::Rounds => "rounds",
            Self::Webhooks => "webhooks",
        }
    }
}

/// Last beat per kind; with several loops of a kind, any.
#[derive(Debug, Default)]
pub struct Pulse {
    /// Unix milliseconds; 0: not running in this process.
    beats: [AtomicI64; Loop::ALL.len()],
}

impl Pulse {
    pub fn beat(&self, which: Loop, now: Millis) {
        self.beat_of(which).store(now.0, Ordering::Relaxed);
    }

    /// Running loops without a beat for longer than any piece of work takes.
    pub fn stalled(&self, now: Millis) -> Vec<Loop> {
        let stands = |which: &Loop| {
            let last = self.beat_of(*which).load(Ordering::Relaxed);
            last != 0 && now.0.saturating_sub(last) > STALLED_MS
        };
        Loop::ALL.into_iter().filter(stands).collect()
    }

    fn beat_of(&self, which: Loop) -> &AtomicI64 {
        let [inbox, outbox, clock, rounds, webhooks] = &self.beats;
        match which {
            Loop::Inbox => inbox,
            Loop::Outbox => outbox,
            Loop::Clock => clock,
            Loop::Rounds => rounds,
            Loop::Webhooks => webhooks,
        }
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

//! Whether the loops of this process go on: each says so between two pieces of work. Nothing is stored, and nobody is
//! told; who watches over the server asks.

use std::sync::atomic::{AtomicI64, Ordering};

use knotpost_model::Millis;

/// No piece of work takes as long: the slowest mail server is left after two minutes.
const STALLED_MS: i64 = 5 * 60_000;

/// A loop without which mail or boards would stand still.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// Received mail.
    Inbox,
    /// Outgoing mail.
    Outbox,
    /// The clock of the boards.
    Clock,
    /// Mails of the day and broadcasts.
    Rounds,
    /// Events for webhooks.
    Webhooks,
}

impl Loop {
    const ALL: [Self; 5] = [Self::Inbox, Self::Outbox, Self::Clock, Self::Rounds, Self::Webhooks];

    /// Its name for whoever runs the server.
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

/// When each loop was last seen going on. Of several loops of a kind, one is enough.
#[derive(Debug, Default)]
pub struct Pulse {
    /// Unix milliseconds; 0: it does not run in this process.
    beats: [AtomicI64; Loop::ALL.len()],
}

impl Pulse {
    /// Notes that a loop goes on.
    pub fn beat(&self, which: Loop, now: Millis) {
        self.beat_of(which).store(now.0, Ordering::Relaxed);
    }

    /// The loops that run here and have not been seen for longer than any piece of work takes.
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

//! What a board is loaded with: the games and the usual limits of time.

use knotpost_rules::Registry;

use crate::config::Time;

/// What the running server gives to its boards.
pub trait BoardContext: Sync {
    /// The games, those that are switched off included: their boards stay readable.
    fn registry(&self) -> &'static Registry;

    /// The limits of time where a challenge sets none.
    fn time_limits(&self) -> &Time;
}

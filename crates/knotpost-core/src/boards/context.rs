//! Context of loading a board: the games and the usual limits of time.

use knotpost_rules::Registry;

use crate::config::Time;

pub trait BoardContext: Sync {
    /// Includes games switched off: their boards stay readable.
    fn registry(&self) -> &'static Registry;

    fn time_limits(&self) -> &Time;
}

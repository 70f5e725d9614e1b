//! What a board is loaded with: the games, the usual limits of time, and the cache of long boards.

use knotpost_rules::Registry;

use crate::boards::RecentBoards;
use crate::config::Time;

/// What the running server gives to its boards.
pub trait BoardContext: Sync {
    /// The games, those that are switched off included: their boards stay readable.
    fn registry(&self) -> &'static Registry;

    /// The limits of time where a challenge sets none.
    fn time_limits(&self) -> &Time;

    /// The cache of long boards.
    fn recent_boards(&self) -> &RecentBoards;
}

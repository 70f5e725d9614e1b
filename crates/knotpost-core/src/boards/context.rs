//! Dependencies of loading a board: games, default time limits, board cache.

use knotpost_rules::Registry;

use crate::boards::RecentBoards;
use crate::config::Time;

pub trait BoardContext: Sync {
    /// Includes games switched off: their boards stay readable.
    fn registry(&self) -> &'static Registry;

    fn time_limits(&self) -> &Time;

    fn recent_boards(&self) -> &RecentBoards;
}

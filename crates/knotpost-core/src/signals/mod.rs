//! Wakes workers, and tells other processes on the same database what was committed.

pub(crate) mod peers;
pub(crate) mod watched;

pub use peers::{Announcements, Announcer, Notice, Wakeup, read_notices, tell_peers};
pub use watched::{WatchedBoards, Watching};

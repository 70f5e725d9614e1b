//! Wakes workers, and tells other processes on the same database what was committed.

pub(crate) mod in_sight;
pub(crate) mod peers;

pub use in_sight::BoardsInSight;
pub use peers::{Announcements, Announcer, Notice, Wakeup, read_notices, tell_peers};

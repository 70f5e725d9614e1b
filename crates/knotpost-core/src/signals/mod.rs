//! Wakes workers, and tells other processes on the same database what was committed.

pub(crate) mod peers;

pub use peers::{Announcements, Announcer, Notice, Wakeup, handle_notification, tell_peers};

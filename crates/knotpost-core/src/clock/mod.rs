//! What happens when time has passed: reminders, losses on time, and which server watches the clock.

pub(crate) mod deadlines;
pub(crate) mod duty;

pub use deadlines::work_due;
pub use duty::{CLOCK_DUTY, Lookout, Watch, keep_watch, leave_watch};

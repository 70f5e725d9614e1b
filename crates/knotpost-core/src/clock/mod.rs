//! Actions due by time: reminders, losses on time, steps of tournaments, and the choice of the server that runs the clock.

pub(crate) mod ahead;
pub(crate) mod clock_leader;
pub(crate) mod deadlines;
pub(crate) mod leader_watch;
pub(crate) mod tournaments;

pub use ahead::recall_rows_ahead;
pub use clock_leader::{CLOCK_DUTY, Watch, keep_watch, leave_watch};
pub use deadlines::work_due;
pub use leader_watch::LeaderWatch;
pub use tournaments::work_tournaments;

//! The server itself: leases, metadata, administrators' views, personal data, and transfer to another
//! database.

mod ahead;
mod audit;
mod idempotency;
mod leader_lease;
mod overview;
mod personal;
mod sealed;
mod server_metadata;
mod servers;
mod transfer;

pub use audit::{AuditFilter, AuditRow, NewAudit};
pub use leader_lease::LeaderLease;
pub use overview::{Deadline, DutyLine, RecentPeers, StateCount, WaitingBroadcast};
pub use servers::ServerRow;
pub use transfer::Cell;

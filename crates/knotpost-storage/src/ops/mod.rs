//! The server itself: its leases, its metadata, what administrators see of it, what it holds about a user, and
//! its move to another database.

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
pub use personal::{HELD, Held, NOT_HELD, Shown};
pub use servers::ServerRow;
pub use transfer::{Cell, Column, Kind, STAYING, Staying, TABLES, Table};

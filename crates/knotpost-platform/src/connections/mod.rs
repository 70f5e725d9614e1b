//! Limits of every listener: connections in all and per client, and the pause after a failed accept.

mod accepting;
mod places;

pub use accepting::AcceptFailures;
pub use places::{Full, Holder, Place, Places, Request, Stream};

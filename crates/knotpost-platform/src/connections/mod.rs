//! The bounds of every listener, whatever it speaks: the connections that there may be, in all and of each client, and
//! the pause when one cannot be accepted.

mod accepting;
mod places;

pub use accepting::AcceptFailures;
pub use places::{Full, Holder, Place, Places, Request, Stream};

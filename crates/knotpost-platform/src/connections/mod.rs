//! What every listener needs, whatever it speaks: how many connections there may be, in all and of each client, and what
//! to do when one cannot be accepted.

mod accepting;
mod places;

pub use accepting::AcceptFailures;
pub use places::{Full, Holder, Place, Places, Request, Stream};

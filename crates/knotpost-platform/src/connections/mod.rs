//! What every listener needs, whatever it speaks: how many connections there may be, in all and from each host, and
//! what to do when one cannot be accepted.

mod accepting;
mod slots;

pub use accepting::AcceptFailures;
pub use slots::{Full, Slot, Slots};

//! The PostgreSQL server of a database: its address, what it says it is, and one pool of connections to it.

mod address;
mod primary;
mod role;

pub use address::check_address;

pub(crate) use address::Address;
pub(crate) use primary::{PATIENCE, Primary};
pub(crate) use role::Role;

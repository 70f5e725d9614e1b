//! Connections, and how statements run on either database.

mod dialect;
mod driver;
mod error;
mod file_identity;
#[cfg(debug_assertions)]
mod place;
mod read_only;

pub use driver::{Driver, ReadDriver, WriteDriver};
pub use error::StoreError;
pub use read_only::ReadOnly;

pub(crate) use dialect::{among, claim, key_list, on};
pub(crate) use driver::Connection;
pub(crate) use file_identity::FileIdentity;
#[cfg(debug_assertions)]
pub(crate) use place::note_place;

//! Connections, and how statements run on either database.

mod dialect;
mod driver;
mod error;
mod file_identity;
mod guarded;
#[cfg(debug_assertions)]
mod place;
mod read_only;

pub use driver::{Driver, ReadDriver, WriteDriver};
pub use error::StoreError;
pub use guarded::Guarded;
pub use read_only::ReadOnly;

pub(crate) use dialect::{among, claim, key_list, on};
pub(crate) use driver::Connection;
pub(crate) use file_identity::FileIdentity;
pub(crate) use guarded::given_up;
#[cfg(debug_assertions)]
pub(crate) use place::note_place;

//! Connections, and how statements run on either database.

mod dialect;
mod driver;
mod error;
mod file_identity;
#[cfg(debug_assertions)]
mod place;
mod read_only;
pub(crate) mod sqlite;
mod statement;
#[cfg(debug_assertions)]
mod steps;
mod value;

pub use driver::Driver;
pub use error::{DriverError, Result, StoreError};
pub use value::Kind;

pub(crate) use dialect::{among, claim, key_list, values};
pub(crate) use driver::Connection;
pub(crate) use file_identity::FileIdentity;
#[cfg(debug_assertions)]
pub(crate) use place::note_place;
pub(crate) use read_only::is_query;
pub(crate) use statement::Sql;
#[cfg(debug_assertions)]
pub(crate) use steps::Steps;
pub(crate) use value::{Argument, At, Column, FromRow, Nullable, Row, Value, row, undecodable, words};

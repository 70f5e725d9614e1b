//! Game records, written and read.
//!
//! The text format is `knotpost_rules::record`; here is the meaning of its tags on a server with boards and
//! users.

mod import;
mod read;
mod split;
mod start;
mod write;

pub use import::{Import, Imported, Strangers, import};
pub use read::{Played, ReadError, read_games};
pub use write::{export_format, export_record};

pub(crate) use write::record_of;

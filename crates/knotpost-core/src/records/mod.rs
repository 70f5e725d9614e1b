//! Game records, written and read.
//!
//! What a record looks like as text is known in `knotpost_rules::record`; here it is known what its tags mean on
//! a server with boards and users.

mod import;
mod read;
mod split;
mod start;
mod write;

pub use import::{Import, Imported, Strangers, import};
pub use read::{Played, ReadError, read_games};
pub use write::export_record;

pub(crate) use write::record_of;

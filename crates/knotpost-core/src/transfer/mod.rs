//! An entire server on its way to another database: written as one file, checked, imported, compared.

mod check;
mod export;
mod import;
mod line;

pub use check::{Checked, check_export, is_export};
pub use export::{Exported, export_server};
pub use import::{Began, ForeignKey, Moved, discard_import, import_server, unfinished_import};

use knotpost_storage::StoreError;

/// Why a server cannot be written down or taken in.
#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// The file is not what it should be; nothing of it was stored.
    #[error("line {line}: {what}")]
    Damaged {
        /// Counted from 1.
        line: u64,
        /// A clause.
        what: String,
    },
    /// It is not to be done here, or not now.
    #[error("{0}")]
    Refused(String),
    /// The file cannot be read or written.
    #[error("the file cannot be read or written")]
    File(#[from] std::io::Error),
    /// The database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The file is read and nothing stored.
    Checking,
    /// Rows go into the file.
    Writing,
    /// Rows go into the database.
    Storing,
    /// What is stored is compared with the file.
    Comparing,
}

/// Hears how many of how many rows are done.
pub type OnProgress<'a> = &'a mut (dyn FnMut(Stage, u64, u64) + Send);

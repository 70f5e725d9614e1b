//! Transfer of an entire server to another database: export to one file, validation, import, comparison.

mod check;
mod export;
mod import;
mod line;

pub use check::{Checked, check_export, is_export};
pub use export::{Exported, export_server};
pub use import::{Began, ForeignKey, Moved, discard_import, import_server, unfinished_import};

use knotpost_storage::{StoreError, WriteError};

#[derive(Debug, thiserror::Error)]
pub enum MoveError {
    /// Damaged file; nothing was stored.
    #[error("line {line}: {what}")]
    Damaged { line: u64, what: String },
    #[error("{0}")]
    Refused(String),
    #[error("the file cannot be read or written")]
    File(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WriteError for MoveError {
    fn into_refusal(self) -> Result<Self, StoreError> {
        match self {
            Self::Store(error) => Err(error),
            refusal => Ok(refusal),
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    Checking,
    Writing,
    Storing,
    Comparing,
}

/// Called with done and total rows.
pub type OnProgress<'a> = &'a mut (dyn FnMut(Stage, u64, u64) + Send);

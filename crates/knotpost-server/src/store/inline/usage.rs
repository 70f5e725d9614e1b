//! How much is asked of a SQLite file.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What a database was asked since it was opened, by all connections of this process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Statements, those that begin and end transactions among them.
    pub statements: u64,
    /// Rows that were read.
    pub rows: u64,
}

/// Counts for all connections that are opened alike.
#[derive(Clone, Debug, Default)]
pub(in crate::store) struct UsageCounter(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    statements: AtomicU64,
    rows: AtomicU64,
}

impl UsageCounter {
    pub(in crate::store) fn now(&self) -> Usage {
        let Counts { statements, rows } = &*self.0;
        Usage { statements: statements.load(Ordering::Relaxed), rows: rows.load(Ordering::Relaxed) }
    }

    /// Counts a statement that read so many rows.
    pub(super) fn count(&self, rows: u64) {
        self.0.statements.fetch_add(1, Ordering::Relaxed);
        self.0.rows.fetch_add(rows, Ordering::Relaxed);
    }
}

//! Counters of statements and rows.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The work that a group of connections has done since their options were made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Statements that were run, including those that begin and end transactions.
    pub statements: u64,
    /// Result rows that were read.
    pub rows: u64,
}

/// Counts the statements and rows of all connections opened with the same [`RusqliteConnectOptions`] or with clones of
/// them. Cheap to clone; clones share the counts.
///
/// [`RusqliteConnectOptions`]: crate::RusqliteConnectOptions
#[derive(Clone, Debug, Default)]
pub struct UsageCounter(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    statements: AtomicU64,
    rows: AtomicU64,
}

impl UsageCounter {
    /// The counts so far.
    pub fn read(&self) -> Usage {
        let Counts { statements, rows } = &*self.0;
        Usage { statements: statements.load(Ordering::Relaxed), rows: rows.load(Ordering::Relaxed) }
    }

    /// Counts one statement that returned `rows` rows.
    pub(crate) fn count_statement(&self, rows: u64) {
        self.0.statements.fetch_add(1, Ordering::Relaxed);
        self.0.rows.fetch_add(rows, Ordering::Relaxed);
    }
}

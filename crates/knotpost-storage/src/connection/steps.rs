//! Writes that end where a test cuts them off, as if the process had been killed there.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use super::{Result, StoreError};

/// Steps that are left, each a statement of a write, its commit, or the report of that; 0: no end, less: it has come.
#[derive(Clone, Debug, Default)]
pub(crate) struct Steps(Arc<AtomicI64>);

impl Steps {
    /// Fails from the given number of steps on.
    pub(crate) fn cut_off_after(&self, steps: u32) {
        self.0.store(i64::from(steps) + 1, Ordering::Relaxed);
    }

    pub(crate) fn is_cut_off(&self) -> bool {
        self.0.load(Ordering::Relaxed) < 0
    }

    pub(crate) fn take_one(&self) -> Result<()> {
        let take = |left: i64| match left {
            ..=0 => None,
            1 => Some(-1),
            _ => Some(left - 1),
        };
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        if self.is_cut_off() { Err(StoreError::Closed) } else { Ok(()) }
    }
}

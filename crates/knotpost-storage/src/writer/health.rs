//! Whether the disk takes writes.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::connection::StoreError;

/// Whether the disk refused a write, and no write of the size of a mail has succeeded since.
#[derive(Clone, Debug, Default)]
pub(crate) struct Health(Arc<AtomicBool>);

impl Health {
    pub(crate) fn note<T>(&self, outcome: &Result<T, StoreError>) {
        // One that succeeds says little: it may be small enough for the space that is left.
        if let Err(StoreError::Full(_) | StoreError::Unwritable(_)) = outcome {
            self.0.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn recover(&self) {
        self.0.store(false, Ordering::Relaxed);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

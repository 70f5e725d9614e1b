//! Whether writes succeed, and whether connections lead to a server that works.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

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

/// How often connections are declared stale at most: on a server that only reads, not every request reopens one.
const RENEWAL: Duration = Duration::from_secs(1);

/// Since when connections of the pool lead to a server that works.
#[derive(Clone, Debug, Default)]
pub(crate) struct Freshness(Arc<Mutex<Option<Instant>>>);

impl Freshness {
    /// Whether connections of this age may be used.
    pub(crate) fn is_fresh(&self, age: Duration) -> bool {
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_none_or(|since| age <= since.elapsed())
    }

    /// Declares all present connections stale.
    pub(crate) fn renew(&self) {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if since.is_none_or(|since| since.elapsed() >= RENEWAL) {
            *since = Some(Instant::now());
        }
    }
}

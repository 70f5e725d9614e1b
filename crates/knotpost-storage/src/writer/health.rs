//! The health of the disk: a refused write, and the board that was read last to try it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

#[cfg(debug_assertions)]
use crate::connection::Steps;
use crate::connection::{Result, StoreError};

/// Notes a write that the disk refused, until one of the size of a mail succeeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Health(Arc<State>);

#[derive(Debug, Default)]
struct State {
    has_failed: AtomicBool,
    last_board: AtomicI64,
    #[cfg(debug_assertions)]
    steps: Steps,
}

impl Health {
    pub(crate) fn note(&self, ended: &Result<()>) {
        // One that succeeds says little: it may be small enough for the space that is left.
        if let Err(StoreError::Full(_) | StoreError::Unwritable(_)) = ended {
            self.0.has_failed.store(true, Ordering::Relaxed);
        }
    }

    pub(crate) fn recover(&self) {
        self.0.has_failed.store(false, Ordering::Relaxed);
    }

    pub(crate) fn has_failed(&self) -> bool {
        self.0.has_failed.load(Ordering::Relaxed)
    }

    /// The board that was read last; 0: the next one is the first.
    pub(crate) fn last_board(&self) -> i64 {
        self.0.last_board.load(Ordering::Relaxed)
    }

    pub(crate) fn note_board(&self, board: i64) {
        self.0.last_board.store(board, Ordering::Relaxed);
    }

    #[cfg(debug_assertions)]
    pub(crate) fn steps(&self) -> &Steps {
        &self.0.steps
    }
}

//! The health of the disk: a refused write, and the board that was read last to try it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::connection::{Result, StoreError};

/// Notes a write that the disk refused, until one of the size of a mail succeeds.
#[derive(Clone, Debug, Default)]
pub(crate) struct Health(Arc<State>);

#[derive(Debug, Default)]
struct State {
    has_failed: AtomicBool,
    last_board: AtomicI64,
    /// Steps of writes until nothing is written any more; 0: no end, less: it has come.
    #[cfg(debug_assertions)]
    steps_left: AtomicI64,
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

    /// Fails from the given number of steps on, each a statement of a write, its commit, or the report of that: as if the
    /// process had been killed there.
    #[cfg(debug_assertions)]
    pub(crate) fn cut_off_after(&self, steps: u32) {
        self.0.steps_left.store(i64::from(steps) + 1, Ordering::Relaxed);
    }

    #[cfg(debug_assertions)]
    pub(crate) fn is_cut_off(&self) -> bool {
        self.0.steps_left.load(Ordering::Relaxed) < 0
    }

    /// Takes one of the steps that are left.
    #[cfg(debug_assertions)]
    pub(crate) fn step(&self) -> Result<()> {
        let take = |left: i64| match left {
            ..=0 => None,
            1 => Some(-1),
            _ => Some(left - 1),
        };
        let _ = self.0.steps_left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        if self.is_cut_off() { Err(StoreError::Closed) } else { Ok(()) }
    }
}

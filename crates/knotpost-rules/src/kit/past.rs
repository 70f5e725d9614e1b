//! Earlier positions of a game, where their coming back decides.

use crate::key::Key;
use std::sync::Arc;

/// Keys of the positions since something happened that cannot be undone, in their order. A copy is cheap.
#[derive(Clone, Debug, Default)]
pub struct Past(Arc<Vec<u64>>);

impl Past {
    /// Adds a position and returns the number of times that it has been there, this one included.
    pub fn add(&mut self, key: u64) -> usize {
        Arc::make_mut(&mut self.0).push(key);
        self.0.iter().filter(|earlier| **earlier == key).count()
    }

    /// The number of positions before this one, if it has been there.
    pub fn find(&self, key: u64) -> Option<usize> {
        self.0.iter().position(|earlier| *earlier == key)
    }

    /// Drops all positions, because none of them can come back.
    pub fn clear(&mut self) {
        self.0 = Arc::default();
    }

    /// A key and the past, in which the order of positions does not matter.
    #[must_use]
    pub fn add_to_key(&self, key: Key) -> Key {
        key.with(self.0.iter().fold(0, |sum: u64, key| sum.wrapping_add(*key)))
    }
}

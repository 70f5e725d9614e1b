//! Earlier positions of a game, where their coming back decides.

use crate::key::Key;
use std::sync::Arc;

/// Words of the filter.
const WORDS: usize = 64;

/// Keys of the positions since something happened that cannot be undone, in their order. A copy is cheap.
#[derive(Clone, Debug, Default)]
pub struct Past(Arc<Keys>);

#[derive(Clone, Debug)]
struct Keys {
    list: Vec<u64>,
    /// A bit for each key, at its lowest digits: most keys that are asked for are not there, and nothing is searched then.
    seen: [u64; WORDS],
}

impl Default for Keys {
    fn default() -> Self {
        Self { list: Vec::new(), seen: [0; WORDS] }
    }
}

/// The word and the bit of a key in the filter.
const fn place(key: u64) -> (usize, u64) {
    (key as usize / 64 % WORDS, 1 << (key % 64))
}

impl Past {
    /// Adds a position and returns the number of times that it has been there, this one included.
    pub fn add(&mut self, key: u64) -> usize {
        let before = if self.may_have(key) {
            self.0.list.iter().filter(|earlier| **earlier == key).count()
        } else {
            0
        };
        let keys = Arc::make_mut(&mut self.0);
        keys.list.push(key);
        let (word, bit) = place(key);
        if let Some(word) = keys.seen.get_mut(word) {
            *word |= bit;
        }
        before + 1
    }

    /// False if a position has certainly not been there.
    fn may_have(&self, key: u64) -> bool {
        let (word, bit) = place(key);
        self.0.seen.get(word).is_some_and(|word| word & bit != 0)
    }

    /// The number of positions before this one, if it has been there.
    pub fn find(&self, key: u64) -> Option<usize> {
        if self.may_have(key) { self.0.list.iter().position(|earlier| *earlier == key) } else { None }
    }

    /// Drops all positions, because none of them can come back.
    pub fn clear(&mut self) {
        self.0 = Arc::default();
    }

    /// A key and the past, in which the order of positions does not matter.
    #[must_use]
    pub fn add_to_key(&self, key: Key) -> Key {
        key.with(self.0.list.iter().fold(0, |sum: u64, key| sum.wrapping_add(*key)))
    }
}

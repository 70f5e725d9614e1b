//! A transposition table: what is known of positions, found by their keys. A newer entry replaces an older one.

/// The meaning of the value of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Bound {
    #[default]
    Exactly,
    AtLeast,
    AtMost,
}

/// The facts known of a position.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    key: u64,
    pub value: i32,
    /// Plies searched below the position; [`FULL`] when to the end of the game.
    pub depth: u8,
    pub bound: Bound,
    /// The place of the best action in the list of all.
    pub best: u16,
}

/// Everything below was searched to the end.
pub(super) const FULL: u8 = u8::MAX;

/// A fixed number of entries.
pub(super) struct Table {
    entries: Vec<Entry>,
}

impl Table {
    /// A table of `2^bits` entries of 24 bytes.
    pub(super) fn new(bits: u32) -> Self {
        Self { entries: vec![Entry::default(); 1 << bits] }
    }

    fn slot(&self, key: u64) -> usize {
        key as usize & (self.entries.len() - 1)
    }

    pub(super) fn find(&self, key: u64) -> Option<Entry> {
        self.entries.get(self.slot(key)).copied().filter(|entry| entry.key == key)
    }

    pub(super) fn store(&mut self, key: u64, value: i32, depth: u8, bound: Bound, best: u16) {
        let slot = self.slot(key);
        if let Some(entry) = self.entries.get_mut(slot) {
            *entry = Entry { key, value, depth, bound, best };
        }
    }
}

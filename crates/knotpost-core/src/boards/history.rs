//! The moves of a board in memory: a list whose copies share what they have in common, and a digest of all of it.
//!
//! Boards with thousands of moves are kept between two turns and copied for each; neither may cost more because
//! the list is long.

use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::boards::Entry;
use knotpost_model::MoveKind;

/// Entries that are copied together when one of several owners goes on.
const BLOCK: usize = 64;

/// The moves of a board, in order.
#[derive(Clone, Debug)]
pub struct History {
    /// All full but the last.
    blocks: Vec<Arc<Vec<Entry>>>,
    length: usize,
    swap: Option<usize>,
    digest: i64,
}

impl History {
    /// A game that nobody has moved in; `truth` is what else it comes from.
    pub(crate) fn new(truth: &[&[u8]]) -> Self {
        let mut digest = Sha256::new();
        for part in truth {
            digest.update((part.len() as u64).to_be_bytes());
            digest.update(part);
        }
        Self { blocks: Vec::new(), length: 0, swap: None, digest: shorten(digest) }
    }

    /// Adds the next move.
    pub(crate) fn push(&mut self, entry: Entry) {
        let row = &entry.row;
        let mut digest = Sha256::new();
        for number in [self.digest, row.number, row.seat, i64::from(row.auto), row.at.0] {
            digest.update(number.to_be_bytes());
        }
        digest.update(row.kind.as_str());
        digest.update([0]);
        digest.update(&row.text);
        self.digest = shorten(digest);
        if row.kind == MoveKind::Swap && self.swap.is_none() {
            self.swap = Some(self.length);
        }
        if let Some(block) = self.blocks.last_mut().filter(|block| block.len() < BLOCK) {
            Arc::make_mut(block).push(entry);
        } else {
            let mut block = Vec::with_capacity(BLOCK);
            block.push(entry);
            self.blocks.push(Arc::new(block));
        }
        self.length += 1;
    }

    /// What no other list of moves from the same start has.
    pub fn digest(&self) -> i64 {
        self.digest
    }

    /// Where sides were exchanged.
    pub(crate) fn swap(&self) -> Option<usize> {
        self.swap
    }

    /// How many moves there are.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether nobody has moved.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The move at an index from 0.
    pub fn get(&self, index: usize) -> Option<&Entry> {
        self.blocks.get(index / BLOCK)?.get(index % BLOCK)
    }

    /// The last move.
    pub fn last(&self) -> Option<&Entry> {
        self.blocks.last()?.last()
    }

    /// All moves in order.
    pub fn iter(&self) -> Entries<'_> {
        Entries { history: self, front: 0, back: self.length }
    }
}

fn shorten(digest: Sha256) -> i64 {
    i64::from_be_bytes(digest.finalize().first_chunk::<8>().copied().unwrap_or_default())
}

impl<'a> IntoIterator for &'a History {
    type Item = &'a Entry;
    type IntoIter = Entries<'a>;

    fn into_iter(self) -> Entries<'a> {
        self.iter()
    }
}

/// Moves of a history; passing over some costs nothing.
#[derive(Clone, Debug)]
pub struct Entries<'a> {
    history: &'a History,
    front: usize,
    back: usize,
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a Entry;

    fn next(&mut self) -> Option<&'a Entry> {
        self.nth(0)
    }

    fn nth(&mut self, passed: usize) -> Option<&'a Entry> {
        let index = self.front.saturating_add(passed);
        if index >= self.back {
            self.front = self.back;
            return None;
        }
        self.front = index + 1;
        self.history.get(index)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.back - self.front;
        (left, Some(left))
    }
}

impl DoubleEndedIterator for Entries<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front >= self.back {
            return None;
        }
        self.back -= 1;
        self.history.get(self.back)
    }
}

impl ExactSizeIterator for Entries<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_model::Millis;
    use knotpost_storage::MoveRow;

    fn entry(number: usize, text: &str) -> Entry {
        let row = MoveRow {
            number: number as i64,
            seat: 1,
            kind: MoveKind::Move,
            text: text.to_owned(),
            auto: false,
            at: Millis(7),
        };
        Entry { row, text: text.to_owned(), gain: 0 }
    }

    fn history(texts: &[&str]) -> History {
        let mut history = History::new(&[b"seed"]);
        for (index, text) in texts.iter().enumerate() {
            history.push(entry(index + 1, text));
        }
        history
    }

    #[test]
    fn a_copy_goes_its_own_way() {
        let texts: Vec<String> = (0..100).map(|number| format!("a{number}")).collect();
        let one = history(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let mut other = one.clone();
        other.push(entry(101, "b"));
        assert_eq!((one.len(), other.len()), (100, 101));
        assert_eq!(one.last().map(|entry| entry.text.as_str()), Some("a99"));
        assert_eq!(other.last().map(|entry| entry.text.as_str()), Some("b"));
        let read: Vec<&str> = other.iter().map(|entry| entry.text.as_str()).collect();
        assert_eq!(read.first().zip(read.get(100)), Some((&"a0", &"b")));
        assert_eq!(other.iter().skip(99).map(|entry| entry.text.as_str()).collect::<Vec<_>>(), ["a99", "b"]);
        assert_eq!(other.iter().rposition(|entry| entry.text == "a3"), Some(3));
        assert_eq!(other.iter().skip(200).count(), 0);
    }

    #[test]
    fn the_digest_tells_every_list_of_moves_from_every_other() {
        let same = [history(&["a", "b", "c"]).digest(), history(&["a", "b", "c"]).digest()];
        assert_eq!(same[0], same[1]);
        let mut all = vec![
            same[0],
            history(&["c", "b", "a"]).digest(),
            history(&["a", "b"]).digest(),
            history(&[]).digest(),
        ];
        all.push(History::new(&[b"see", b"d"]).digest());
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 5);
    }
}

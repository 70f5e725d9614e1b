//! Keys of positions: 64 bits, the same on every machine and in every version of the compiler.

use crate::seat::{Seat, Seats};

/// A key in the making.
#[derive(Clone, Copy, Debug)]
pub struct Key(u64);

/// Digits of pi: arbitrary, and chosen for nothing.
const START: u64 = 0x243f_6a88_85a3_08d3;
const FACTOR: u64 = 0x1319_8a2e_0370_7345;

impl Key {
    /// A key without anything in it.
    pub const EMPTY: Self = Self(START);

    /// This key and a word. The order of words counts.
    #[must_use]
    pub const fn with(self, word: u64) -> Self {
        // Both halves of the product count, or high bits of the word would be lost.
        let product = (self.0.rotate_left(23) ^ word) as u128 * FACTOR as u128;
        Self(product as u64 ^ (product >> 64) as u64)
    }

    /// This key and the seats of a game: the next one, and those that are out.
    #[must_use]
    pub const fn with_seats(self, next: Seat, retired: Seats) -> Self {
        self.with((next.number() as u64) << 8 | retired.bits() as u64)
    }

    /// The number.
    pub const fn finish(self) -> u64 {
        self.with(START).0
    }
}

/// The key of a text.
pub(crate) fn of_text(text: &str) -> u64 {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let key = words.iter().fold(Key::EMPTY, |key, word| key.with(u64::from_le_bytes(*word)));
    let last = rest.iter().fold(text.len() as u64, |word, byte| word << 8 | u64::from(*byte));
    key.with(last).finish()
}

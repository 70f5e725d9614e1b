//! Integers of a fixed number of words, as wide as an ordered list of criteria needs.

use std::cmp::Ordering;
use std::ops::{Add, AddAssign, Sub, SubAssign};

use integer_blossom::Weight;

/// A signed integer in two's complement, the lowest word first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wide<const N: usize>([u64; N]);

impl<const N: usize> Wide<N> {
    /// Adds a value at a place of bits; what lies above the last word is lost.
    pub(super) fn add_at(&mut self, bit: usize, value: u64) {
        let mut addend = [0; N];
        let (word, shift) = (bit / 64, bit % 64);
        addend[word] = value << shift;
        if shift > 0 && word + 1 < N {
            addend[word + 1] = value >> (64 - shift);
        }
        *self += Self(addend);
    }

    const fn is_negative(&self) -> bool {
        self.0[N - 1] >> 63 == 1
    }
}

impl<const N: usize> Ord for Wide<N> {
    fn cmp(&self, other: &Self) -> Ordering {
        other
            .is_negative()
            .cmp(&self.is_negative())
            .then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl<const N: usize> PartialOrd for Wide<N> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<const N: usize> AddAssign for Wide<N> {
    fn add_assign(&mut self, other: Self) {
        let mut carry = false;
        for (word, addend) in self.0.iter_mut().zip(other.0) {
            (*word, carry) = word.carrying_add(addend, carry);
        }
    }
}

impl<const N: usize> SubAssign for Wide<N> {
    fn sub_assign(&mut self, other: Self) {
        let mut borrow = false;
        for (word, less) in self.0.iter_mut().zip(other.0) {
            (*word, borrow) = word.borrowing_sub(less, borrow);
        }
    }
}

impl<const N: usize> Add for Wide<N> {
    type Output = Self;

    fn add(mut self, other: Self) -> Self {
        self += other;
        self
    }
}

impl<const N: usize> Sub for Wide<N> {
    type Output = Self;

    fn sub(mut self, other: Self) -> Self {
        self -= other;
        self
    }
}

impl<const N: usize> Weight for Wide<N> {
    const ZERO: Self = Self([0; N]);
    const ONE: Self = {
        let mut words = [0; N];
        words[0] = 1;
        Self(words)
    };

    fn inf() -> Self {
        let mut words = [u64::MAX; N];
        words[N - 1] >>= 3;
        Self(words)
    }

    fn double(self) -> Self {
        self + self
    }

    /// Only numbers that are not negative are halved by the solver; rounding is downwards.
    fn half(self) -> Self {
        let mut words = self.0;
        let mut above = 0;
        for word in words.iter_mut().rev() {
            let lowest = *word & 1;
            *word = *word >> 1 | above << 63;
            above = lowest;
        }
        Self(words)
    }
}

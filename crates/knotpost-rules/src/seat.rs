//! Seats at a board and sets of them. The players who sit there are not known here.

use std::fmt;

/// The most seats any game may have.
pub(crate) const MAX_SEATS: u8 = 8;

/// A place at the board, numbered from 1 in challenge order; seat 1 moves first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Seat(u8);

impl Seat {
    /// The first seat.
    pub const FIRST: Self = Self(1);

    /// The seat with this number, 1 to 8.
    pub const fn new(number: u8) -> Option<Self> {
        if number >= 1 && number <= MAX_SEATS { Some(Self(number)) } else { None }
    }

    /// The seat at this place of a per-seat list, counted from 0.
    pub fn from_index(index: usize) -> Option<Self> {
        u8::try_from(index).ok().and_then(|index| Self::new(index.saturating_add(1)))
    }

    /// The number, from 1.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The place in a per-seat list, from 0.
    pub const fn index(self) -> usize {
        self.0 as usize - 1
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A set of seats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Seats(u8);

impl Seats {
    /// No seat at all.
    pub const NONE: Self = Self(0);

    /// Seats 1 to `count`.
    pub fn first(count: usize) -> Self {
        (0..count).filter_map(Seat::from_index).collect()
    }

    /// This set and `seat`.
    #[must_use]
    pub const fn with(self, seat: Seat) -> Self {
        Self(self.0 | 1 << (seat.0 - 1))
    }

    /// This set but for `seat`.
    #[must_use]
    pub const fn without(self, seat: Seat) -> Self {
        Self(self.0 & !(1 << (seat.0 - 1)))
    }

    /// True if `seat` is in the set.
    pub const fn contains(self, seat: Seat) -> bool {
        self.0 >> (seat.0 - 1) & 1 == 1
    }

    /// The set as bits, that of seat 1 lowest.
    pub(crate) const fn bits(self) -> u8 {
        self.0
    }

    /// The number of seats in the set.
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// True if no seat is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The seats of the set in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Seat> {
        (1..=MAX_SEATS).map(Seat).filter(move |&seat| self.contains(seat))
    }
}

impl FromIterator<Seat> for Seats {
    fn from_iter<I: IntoIterator<Item = Seat>>(seats: I) -> Self {
        seats.into_iter().fold(Self::NONE, Self::with)
    }
}

impl From<Seat> for Seats {
    fn from(seat: Seat) -> Self {
        Self::NONE.with(seat)
    }
}

//! Stones and how they lie: names, arrows, turns, hands. The board and the players are not known here.

use std::fmt;

/// A stone, whichever way it lies: arrangements of arrows that turn into each other are one stone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stone(u8);

/// Different stones.
const COUNT: usize = 33;

/// Names, and arrows clockwise from the top when not turned. A name is the number of arrows and a letter that runs
/// down the arrangements, each in its lexicographically greatest turn.
const TABLE: [(&str, [u8; 4]); COUNT] = [
    ("1a", [1, 0, 0, 0]),
    ("2a", [2, 0, 0, 0]),
    ("2b", [1, 1, 0, 0]),
    ("2c", [1, 0, 1, 0]),
    ("3a", [3, 0, 0, 0]),
    ("3b", [2, 1, 0, 0]),
    ("3c", [2, 0, 1, 0]),
    ("3d", [2, 0, 0, 1]),
    ("3e", [1, 1, 1, 0]),
    ("4a", [4, 0, 0, 0]),
    ("4b", [3, 1, 0, 0]),
    ("4c", [3, 0, 1, 0]),
    ("4d", [3, 0, 0, 1]),
    ("4e", [2, 2, 0, 0]),
    ("4f", [2, 1, 1, 0]),
    ("4g", [2, 1, 0, 1]),
    ("4h", [2, 0, 2, 0]),
    ("4i", [2, 0, 1, 1]),
    ("4j", [1, 1, 1, 1]),
    ("5a", [5, 0, 0, 0]),
    ("5b", [4, 1, 0, 0]),
    ("5c", [4, 0, 1, 0]),
    ("5d", [4, 0, 0, 1]),
    ("5e", [3, 2, 0, 0]),
    ("5f", [3, 1, 1, 0]),
    ("5g", [3, 1, 0, 1]),
    ("5h", [3, 0, 2, 0]),
    ("5i", [3, 0, 1, 1]),
    ("5j", [3, 0, 0, 2]),
    ("5k", [2, 2, 1, 0]),
    ("5l", [2, 2, 0, 1]),
    ("5m", [2, 1, 2, 0]),
    ("5n", [2, 1, 1, 1]),
];

/// The beginnings of the stones of each total in the table, and the end of the last ones.
const TOTALS: [u8; 6] = [0, 1, 4, 9, 19, 33];

/// The arrows of every lie, clockwise from the top; zeros beyond the last one.
static ARROWS: [[u8; 4]; 256] = {
    let mut table = [[0; 4]; 256];
    let mut lie = 0;
    while lie < 4 * COUNT {
        let mut side = 0;
        while side < 4 {
            table[lie][(side + lie) & 3] = TABLE[lie >> 2].1[side];
            side += 1;
        }
        lie += 1;
    }
    table
};

impl Stone {
    /// Every stone in the order of the names.
    pub fn all() -> impl ExactSizeIterator<Item = Self> {
        (0..COUNT as u8).map(Self)
    }

    /// The stones with this many arrows, in the order of the names; none outside 1 to 5.
    pub fn of_total(total: usize) -> impl ExactSizeIterator<Item = Self> {
        let bound = |at: Option<usize>| at.and_then(|at| TOTALS.get(at)).copied().unwrap_or(0);
        let end = bound(Some(total));
        (bound(total.checked_sub(1)).min(end)..end).map(Self)
    }

    /// The stone with this name, in either case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::all().find(|stone| stone.name().eq_ignore_ascii_case(name))
    }

    /// The name, such as `3b`.
    pub const fn name(self) -> &'static str {
        TABLE[self.0 as usize].0
    }

    /// The number of different ways to lay it: 1, 2 or 4.
    pub fn ways(self) -> u8 {
        match ARROWS[usize::from(self.0 << 2)] {
            [north, east, south, west] if north == south && east == west => 1 + u8::from(north != east),
            _ => 4,
        }
    }
}

impl fmt::Display for Stone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A stone as it lies: turned clockwise by the fewest quarters that give the same arrows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Lie(u8);

impl Lie {
    /// The stone after this many clockwise quarter turns.
    pub fn new(stone: Stone, turns: u8) -> Self {
        Self(stone.0 << 2 | turns & (stone.ways() - 1))
    }

    /// The stone.
    pub const fn stone(self) -> Stone {
        Stone(self.0 >> 2)
    }

    /// A number of its own.
    pub(super) const fn index(self) -> u8 {
        self.0
    }

    /// Clockwise quarter turns, 0 to 3.
    pub const fn turns(self) -> u8 {
        self.0 & 3
    }

    /// Arrows clockwise from the top.
    pub const fn arrows(self) -> [u8; 4] {
        ARROWS[self.0 as usize]
    }
}

/// Stones a player may still place, in the order of the deal: a byte each from the lowest, counted from 1; zeros
/// behind the last one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hand(u64);

impl Hand {
    /// The most stones in a hand.
    pub const MAX: usize = 5;

    /// The stones that are left.
    pub fn stones(self) -> impl Iterator<Item = Stone> {
        (0..self.len()).filter_map(move |index| self.get(index))
    }

    /// The stones that are left as bits.
    pub(super) const fn bits(self) -> u64 {
        self.0
    }

    /// The number of stones that are left.
    pub const fn len(self) -> usize {
        (u64::BITS - self.0.leading_zeros()).div_ceil(8) as usize
    }

    /// True if no stone is left.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The stone at this place, counted from 0.
    pub const fn get(self, index: usize) -> Option<Stone> {
        if index >= Self::MAX {
            return None;
        }
        match (self.0 >> (8 * index)) as u8 {
            0 => None,
            byte => Some(Stone(byte - 1)),
        }
    }

    /// The place of the first such stone.
    pub(super) fn find(self, stone: Stone) -> Option<usize> {
        let byte = u64::from(stone.0) + 1;
        (0..Self::MAX).find(|index| self.0 >> (8 * index) & 0xff == byte)
    }

    /// Takes the stone at this place, below [`Self::MAX`], out; the later ones close up.
    pub(super) const fn remove(&mut self, index: usize) {
        let before = (1 << (8 * index)) - 1;
        self.0 = self.0 & before | self.0 >> 8 & !before;
    }

    /// Reads names joined by `,`, at most five of them.
    pub(super) fn from_names(text: &str) -> Option<Self> {
        let stones: Option<Vec<Stone>> = text.split(',').map(Stone::from_name).collect();
        stones.filter(|stones| stones.len() <= Self::MAX).map(|stones| stones.into_iter().collect())
    }
}

impl FromIterator<Stone> for Hand {
    /// The first five stones.
    fn from_iter<I: IntoIterator<Item = Stone>>(stones: I) -> Self {
        let bytes = stones.into_iter().take(Self::MAX).map(|stone| u64::from(stone.0) + 1);
        Self((0..).zip(bytes).fold(0, |hand, (index, byte): (u32, u64)| hand | byte << (8 * index)))
    }
}

impl fmt::Display for Hand {
    /// `1a,2b,3e`; `-` when empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.stones().map(Stone::name).collect();
        f.write_str(if names.is_empty() { "-" } else { "" })?;
        f.write_str(&names.join(","))
    }
}

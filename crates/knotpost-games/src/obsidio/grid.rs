//! The board of Obsidio as sets of cells: squares and their names, shades, lines of sight, neighbours. Whose turn it
//! is and what a turn may do is unknown here.

use knotpost_rules::Key;
use std::{
    fmt,
    ops::{BitAnd, BitOr, BitOrAssign, Sub, SubAssign},
    str::FromStr,
};

/// Rows and columns of the largest board. Smaller ones lie in its lower left corner, so that one table serves all.
const WIDEST: u8 = 11;
/// Bits in use: bit 0 is never a cell, which gives falling lines of sight an end without a branch.
const BITS: usize = 1 + WIDEST as usize * WIDEST as usize;

/// A square by its name, whether or not the board has it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Square {
    /// From the left, from 0.
    column: u8,
    /// From the bottom, from 0.
    row: u8,
}

/// The kind of a cell. It depends on nothing but the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// Column and row are both odd: touches targets by the corner.
    Dark,
    /// One is odd and one even: touches targets by the side.
    Light,
    /// Column and row are both even: to be claimed.
    Target,
}

impl Square {
    /// The square in this column from the left and row from the bottom, both counted from 0.
    pub(super) const fn new(column: u8, row: u8) -> Self {
        Self { column, row }
    }

    /// From the left, counted from 0.
    pub(super) const fn column(self) -> u8 {
        self.column
    }

    /// From the bottom, counted from 0.
    pub(super) const fn row(self) -> u8 {
        self.row
    }

    /// Dark, light or a target.
    pub const fn shade(self) -> Shade {
        match (self.column % 2, self.row % 2) {
            (0, 0) => Shade::Dark,
            (1, 1) => Shade::Target,
            _ => Shade::Light,
        }
    }

    /// Its bit; 0, which is no cell, when even the largest board does not have it.
    const fn bit(self) -> usize {
        if self.column >= WIDEST || self.row >= WIDEST {
            return 0;
        }
        1 + self.row as usize * WIDEST as usize + self.column as usize
    }

    /// The square of a bit other than 0.
    const fn of_bit(bit: u32) -> Self {
        let index = bit.saturating_sub(1) as u8;
        Self { column: index % WIDEST, row: index / WIDEST }
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.column), self.row + 1)
    }
}

/// A text that names no square.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a square is a letter and a number, such as c3")]
pub struct NoSquare;

impl FromStr for Square {
    type Err = NoSquare;

    /// Reads `c3` and `C3`: a letter and a number from 1 to 99 without leading zeros.
    fn from_str(text: &str) -> Result<Self, NoSquare> {
        let (column, number) = match *text.as_bytes() {
            [letter, ones @ b'1'..=b'9'] => (letter, ones - b'0'),
            [letter, tens @ b'1'..=b'9', ones @ b'0'..=b'9'] => (letter, 10 * (tens - b'0') + ones - b'0'),
            _ => return Err(NoSquare),
        };
        let column = column.to_ascii_lowercase();
        if !column.is_ascii_lowercase() {
            return Err(NoSquare);
        }
        Ok(Self { column: column - b'a', row: number - 1 })
    }
}

/// A set of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cells(u128);

impl Cells {
    /// No cell at all.
    pub const NONE: Self = Self(0);

    /// The set of one square; empty when even the largest board does not have it.
    pub const fn only(square: Square) -> Self {
        Self(1 << square.bit() & !1)
    }

    /// Every cell of one shade on the board of this size.
    pub(super) const fn all(size: u8, shade: Shade) -> Self {
        let (mut cells, mut row) = (0, 0);
        while row < size {
            let mut column = 0;
            while column < size {
                let square = Square { column, row };
                if square.shade() as u8 == shade as u8 {
                    cells |= Self::only(square).0;
                }
                column += 1;
            }
            row += 1;
        }
        Self(cells)
    }

    /// A key and this set.
    pub(super) const fn add_to(self, key: Key) -> Key {
        key.with(self.0 as u64).with((self.0 >> 64) as u64)
    }

    /// True if the square is in the set.
    pub const fn contains(self, square: Square) -> bool {
        self.0 & Self::only(square).0 != 0
    }

    /// The number of cells in the set.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// True if no cell is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The squares of the set by rows from the bottom, each from the left.
    pub fn iter(self) -> impl Iterator<Item = Square> + Clone {
        let lowest = |rest: &u128| (*rest != 0).then_some(*rest);
        let rest = std::iter::successors(lowest(&self.0), move |rest| lowest(&(rest & (rest - 1))));
        rest.map(|rest| Square::of_bit(rest.trailing_zeros()))
    }

    /// The lowest square, in the order of [`Self::iter`].
    pub fn first(self) -> Option<Square> {
        self.iter().next()
    }

    /// A square of the set, each as likely as the others.
    pub(super) fn by_chance(self, below: &mut dyn FnMut(u32) -> u32) -> Option<Square> {
        if self.is_empty() {
            return None;
        }
        let mut rest = self.0;
        for _ in 0..below(self.len()) {
            rest &= rest.wrapping_sub(1);
        }
        Some(Square::of_bit(rest.trailing_zeros()))
    }

    /// The cells of this set that are seen from a square when this set is all that can be looked through: in each of
    /// the eight directions up to the first cell that is not in it.
    pub(super) fn seen_from(self, from: Square) -> Self {
        let Some(rays) = RAYS.get(from.bit()) else { return Self::NONE };
        let (rising, falling) = rays;
        let mut seen = 0;
        for ray in rising {
            let hits = ray & !self.0;
            let nearest = hits & hits.wrapping_neg();
            seen |= ray & nearest.wrapping_sub(1);
        }
        for ray in falling {
            let hits = ray & !self.0 | 1;
            let nearest = hits.ilog2();
            seen |= ray & (u128::MAX << 1 << nearest);
        }
        Self(seen)
    }

    /// The up to eight neighbours of a square.
    pub(super) fn around(square: Square) -> Self {
        Self(NEIGHBOURS.get(square.bit()).copied().unwrap_or(0))
    }

    /// The targets of the largest board that have at least four of this set's cells among their eight neighbours.
    ///
    /// All cells at once, by counters one bit high: four carries of weight two hold everything but the ones, and four
    /// is reached exactly when two of them are set. Targets never lie at an edge, so no shift reaches a wrong row.
    pub(super) const fn crowded_targets(self) -> Self {
        const TARGETS: Cells = Cells::all(WIDEST, Shade::Target);
        let side = WIDEST as u32;
        let tokens = self.0;
        let (ones1, twos1) = add(tokens << 1, tokens >> 1, tokens << (side - 1));
        let (ones2, twos2) = add(tokens >> (side - 1), tokens << side, tokens >> side);
        let (ones3, twos3) = add(tokens << (side + 1), tokens >> (side + 1), 0);
        let (_, twos4) = add(ones1, ones2, ones3);
        let four = (twos1 & twos2) | (twos3 & twos4) | ((twos1 | twos2) & (twos3 | twos4));
        Self(four & TARGETS.0)
    }
}

/// Adds three bits in every place: ones and twos.
const fn add(a: u128, b: u128, c: u128) -> (u128, u128) {
    (a ^ b ^ c, (a & b) | (c & (a ^ b)))
}

impl BitAnd for Cells {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Cells {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Cells {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl Sub for Cells {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl SubAssign for Cells {
    fn sub_assign(&mut self, other: Self) {
        self.0 &= !other.0;
    }
}

/// The cells in each direction from a square: four ways with rising bits, the four opposite ones with falling bits.
type Rays = ([u128; 4], [u128; 4]);

/// Steps in columns and rows whose bits rise.
const RISING: [(i8, i8); 4] = [(1, 0), (-1, 1), (0, 1), (1, 1)];

static RAYS: [Rays; BITS] = {
    let mut table = [([0; 4], [0; 4]); BITS];
    let mut bit = 1;
    while bit < BITS {
        let from = Square::of_bit(bit as u32);
        let mut way = 0;
        while way < RISING.len() {
            let (across, up) = RISING[way];
            table[bit].0[way] = trace(from, across, up, WIDEST);
            table[bit].1[way] = trace(from, -across, -up, WIDEST);
            way += 1;
        }
        bit += 1;
    }
    table
};

static NEIGHBOURS: [u128; BITS] = {
    let mut table = [0; BITS];
    let mut bit = 1;
    while bit < BITS {
        let from = Square::of_bit(bit as u32);
        let mut way = 0;
        while way < RISING.len() {
            let (across, up) = RISING[way];
            table[bit] |= trace(from, across, up, 1) | trace(from, -across, -up, 1);
            way += 1;
        }
        bit += 1;
    }
    table
};

/// The first cells of the largest board in one direction, at most `steps` of them.
const fn trace(from: Square, across: i8, up: i8, steps: u8) -> u128 {
    let (mut column, mut row) = (from.column as i8 + across, from.row as i8 + up);
    let (mut cells, mut step) = (0, 0);
    while step < steps && column >= 0 && row >= 0 && column < WIDEST as i8 && row < WIDEST as i8 {
        cells |= Cells::only(Square { column: column as u8, row: row as u8 }).0;
        column += across;
        row += up;
        step += 1;
    }
    cells
}

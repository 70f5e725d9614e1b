//! Cells of a [`Knotwork`](super::Knotwork), sets and runs of them.

use super::Side;

/// A place on a [`Knotwork`](super::Knotwork): row in the high half, column in the low half, both from 1 to 15.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place(pub(super) u8);

impl Place {
    /// The cell in this row and column, counted from 1; both must be at most 15.
    pub const fn new(row: u8, column: u8) -> Self {
        Self(row << 4 | column & 15)
    }

    /// The row, from 1.
    pub const fn row(self) -> u8 {
        self.0 >> 4
    }

    /// The column, from 1.
    pub const fn column(self) -> u8 {
        self.0 & 15
    }

    /// The next cell over a side.
    #[must_use]
    pub const fn beyond(self, side: Side) -> Self {
        Self(self.0.wrapping_add(STEPS[side as usize]))
    }
}

/// The step over each side, added to a cell's index.
pub(super) const STEPS: [u8; 4] = [16u8.wrapping_neg(), 1, 16, 1u8.wrapping_neg()];
/// A set of cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Places([u64; 4]);

impl Places {
    /// Adds a cell.
    pub const fn insert(&mut self, place: Place) {
        self.0[(place.0 >> 6) as usize] |= 1 << (place.0 & 63);
    }

    /// Takes a cell out.
    pub const fn remove(&mut self, place: Place) {
        self.0[(place.0 >> 6) as usize] &= !(1 << (place.0 & 63));
    }

    /// The cells of this set that are not in the other.
    #[must_use]
    pub fn without(self, other: Self) -> Self {
        let mut rest = self;
        for (word, less) in rest.0.iter_mut().zip(other.0) {
            *word &= !less;
        }
        rest
    }

    /// Adds all cells of another set.
    pub fn extend(&mut self, other: Self) {
        for (word, more) in self.0.iter_mut().zip(other.0) {
            *word |= more;
        }
    }

    /// True if the cell is in the set.
    pub const fn contains(&self, place: Place) -> bool {
        self.0[(place.0 >> 6) as usize] >> (place.0 & 63) & 1 == 1
    }

    /// The number of cells in the set.
    pub fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// True if no cell is in the set.
    pub const fn is_empty(&self) -> bool {
        matches!(self.0, [0, 0, 0, 0])
    }

    /// The cells in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Place> {
        let (mut words, mut high) = (self.0, 0);
        std::iter::from_fn(move || {
            loop {
                let word = words.get_mut(high)?;
                if *word != 0 {
                    let low = word.trailing_zeros();
                    *word &= *word - 1;
                    return Some(Place((high << 6) as u8 | low as u8));
                }
                high += 1;
            }
        })
    }
}

/// A run of cells, straight or over whole rows.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub(super) low: u8,
    pub(super) span: u8,
    /// Bits in which all cells of the run agree with the lowest one.
    fixed: u8,
    pub(super) step: u8,
}

impl Run {
    /// All cells from one to a later one in the order of reading, row by row.
    pub const fn of_rows(first: Place, last: Place) -> Self {
        Self { low: first.0, span: last.0.saturating_sub(first.0), fixed: 0, step: 1 }
    }

    /// The cells from one end to the other, which must lie in one row or column.
    pub const fn between(one: Place, other: Place) -> Self {
        let (low, high) = if one.0 <= other.0 { (one.0, other.0) } else { (other.0, one.0) };
        let span = high - low;
        if span < 16 {
            Self { low, span, fixed: 0, step: 1 }
        } else {
            Self { low, span, fixed: 15, step: 16 }
        }
    }

    pub(super) const fn holds(self, cell: u8) -> bool {
        let offset = cell.wrapping_sub(self.low);
        offset <= self.span && offset & self.fixed == 0
    }
}

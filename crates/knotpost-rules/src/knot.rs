//! Knotwork dice: faces, the board they lie on, and the strands that run through them. No game is known here.
//!
//! The dice and what follows from them are Cameron Browne's (2008).

mod places;

pub use places::{Place, Places, Run};

use crate::key::Key;
use places::STEPS;

/// A side of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Side {
    /// Up.
    North = 0,
    /// Right.
    East = 1,
    /// Down.
    South = 2,
    /// Left.
    West = 3,
}

impl Side {
    /// Clockwise from the top.
    pub const ALL: [Self; 4] = [Self::North, Self::East, Self::South, Self::West];

    /// The side across.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::North => Self::South,
            Self::East => Self::West,
            Self::South => Self::North,
            Self::West => Self::East,
        }
    }

    /// The bit that stands for this side in [`Face::sides`].
    pub const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// An oriented die face: the set of its open edges, never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Face(u8);

/// Open edges of the faces `a` to `o`; bits 0 to 3 are north, east, south, west.
const MASKS: [u8; 15] = [4, 8, 1, 2, 5, 10, 12, 9, 3, 6, 14, 13, 11, 7, 15];
/// Letters by open edges.
const LETTERS: [char; 16] = ['.', 'c', 'd', 'i', 'a', 'e', 'j', 'n', 'b', 'h', 'f', 'm', 'g', 'l', 'k', 'o'];

impl Face {
    /// Every face in the order of the letters.
    pub const ALL: [Self; 15] = {
        let mut all = [Self(0); 15];
        let mut place = 0;
        while place < 15 {
            all[place] = Self(MASKS[place]);
            place += 1;
        }
        all
    };

    /// The face with this letter, in either case.
    pub fn from_letter(letter: char) -> Option<Self> {
        let place = (letter.to_ascii_lowercase() as usize).checked_sub('a' as usize)?;
        Self::ALL.get(place).copied()
    }

    /// The letter, `a` to `o`.
    pub const fn letter(self) -> char {
        LETTERS[(self.0 & 15) as usize]
    }

    /// The open edges as bits, see [`Side::bit`].
    pub const fn sides(self) -> u8 {
        self.0
    }

    /// The face with just these open edges; `None` for none and for bits that are no side.
    pub const fn from_sides(sides: u8) -> Option<Self> {
        if sides >= 1 && sides <= 15 { Some(Self(sides)) } else { None }
    }

    /// True if strands leave the face over this side.
    pub const fn is_open(self, side: Side) -> bool {
        self.0 >> side as u8 & 1 == 1
    }

    /// The next open edge clockwise of this one: where the strand on its clockwise side comes out, or the same edge
    /// again when no other is open.
    pub const fn next_clockwise(self, side: Side) -> Side {
        match CLOCKWISE[((self.0 & 15) << 2 | side as u8) as usize] {
            0 => Side::North,
            1 => Side::East,
            2 => Side::South,
            _ => Side::West,
        }
    }
}

/// The next open edge clockwise, by open edges and edge.
const CLOCKWISE: [u8; 64] = next_open(1);
/// The next open edge counter-clockwise.
const COUNTER: [u8; 64] = next_open(3);

/// The strands whose both ends meet an open edge, by open edges and matched edges; all others hang loose.
const FASTENED: [u8; 256] = {
    let mut table = [0; 256];
    let mut index = 0;
    while index < 256 {
        let (mask, matched) = (index >> 4, index & 15);
        let mut edge = 0;
        while edge < 4 {
            let next = CLOCKWISE[mask << 2 | edge];
            if (mask & matched) >> edge & 1 == 1 && (mask & matched) >> next & 1 == 1 {
                table[index] |= 1 << edge;
            }
            edge += 1;
        }
        index += 1;
    }
    table
};

const fn next_open(turn: usize) -> [u8; 64] {
    let mut table = [0; 64];
    let mut index = 0;
    while index < 64 {
        let (mask, edge) = (index >> 2, index & 3);
        let mut next = (edge + turn) & 3;
        while next != edge && mask >> next & 1 == 0 {
            next = (next + turn) & 3;
        }
        table[index] = next as u8;
        index += 1;
    }
    table
}

/// A strand: it leaves this cell over the clockwise side of this open edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Strand {
    cell: u8,
    edge: u8,
}

impl Strand {
    /// The cell it runs through.
    pub const fn place(self) -> Place {
        Place(self.cell)
    }

    /// The open edge it leaves over the clockwise side of; [`Face::next_clockwise`] gives the other end.
    pub const fn side(self) -> Side {
        match self.edge & 3 {
            0 => Side::North,
            1 => Side::East,
            2 => Side::South,
            _ => Side::West,
        }
    }
}

/// A closed path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClosedPath {
    /// One of its strands.
    pub strand: Strand,
    /// Crossings passed, which are as many as strands.
    pub length: u32,
    /// Its spread over rows and columns.
    pub shape: Shape,
}

/// The spread of a closed path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// All visited cells lie in one row or one column.
    Thin,
    /// Anything else.
    Thick,
}

/// The mark on the sides of a cell that holds a die, next to the open ones in the low half of its byte.
const DIE: u8 = 0xf0;

/// Dice on a board of up to 15 x 15 cells. Row 0 and column 0 stay empty and close the board on all sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Knotwork {
    cells: [u8; 256],
}

impl Default for Knotwork {
    fn default() -> Self {
        Self { cells: [0; 256] }
    }
}

impl Knotwork {
    /// The face that lies here.
    pub const fn face(&self, place: Place) -> Option<Face> {
        match self.cells[place.0 as usize] {
            0 => None,
            cell => Some(Face(cell & 15)),
        }
    }

    /// The sides of a cell over which a neighbour is open towards it, and those over which there is no neighbour; bits
    /// as in [`Side::bit`].
    pub const fn edges(&self, place: Place) -> (u8, u8) {
        let facing = self.facing(place.0);
        (facing & 15, !facing >> 4)
    }

    /// A key and the dice in the rows from one to another.
    pub fn add_rows(&self, key: Key, first: u8, last: u8) -> Key {
        let rows = usize::from(first) * 16..(usize::from(last) + 1) * 16;
        let (words, _) = self.cells.get(rows).unwrap_or_default().as_chunks::<8>();
        words.iter().fold(key, |key, word| key.with(u64::from_le_bytes(*word)))
    }

    /// Lays a die here.
    pub const fn put(&mut self, place: Place, face: Face) {
        self.cells[place.0 as usize] = DIE | face.0;
    }

    /// Takes a die away.
    pub const fn remove(&mut self, place: Place) {
        self.cells[place.0 as usize] = 0;
    }

    /// Lays a die on `first` and shifts the run of dice that starts there by one cell, up to the first gap. Returns the
    /// cells that changed, or `None`, without any change, when none of the line's `length` cells is empty.
    pub fn push(&mut self, face: Face, first: Place, inward: Side, length: u8) -> Option<Run> {
        let step = STEPS[inward as usize];
        let mut gap = first.0;
        let mut passed = 0;
        while self.cells[gap as usize] != 0 {
            passed += 1;
            if passed >= length {
                return None;
            }
            gap = gap.wrapping_add(step);
        }
        let run = Run::between(first, Place(gap));
        while gap != first.0 {
            let outer = gap.wrapping_sub(step);
            self.cells[gap as usize] = self.cells[outer as usize];
            gap = outer;
        }
        self.cells[gap as usize] = DIE | face.0;
        Some(run)
    }

    /// Calls `found` for each closed path that visits a cell of the run, once a path.
    pub fn closed_paths(&self, run: Run, mut found: impl FnMut(ClosedPath)) {
        let mut cell = run.low;
        loop {
            let mut open = self.fastened(cell);
            while open != 0 {
                let strand = Strand { cell, edge: open.trailing_zeros() as u8 };
                open &= open - 1;
                if let Some(path) = self.close(strand, run) {
                    found(path);
                }
            }
            if cell == run.low.wrapping_add(run.span) {
                break;
            }
            cell = cell.wrapping_add(run.step);
        }
    }

    /// The cells a closed path visits.
    pub fn visited(&self, path: ClosedPath) -> Places {
        let mut places = Places::default();
        self.walk(path.strand, |strand| {
            places.insert(Place(strand.cell));
            true
        });
        places
    }

    /// The strands of a closed path in the order in which it runs, as many as it is long.
    pub fn strands(&self, path: ClosedPath) -> Vec<Strand> {
        let mut strands = Vec::with_capacity(path.length as usize);
        self.walk(path.strand, |strand| {
            strands.push(strand);
            true
        });
        strands
    }

    /// The strands of a cell, by their edges, whose both ends meet an open edge.
    const fn fastened(&self, cell: u8) -> u8 {
        let mask = self.cells[cell as usize] & 15;
        if mask == 0 {
            return 0;
        }
        FASTENED[(mask << 4 | mask & self.facing(cell)) as usize]
    }

    /// The sides that the neighbours show to a cell: their open edges in the low half, in the high half whether there is
    /// a neighbour at all.
    const fn facing(&self, cell: u8) -> u8 {
        self.beside(cell, 0) >> 2 & 0x11
            | self.beside(cell, 1) >> 2 & 0x22
            | self.beside(cell, 2) << 2 & 0x44
            | self.beside(cell, 3) << 2 & 0x88
    }

    /// The byte of the cell over an edge.
    const fn beside(&self, cell: u8, edge: usize) -> u8 {
        self.cells[cell.wrapping_add(STEPS[edge]) as usize]
    }

    /// The closed path through `start`, unless an earlier strand of the run lies on it too: that one has found it.
    fn close(&self, start: Strand, run: Run) -> Option<ClosedPath> {
        let mut spread = 0;
        let length = self.walk(start, |strand| {
            spread |= strand.cell ^ start.cell;
            strand >= start || !run.holds(strand.cell)
        })?;
        let shape = if spread & 0xf0 != 0 && spread & 0x0f != 0 { Shape::Thick } else { Shape::Thin };
        Some(ClosedPath { strand: start, length, shape })
    }

    /// Follows a path until it comes back and returns its length; `None` when it leaves through an unmatched edge or
    /// `go_on` refuses a strand. Inside a face the path turns clockwise and counter-clockwise by turns.
    fn walk(&self, start: Strand, mut go_on: impl FnMut(Strand) -> bool) -> Option<u32> {
        let Strand { mut cell, mut edge } = start;
        let mut length = 0;
        loop {
            if !go_on(Strand { cell, edge }) {
                return None;
            }
            edge = CLOCKWISE[self.turn(cell, edge)];
            (cell, edge) = self.cross(cell, edge)?;
            edge = COUNTER[self.turn(cell, edge)];
            if !go_on(Strand { cell, edge }) {
                return None;
            }
            (cell, edge) = self.cross(cell, edge)?;
            length += 2;
            if (Strand { cell, edge }) == start {
                return Some(length);
            }
        }
    }

    /// The index into the turn tables.
    const fn turn(&self, cell: u8, edge: u8) -> usize {
        ((self.cells[cell as usize] & 15) << 2 | edge & 3) as usize
    }

    /// Over an edge into the next cell; `None` when that is not open here.
    fn cross(&self, cell: u8, edge: u8) -> Option<(u8, u8)> {
        let next = cell.wrapping_add(STEPS[(edge & 3) as usize]);
        let facing = (edge + 2) & 3;
        (self.cells[next as usize] >> facing & 1 == 1).then_some((next, facing))
    }
}

//! The run of the strands of knot dice: closed paths, crossings, and the upper strand of each. It draws nothing.
//!
//! Every strand leaves its cell over the clockwise side of one open edge and over the counter-clockwise side of
//! another. At a crossing the two counter-clockwise ends lie on one straight line and the two clockwise ends on the
//! other. If the former always go above, every strand begins below and ends above, so that each path goes alternately
//! under and over, as in the plaits of old manuscripts.

use knotpost_rules::{
    knot::{Face, Knotwork, Place, Run, Side},
    view::{Panel, Piece},
};

/// Most rows or columns in which knots are followed.
const MOST: usize = 15;

/// A strand through a die.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ribbon {
    /// Row of its cell, from 0 at the top.
    pub row: usize,
    /// Column of its cell, from 0 at the left.
    pub column: usize,
    /// Open edge over whose clockwise side it leaves, below.
    pub start: End,
    /// Open edge over whose counter-clockwise side it leaves, above.
    pub end: End,
    /// Number of its closed path.
    pub path: Option<usize>,
}

/// An end of a ribbon in its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Edge that it crosses.
    pub side: Side,
    /// False if it goes on in the next cell as another ribbon, after a crossing.
    pub is_loose: bool,
}

/// A point where two ribbons of one cell meet two of the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossing {
    /// Ribbons above, one line that ends here; indices of [`Weave::ribbons`].
    pub above: [usize; 2],
    /// Ribbons below, one line that starts here.
    pub below: [usize; 2],
}

/// The knots of a panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Weave {
    /// Strands, cell by cell in reading order.
    pub ribbons: Vec<Ribbon>,
    /// Crossings, cell by cell.
    pub crossings: Vec<Crossing>,
    /// Lengths of the closed paths, in reading order of the first cell visited.
    pub lengths: Vec<u32>,
    /// Ribbons of each closed path, in the order in which it runs.
    pub paths: Vec<Vec<usize>>,
}

struct Index {
    columns: usize,
    numbers: Vec<Option<usize>>,
}

impl Index {
    fn slot(&self, row: usize, column: usize, side: Side) -> usize {
        (row * self.columns + column) * 4 + side as usize
    }

    fn get(&self, row: usize, column: usize, side: Side) -> Option<usize> {
        self.numbers.get(self.slot(row, column, side)).copied().flatten()
    }
}

impl Weave {
    /// Follows the strands of the dice that `face_of` selects.
    pub fn of(panel: &Panel, face_of: impl Fn(Piece) -> Option<Face>) -> Self {
        let (rows, columns) = (panel.rows().min(MOST), panel.columns.min(MOST));
        let faces: Vec<Option<Face>> = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| (row, column)))
            .map(|(row, column)| face_of(panel.cell(row, column)))
            .collect();
        let face = |row: usize, column: usize| {
            if column < columns { faces.get(row * columns + column).copied().flatten() } else { None }
        };
        let mut weave = Self::default();
        let mut index = Index { columns, numbers: vec![None; rows * columns * 4] };
        for row in 0..rows {
            for column in 0..columns {
                let Some(here) = face(row, column) else { continue };
                let end_at = |side: Side| {
                    let beyond = step(row, column, side).and_then(|(row, column)| face(row, column));
                    let met = beyond.is_some_and(|other| other.is_open(side.opposite()));
                    End { side, is_loose: !met }
                };
                for side in Side::ALL.into_iter().filter(|side| here.is_open(*side)) {
                    let slot = index.slot(row, column, side);
                    if let Some(number) = index.numbers.get_mut(slot) {
                        *number = Some(weave.ribbons.len());
                    }
                    let (start, end) = (end_at(side), end_at(here.next_clockwise(side)));
                    weave.ribbons.push(Ribbon { row, column, start, end, path: None });
                }
            }
        }
        weave.name_paths(&index, rows, &face);
        weave.find_crossings(&index);
        weave
    }

    fn name_paths(&mut self, index: &Index, rows: usize, face: &impl Fn(usize, usize) -> Option<Face>) {
        let mut work = Knotwork::default();
        for row in 0..rows {
            for column in 0..index.columns {
                if let Some(face) = face(row, column) {
                    work.put(Place::new(row as u8 + 1, column as u8 + 1), face);
                }
            }
        }
        let mut paths = Vec::new();
        work.closed_paths(
            Run::of_rows(Place::new(1, 1), Place::new(rows as u8, index.columns as u8)),
            |path| paths.push(path),
        );
        for (number, path) in paths.into_iter().enumerate() {
            let mut round = Vec::new();
            for strand in work.strands(path) {
                let place = strand.place();
                let (row, column) = (usize::from(place.row()) - 1, usize::from(place.column()) - 1);
                let ribbon = index.get(row, column, strand.side());
                round.extend(ribbon);
                if let Some(ribbon) = ribbon.and_then(|ribbon| self.ribbons.get_mut(ribbon)) {
                    ribbon.path = Some(number);
                }
            }
            self.paths.push(round);
            self.lengths.push(path.length);
        }
    }

    /// Pairs the ends that meet over the right and the lower side of each cell.
    fn find_crossings(&mut self, index: &Index) {
        let crossings = self.ribbons.iter().enumerate().filter_map(|(number, ribbon)| {
            let Ribbon { row, column, end: End { side, is_loose }, .. } = *ribbon;
            if is_loose || !matches!(side, Side::East | Side::South) {
                return None;
            }
            let (next_row, next_column) = step(row, column, side)?;
            let back = side.opposite();
            let ends_there = |other: Side| {
                let number = index.get(next_row, next_column, other)?;
                self.ribbons.get(number).filter(|ribbon| ribbon.end.side == back).map(|_| number)
            };
            let above = [number, Side::ALL.into_iter().find_map(ends_there)?];
            let below = [index.get(row, column, side)?, index.get(next_row, next_column, back)?];
            Some(Crossing { above, below })
        });
        self.crossings = crossings.collect();
    }
}

fn step(row: usize, column: usize, side: Side) -> Option<(usize, usize)> {
    match side {
        Side::North => Some((row.checked_sub(1)?, column)),
        Side::East => Some((row, column + 1)),
        Side::South => Some((row + 1, column)),
        Side::West => Some((row, column.checked_sub(1)?)),
    }
}

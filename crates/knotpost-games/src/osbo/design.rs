//! One design: its dice, the cells its open edges point to, and the window it must fit. Rolls and turns are not
//! known here.

use super::dice::{Faces, Kind};
use knotpost_rules::{
    Key,
    knot::{Face, Knotwork, Place, Places, Run, Side},
};

/// Dice on the coordinate grid, together with what follows from them and is needed often.
///
/// Cells count rows from the top and columns from the left. The grid has `2 * size - 1` of both; nothing is ever laid
/// outside it.
#[derive(Clone, Debug)]
pub(super) struct Design {
    dice: Knotwork,
    /// Empty cells that an open edge points to.
    loose: Places,
    /// The bounding box of dice and loose cells. It never shrinks, for loose cells only turn into dice.
    bounds: Bounds,
    /// Rows and columns of the window.
    size: u8,
}

/// A design's state before a die was put.
pub(super) struct Undo {
    place: Place,
    loose: Places,
    bounds: Bounds,
}

/// A box of cells, all four lines included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    pub top: u8,
    pub bottom: u8,
    pub left: u8,
    pub right: u8,
}

impl Bounds {
    const fn around(place: Place) -> Self {
        let (row, column) = (place.row(), place.column());
        Self { top: row, bottom: row, left: column, right: column }
    }

    fn include(&mut self, place: Place) {
        self.top = self.top.min(place.row());
        self.bottom = self.bottom.max(place.row());
        self.left = self.left.min(place.column());
        self.right = self.right.max(place.column());
    }

    /// Rows.
    pub(super) const fn height(self) -> u8 {
        self.bottom - self.top + 1
    }

    /// Columns.
    pub(super) const fn width(self) -> u8 {
        self.right - self.left + 1
    }

    /// All cells, row by row from the top.
    pub(super) fn places(self) -> impl Iterator<Item = Place> {
        (self.top..=self.bottom)
            .flat_map(move |row| (self.left..=self.right).map(move |column| Place::new(row, column)))
    }
}

/// The reason that a face cannot lie on a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// A die lies there.
    Occupied,
    /// No neighbouring die is open towards the cell.
    Unjoined,
    /// Open meets closed at this side of the cell.
    Mismatch(Side),
    /// The design would outgrow its window over this side of the cell.
    Outgrown(Side),
}

impl Design {
    /// A lone crossing in the middle of the grid.
    pub(super) fn new(size: u8) -> Self {
        Self::of(size, [(Place::new(size, size), Face::from_sides(15))])
    }

    /// A design of these dice; it may outgrow its window, see [`Self::fits`].
    pub(super) fn of(size: u8, dice: impl IntoIterator<Item = (Place, Option<Face>)>) -> Self {
        let mut design = Self {
            dice: Knotwork::default(),
            loose: Places::default(),
            bounds: Bounds::around(Place::new(size, size)),
            size,
        };
        let mut places = Places::default();
        for (place, face) in dice {
            if let Some(face) = face {
                design.dice.put(place, face);
                places.insert(place);
            }
        }
        if let Some(first) = places.iter().next() {
            design.bounds = Bounds::around(first);
        }
        for place in places.iter() {
            design.bounds.include(place);
            design.loosen_around(place);
        }
        design
    }

    /// Rows and columns of the grid.
    pub(super) const fn grid(&self) -> u8 {
        2 * self.size - 1
    }

    /// True if everything lies inside the window and the grid.
    pub(super) const fn fits(&self) -> bool {
        let Bounds { top, bottom, left, right } = self.bounds;
        let inside = top >= 1 && left >= 1 && bottom <= self.grid() && right <= self.grid();
        inside && self.bounds.height() <= self.size && self.bounds.width() <= self.size
    }

    /// The box of dice and loose cells.
    pub(super) const fn bounds(&self) -> Bounds {
        self.bounds
    }

    /// The box of the dice alone.
    pub(super) fn dice_bounds(&self) -> Bounds {
        let mut dice = self.bounds.places().filter(|place| self.dice.face(*place).is_some());
        let mut bounds = Bounds::around(dice.next().unwrap_or(Place::new(self.size, self.size)));
        dice.for_each(|place| bounds.include(place));
        bounds
    }

    /// The die on a cell.
    pub(super) const fn face(&self, place: Place) -> Option<Face> {
        self.dice.face(place)
    }

    /// The empty cells that an open edge points to.
    pub(super) const fn loose(&self) -> Places {
        self.loose
    }

    /// True if no open edge is left.
    pub(super) const fn is_closed(&self) -> bool {
        self.loose.is_empty()
    }

    /// The lengths of the closed paths, longest first.
    pub(super) fn path_lengths(&self) -> Vec<u32> {
        let Bounds { top, bottom, left, right } = self.bounds;
        let run = Run::of_rows(Place::new(top, left), Place::new(bottom, right));
        let mut lengths = Vec::new();
        self.dice.closed_paths(run, |path| lengths.push(path.length));
        lengths.sort_unstable_by(|one, other| other.cmp(one));
        lengths
    }

    /// The design as it was before these dice were laid.
    pub(super) fn without(&self, dice: Places) -> Self {
        let kept = self.bounds.places().filter(|place| !dice.contains(*place));
        Self::of(self.size, kept.map(|place| (place, self.dice.face(place))))
    }

    /// The faces that can legally lie on a loose cell.
    pub(super) fn faces_at(&self, place: Place) -> Faces {
        let (must, may) = self.dice.edges(place);
        Faces::between(must, may & !self.blocked_at(place))
    }

    /// True if a die of this kind can legally lie on one of these loose cells.
    pub(super) fn has_room(&self, kind: Kind, among: Places) -> bool {
        among.iter().any(|place| !self.faces_at(place).and(kind.faces()).is_empty())
    }

    /// Lays a die on a loose cell where it legally fits. What it returns undoes it.
    pub(super) fn put(&mut self, place: Place, face: Face) -> Undo {
        let undo = Undo { place, loose: self.loose, bounds: self.bounds };
        self.dice.put(place, face);
        self.loose.remove(place);
        self.loosen_around(place);
        undo
    }

    /// Takes back the last die that was put and is still there.
    pub(super) fn take_back(&mut self, undo: &Undo) {
        self.dice.remove(undo.place);
        self.loose = undo.loose;
        self.bounds = undo.bounds;
    }

    /// The reason that the face cannot legally lie on the cell, if it cannot.
    pub(super) fn find_misfit(&self, place: Place, face: Face) -> Option<Misfit> {
        if self.dice.face(place).is_some() {
            return Some(Misfit::Occupied);
        }
        let (must, may) = self.dice.edges(place);
        if must == 0 {
            return Some(Misfit::Unjoined);
        }
        let wrong = (must & !face.sides()) | (face.sides() & !(must | may));
        let outgrown = face.sides() & may & self.blocked_at(place);
        let first = |bits: u8| Side::ALL.into_iter().find(|side| bits & side.bit() != 0);
        first(wrong).map(Misfit::Mismatch).or_else(|| first(outgrown).map(Misfit::Outgrown))
    }

    /// A key and this design.
    pub(super) fn add_to(&self, key: Key) -> Key {
        let Bounds { top, bottom, .. } = self.bounds;
        self.dice.add_rows(key.with(u64::from(top) << 8 | u64::from(bottom)), top, bottom)
    }

    /// The dice of this design that another one does not have.
    pub(super) fn beyond(&self, other: &Self) -> Places {
        let is_new = |place: &Place| self.face(*place).is_some() && other.face(*place).is_none();
        let mut places = Places::default();
        self.bounds.places().filter(is_new).for_each(|place| places.insert(place));
        places
    }

    /// Fills cells that only a tip can ever fill, until there is none left.
    pub(super) fn fill_tips(&mut self) {
        loop {
            let only_tip = |place: Place| {
                let face = self.faces_at(place).only().filter(|face| Kind::of(*face) == Kind::Tip)?;
                Some((place, face))
            };
            let Some((place, face)) = self.loose.iter().find_map(only_tip) else { return };
            self.put(place, face);
        }
    }

    /// The sides of a cell inside the box over which the window or the grid ends. As the window is at least three
    /// cells wide, two opposite sides never compete for the last line.
    const fn blocked_at(&self, place: Place) -> u8 {
        let Bounds { top, bottom, left, right } = self.walls();
        let (row, column) = (place.row(), place.column());
        (row <= top) as u8
            | ((column >= right) as u8) << 1
            | ((row >= bottom) as u8) << 2
            | ((column <= left) as u8) << 3
    }

    /// The last rows and columns there are: those of the grid, or of the box where that has the full size.
    const fn walls(&self) -> Bounds {
        let Bounds { mut top, mut bottom, mut left, mut right } = self.bounds;
        if self.bounds.height() < self.size {
            (top, bottom) = (1, self.grid());
        }
        if self.bounds.width() < self.size {
            (left, right) = (1, self.grid());
        }
        Bounds { top, bottom, left, right }
    }

    /// Notes the empty cells that the die on `place` points to.
    fn loosen_around(&mut self, place: Place) {
        let Some(face) = self.dice.face(place) else { return };
        let (_, empty) = self.dice.edges(place);
        let loosened = face.sides() & empty;
        for side in Side::ALL.into_iter().filter(|side| loosened & side.bit() != 0) {
            let beyond = place.beyond(side);
            self.loose.insert(beyond);
            self.bounds.include(beyond);
        }
    }
}

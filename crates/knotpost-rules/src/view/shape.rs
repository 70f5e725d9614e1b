//! Places of the cells of a panel: rows of cells, each a number of half cells to the right. Text, pictures and words follow
//! from this alone.

use super::{Edge, Panel, Piece, join_words, reading::name_cell};
use crate::seat::Seat;

/// The arrangement of a panel's cells, and their drawing. All but the first are drawn close together, an empty cell as a point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Shape {
    /// Rows and columns, each cell with room for a die or a stone.
    #[default]
    Framed,
    /// Rows and columns.
    Square,
    /// Rows and columns, each row half a cell further right than the one above.
    Slanted,
    /// One cell in the first row, one more in each of the others.
    Triangle,
    /// Rows that grow by a cell down to the middle one and shrink again.
    Hexagon,
    /// Points where lines cross.
    Points,
    /// Dots at every other place of every other row, edges between two dots and boxes between four edges.
    Edges,
    /// Houses that hold seeds, a row a seat, which the owners of the upper and the lower side have.
    Houses,
}

/// A place of a board of edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgePart {
    /// A meeting point of edges.
    Dot,
    /// An edge between two dots side by side.
    Across,
    /// An edge between two dots one above the other.
    Down,
    /// The space between four edges.
    Box,
}

impl Panel {
    /// True if the cells are drawn close together, without room for dice.
    pub fn is_of_tokens(&self) -> bool {
        self.shape != Shape::Framed
    }

    /// True for the dark cells of a chequered panel.
    pub const fn is_dark(&self, row: usize, column: usize) -> bool {
        self.chequered && (row + column) % 2 == 1
    }

    /// The column where a drawn line along the row through this place begins, and whether one runs down through it.
    pub fn lines_at(&self, row: usize, column: usize) -> (Option<usize>, bool) {
        let ends = self.lines.iter().map(|[from, to]| (self.find(*from), self.find(*to)));
        let (mut across, mut down) = (None, false);
        for ((top, left), (bottom, right)) in ends {
            if top == bottom && top == row && (left..=right).contains(&column) {
                across = across.min(Some(left)).or(Some(left));
            }
            down |= left == right && left == column && (top..=bottom).contains(&row);
        }
        (across, down)
    }

    /// Rows of cells.
    pub const fn rows(&self) -> usize {
        match (self.shape, self.cells.len().checked_div(self.columns)) {
            (Shape::Triangle | Shape::Hexagon, _) => self.columns,
            (_, Some(rows)) => rows,
            (_, None) => 0,
        }
    }

    /// Cells of a row.
    pub const fn cells_in(&self, row: usize) -> usize {
        match self.shape {
            Shape::Triangle => row + 1,
            Shape::Hexagon => self.columns - row.abs_diff(self.columns / 2),
            _ => self.columns,
        }
    }

    /// Half cells that a row begins right of the row that begins leftmost.
    pub const fn indent(&self, row: usize) -> usize {
        match self.shape {
            Shape::Slanted => row,
            Shape::Triangle => self.columns - 1 - row,
            Shape::Hexagon => row.abs_diff(self.columns / 2),
            _ => 0,
        }
    }

    /// The width of the panel in half cells.
    pub fn half_columns(&self) -> usize {
        (0..self.rows()).map(|row| self.indent(row) + 2 * self.cells_in(row)).max().unwrap_or(0)
    }

    /// The place in `cells` of the first cell of a row.
    pub fn start(&self, row: usize) -> usize {
        match self.shape {
            Shape::Triangle | Shape::Hexagon => (0..row).map(|row| self.cells_in(row)).sum(),
            _ => row * self.columns,
        }
    }

    /// Row and place in the row, from 0, of a place in `cells`.
    pub fn find(&self, place: usize) -> (usize, usize) {
        let row = (0..self.rows()).rev().find(|row| self.start(*row) <= place).unwrap_or(0);
        (row, place - self.start(row))
    }

    /// The cell at this place, counted from 0 at the left end of a row; [`Piece::Empty`] beyond the frame.
    pub fn cell(&self, row: usize, column: usize) -> Piece {
        if row >= self.rows() || column >= self.cells_in(row) {
            return Piece::Empty;
        }
        self.cells.get(self.start(row) + column).copied().unwrap_or(Piece::Empty)
    }

    /// The size and arrangement of the panel: `4 rows by 1 column`.
    pub fn tell_shape(&self) -> String {
        let count = |number, what| format!("{number} {what}{}", if number == 1 { "" } else { "s" });
        let (rows, columns) = (count(self.rows(), "row"), count(self.columns, "column"));
        match self.shape {
            Shape::Points if !self.lines.is_empty() => {
                let points = self.cells.iter().filter(|piece| **piece != Piece::Hole).count();
                format!("{points} points on {}", count(self.lines.len(), "line"))
            }
            Shape::Framed | Shape::Square | Shape::Points | Shape::Houses => format!("{rows} by {columns}"),
            Shape::Edges => format!("{} by {} boxes between dots", self.rows() / 2, self.columns / 2),
            Shape::Slanted => {
                format!("{rows} by {columns}, each row half a cell further right")
            }
            Shape::Triangle => format!("a triangle of {rows}, the first one a single cell"),
            Shape::Hexagon => {
                format!("a hexagon of {rows}, of {} to {} cells", self.cells_in(0), self.columns)
            }
        }
    }

    /// The owners of the sides, a sentence each.
    pub fn tell_owners(&self) -> Vec<String> {
        let sides =
            [(Edge::Top, "top"), (Edge::Bottom, "bottom"), (Edge::Left, "left"), (Edge::Right, "right")];
        let mut owners: Vec<(&str, Vec<String>)> = Vec::new();
        for (edge, side) in sides {
            let owner = self.margin(edge).owner;
            match owners.iter_mut().find(|(known, _)| *known == owner) {
                _ if owner.is_empty() => {}
                Some((_, known)) => known.push(side.to_owned()),
                None => owners.push((owner, vec![side.to_owned()])),
            }
        }
        owners.into_iter().map(|(owner, sides)| format!("{owner} owns {}.", join_words(&sides))).collect()
    }

    /// The part of a board of edges that a place is.
    pub const fn edge_part(row: usize, column: usize) -> EdgePart {
        match (row % 2, column % 2) {
            (0, 0) => EdgePart::Dot,
            (0, _) => EdgePart::Across,
            (_, 0) => EdgePart::Down,
            _ => EdgePart::Box,
        }
    }

    /// The links of each seat by the names of their cells: `b3-d4`.
    pub fn name_links(&self) -> Vec<(Seat, Vec<String>)> {
        let mut named: Vec<(Seat, Vec<String>)> = Vec::new();
        for (from, to, seat) in self.links.iter().flatten() {
            let name = format!("{}-{}", name_cell(self, *from), name_cell(self, *to));
            match named.iter_mut().find(|(known, _)| known == seat) {
                Some((_, names)) => names.push(name),
                None => named.push((*seat, vec![name])),
            }
        }
        named.sort_by_key(|(seat, _)| seat.index());
        named
    }

    /// The last move in a sentence, where the panel marks its cells.
    pub fn tell_last(&self) -> Option<String> {
        let name = |place: &usize| name_cell(self, *place);
        match (self.arrow, self.last.iter().map(name).collect::<Vec<_>>().as_slice()) {
            (Some([from, to]), _) => {
                Some(format!("The last move went from {} to {}.", name(&from), name(&to)))
            }
            (None, []) => None,
            (None, cells) => Some(format!("The last move was on {}.", join_words(cells))),
        }
    }
}

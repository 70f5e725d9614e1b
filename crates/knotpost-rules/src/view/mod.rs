//! The view of a position for renderers: panels of cells, margins, scores, a legend. Text and pictures draw the same
//! view, so they cannot disagree. Rules are unknown here.

mod cast;
mod houses;
mod layout;
mod look;
mod news;
mod reading;
mod shape;
mod text;
mod tokens;

pub use cast::{Cast, Now};
pub use layout::Layout;
pub use look::{Chessman, Figure, Ground, Look, RolledDie, Sight};
pub use news::{News, join_words};
pub use shape::{EdgePart, Shape};

pub use text::draw_faces;

use crate::{knot::Face, seat::Seat};

/// For whom a view is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Viewer {
    /// Anybody: sees what is public.
    Spectator,
    /// The player in this seat.
    Seat(Seat),
}

/// A position as seen by a viewer. `Display` is the text board with margins and scores, without a final line end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct View {
    /// The boards, drawn one below the other.
    pub panels: Vec<Panel>,
    /// The standing, a line a seat.
    pub scores: Vec<ScoreLine>,
    /// Knot dice that were rolled for this turn and wait to be placed. Text boards list them in the legend.
    pub roll: Vec<RolledDie>,
    /// The gains and captures of the last move; `None` where it had neither.
    pub news: Option<News>,
    /// The way to read and type moves: lines of at most 72 columns.
    pub legend: String,
    /// The faces that moves name by letters; empty in games without them, and when nothing more is played. Text boards
    /// draw them in the legend.
    pub faces: &'static [Face],
    /// The players, and the standing of the game.
    pub cast: Cast,
}

impl View {
    /// The way to read and type moves, at most 72 columns wide.
    pub fn legend(&self) -> String {
        self.legend.clone()
    }
}

/// One seat's line below the board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScoreLine {
    /// Its owner.
    pub seat: Seat,
    /// The side's name, such as `Horz`.
    pub name: &'static str,
    /// The seat's property, such as `left and right`; empty when there is nothing to say.
    pub role: String,
    /// The score as text.
    pub score: String,
}

/// A framed board of cells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Panel {
    /// A heading above the grid; empty for none.
    pub title: String,
    /// The seat that the heading names; `None` for a panel of all.
    pub seat: Option<Seat>,
    /// The seat that closed the closed paths, whose colour they have; `None` where several may have.
    pub closer: Option<Seat>,
    /// The arrangement of the cells.
    pub shape: Shape,
    /// Cells in a row, in the longest one where rows differ.
    pub columns: usize,
    /// The cells, rows from the top, each from left to right.
    pub cells: Vec<Piece>,
    /// The names of the cells in moves, in their order; empty where cells are not pointed at.
    pub spots: Vec<String>,
    /// The cells of the last move that are marked, by their places in `cells`.
    pub last: Vec<usize>,
    /// From where to where the last move went, by places in `cells`.
    pub arrow: Option<[usize; 2]>,
    /// Lines between points, by the places of their ends in `cells`; empty where these are whole rows and columns.
    pub lines: Vec<[usize; 2]>,
    /// True if the cells are light and dark by turns, as on a chess board, the one at the top left being light.
    pub chequered: bool,
    /// Links between cells, by places in `cells`, each with its owner; `None` on boards without links.
    pub links: Option<Vec<(usize, usize, Seat)>>,
    /// Points by which places are counted, by their places in `cells`; where one is empty, it is drawn stronger.
    pub stars: Vec<usize>,
    /// The cells that the last move changed by moving what lay there, by their places in `cells`.
    pub moved: Vec<usize>,
    /// The margins along the left, top, right and bottom side.
    pub margins: [Margin; 4],
    /// The size of a cell in text.
    pub cell_size: CellSize,
}

/// The interior of a cell of a text board, in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellSize {
    /// Characters from bar to bar.
    pub width: usize,
    /// Lines from rule to rule.
    pub height: usize,
}

impl Default for CellSize {
    /// Room for the face of a knot die.
    fn default() -> Self {
        Self { width: 5, height: 3 }
    }
}

/// The contents of one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Piece {
    /// Nothing.
    Empty,
    /// No cell at all: a place that the board leaves out.
    Hole,
    /// A knot die.
    Die {
        /// The open edges.
        face: Face,
        /// Its fate in the last move.
        fate: Fate,
    },
    /// A piece drawn as one character.
    Token {
        /// The character.
        sign: char,
        /// Its owner, for colours.
        owner: Option<Seat>,
        /// Its look in a picture beyond the character.
        look: Look,
    },
    /// A stone with a number on each side.
    Stone {
        /// Its name, at most three characters.
        name: &'static str,
        /// The numbers, clockwise from the top, each below ten.
        sides: [u8; 4],
        /// Its owner; drawn as `A` for seat 1, `B` for seat 2.
        owner: Seat,
        /// Placed or captured by the last move.
        fate: Fate,
    },
}

impl Piece {
    /// The face of a die that lies on the board.
    pub const fn live_face(self) -> Option<Face> {
        match self {
            Self::Die { face, fate: Fate::Stays | Fate::Placed | Fate::Captured } => Some(face),
            _ => None,
        }
    }
}

/// The effect of the last move on a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It lies on the board.
    Stays,
    /// It lies on the board and came with the last move: its corner is marked.
    Placed,
    /// It lies on the board, and the last move gave it to another owner.
    Captured,
    /// The last move took it off; drawn once more as a trace, counts as empty.
    Removed,
}

/// The text along one side of a panel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Margin {
    /// Its owner; empty for none.
    pub owner: &'static str,
    /// A label a line of cells, from the top or the left; empty where there is none. Above and below these are the cells of
    /// the first and of the last row.
    pub labels: Vec<String>,
    /// The line where the last move came in.
    pub entered: Option<usize>,
}

/// The order of [`Panel::margins`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// Labels from the top.
    Left,
    /// Labels from the left.
    Top,
    /// Labels from the top.
    Right,
    /// Labels from the left.
    Bottom,
}

impl Panel {
    /// The margin along a side.
    pub const fn margin(&self, edge: Edge) -> &Margin {
        let [left, top, right, bottom] = &self.margins;
        match edge {
            Edge::Left => left,
            Edge::Top => top,
            Edge::Right => right,
            Edge::Bottom => bottom,
        }
    }
}

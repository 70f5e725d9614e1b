//! Things that pictures show and text boards express in other ways: grounds, shapes, sight, rolled dice.

use crate::knot::Face;

/// The look of a token and its cell in a picture. The default is the bare character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Look {
    /// The pavement of the cell.
    pub ground: Ground,
    /// The figure on it.
    pub figure: Figure,
    /// The cell as a goal of this turn.
    pub sight: Sight,
}

/// The pavement of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ground {
    /// None: boards without a pattern.
    #[default]
    Plain,
    /// The lighter of two.
    Light,
    /// The darker of two.
    Dark,
}

/// The shape of a token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Figure {
    /// The character itself.
    #[default]
    Sign,
    /// Nothing stands here.
    Nothing,
    /// A counter of its owner.
    Counter,
    /// A place to be won, with or without an owner.
    Target,
    /// A stone or man of its owner: dark for seat 1, light for seat 2, with the mark of the seat.
    Disc,
    /// A drawn edge between two dots.
    Line,
    /// A king of checkers: a man with a crown.
    Crowned,
    /// A chessman: light for seat 1, dark for seat 2.
    Chess(Chessman),
    /// Nothing can stand here any more.
    Blocked,
    /// A house of its owner with this many seeds.
    Seeds(u8),
}

/// The pieces of chess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Chessman {
    /// Pawn.
    Pawn,
    /// Knight.
    Knight,
    /// Bishop.
    Bishop,
    /// Rook.
    Rook,
    /// Queen.
    Queen,
    /// King.
    King,
}

impl Chessman {
    /// All of them, each with its word.
    pub const ALL: [(Self, &'static str); 6] = [
        (Self::Pawn, "pawn"),
        (Self::Knight, "knight"),
        (Self::Bishop, "bishop"),
        (Self::Rook, "rook"),
        (Self::Queen, "queen"),
        (Self::King, "king"),
    ];

    /// The word for it.
    pub fn word(self) -> &'static str {
        Self::ALL.into_iter().find(|(man, _)| *man == self).map_or("piece", |(_, word)| word)
    }
}

impl Figure {
    /// A word for it in lists, where its sign alone does not say what it is.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Self::Crowned => Some("king"),
            Self::Chess(man) => Some(man.word()),
            Self::Blocked => Some("blocked"),
            _ => None,
        }
    }
}

/// The sight of a cell from where the last token lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sight {
    /// It is not, or that means nothing here.
    #[default]
    Unseen,
    /// It is.
    Seen,
}

/// A rolled knot die.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolledDie {
    /// The face in the first of its rotations.
    pub face: Face,
    /// Its name, such as `corner`.
    pub name: &'static str,
    /// The letters of all its rotations, in their order.
    pub letters: String,
}

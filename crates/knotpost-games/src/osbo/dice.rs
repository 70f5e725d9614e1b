//! The kinds of dice faces, and rolls of them. Designs are not known here.

use knotpost_rules::{knot::Face, rng::Draws};
use std::fmt;

/// A face without its rotation, in the order of the letters `b c s t x`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Kind {
    /// Three open edges.
    Branch,
    /// Two open edges side by side.
    Corner,
    /// Two open edges across.
    Straight,
    /// One open edge.
    Tip,
    /// Four open edges.
    Crossing,
}

/// The face of a die for each outcome of a draw; two of its faces are corners.
const DIE: [Kind; 6] = [Kind::Tip, Kind::Straight, Kind::Corner, Kind::Corner, Kind::Branch, Kind::Crossing];

impl Kind {
    /// All kinds in the order of their letters.
    pub(super) const ALL: [Self; 5] = [Self::Branch, Self::Corner, Self::Straight, Self::Tip, Self::Crossing];

    /// The kind of a face.
    pub(super) const fn of(face: Face) -> Self {
        match face.sides() {
            1 | 2 | 4 | 8 => Self::Tip,
            5 | 10 => Self::Straight,
            3 | 6 | 9 | 12 => Self::Corner,
            7 | 11 | 13 | 14 => Self::Branch,
            _ => Self::Crossing,
        }
    }

    /// The letter of rolls.
    pub(super) const fn letter(self) -> char {
        match self {
            Self::Branch => 'b',
            Self::Corner => 'c',
            Self::Straight => 's',
            Self::Tip => 't',
            Self::Crossing => 'x',
        }
    }

    /// The word for it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Branch => "branch",
            Self::Corner => "corner",
            Self::Straight => "straight",
            Self::Tip => "tip",
            Self::Crossing => "crossing",
        }
    }

    /// Its rotations.
    pub(super) const fn faces(self) -> Faces {
        Faces(match self {
            Self::Branch => 1 << 7 | 1 << 11 | 1 << 13 | 1 << 14,
            Self::Corner => 1 << 3 | 1 << 6 | 1 << 9 | 1 << 12,
            Self::Straight => 1 << 5 | 1 << 10,
            Self::Tip => 1 << 1 | 1 << 2 | 1 << 4 | 1 << 8,
            Self::Crossing => 1 << 15,
        })
    }
}

/// A set of faces, a bit each at the number of its open edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Faces(u16);

/// The faces that have at least the edges of the index.
const ABOVE: [u16; 16] = relate(true);
/// The faces that have at most the edges of the index.
const BELOW: [u16; 16] = relate(false);

const fn relate(above: bool) -> [u16; 16] {
    let mut table = [0; 16];
    let mut index = 0;
    while index < 16 {
        let mut sides = 1;
        while sides < 16 {
            let excess = if above { index & !sides } else { sides & !index };
            if excess == 0 {
                table[index] |= 1 << sides;
            }
            sides += 1;
        }
        index += 1;
    }
    table
}

impl Faces {
    /// The faces whose open edges hold all of `must` and nothing outside `must` and `may`.
    pub(super) const fn between(must: u8, may: u8) -> Self {
        Self(ABOVE[(must & 15) as usize] & BELOW[((must | may) & 15) as usize])
    }

    /// The faces in both sets.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// True if the set is empty.
    pub(super) const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The faces in either set.
    pub(super) const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The faces of this set that are not in the other.
    pub(super) const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The only face of the set, if there is just one.
    pub(super) const fn only(self) -> Option<Face> {
        if self.0.is_power_of_two() { Face::from_sides(self.0.trailing_zeros() as u8) } else { None }
    }

    /// The faces of the set.
    pub(super) fn iter(mut self) -> impl Iterator<Item = Face> {
        std::iter::from_fn(move || self.take_first())
    }

    /// Takes a face out of the set, the one with the lowest number of open edges as bits first.
    pub(super) fn take_first(&mut self) -> Option<Face> {
        let first = Face::from_sides(self.0.trailing_zeros() as u8)?;
        self.0 &= self.0 - 1;
        Some(first)
    }
}

/// The dice of a turn, sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Roll {
    dice: [Kind; super::MAX_SEATS],
    count: usize,
}

impl Roll {
    /// Rolls this many dice: one draw of six outcomes a die.
    pub(super) fn draw(draws: &mut Draws, count: usize) -> Self {
        let mut roll = Self { dice: [Kind::Tip; super::MAX_SEATS], count: count.min(super::MAX_SEATS) };
        for die in roll.dice.iter_mut().take(roll.count) {
            *die = DIE.get(draws.below(6) as usize).copied().unwrap_or(Kind::Tip);
        }
        roll.dice.get_mut(..roll.count).unwrap_or_default().sort_unstable();
        roll
    }

    /// Reads `bt`; `None` unless the letters are those of kinds, in order, and this many.
    pub(super) fn parse(text: &str, count: usize) -> Option<Self> {
        let mut roll = Self { dice: [Kind::Tip; super::MAX_SEATS], count };
        let mut letters = text.chars();
        for die in roll.dice.iter_mut().take(count) {
            let letter = letters.next()?;
            *die = *Kind::ALL.iter().find(|kind| kind.letter() == letter)?;
        }
        (letters.next().is_none() && roll.dice().is_sorted()).then_some(roll)
    }

    /// The dice in order.
    pub(super) fn dice(&self) -> &[Kind] {
        self.dice.get(..self.count).unwrap_or_default()
    }

    /// All dice as bits.
    pub(super) const fn mask(&self) -> u8 {
        (1 << self.count) - 1
    }

    /// The faces that the dice in `left` can show.
    pub(super) fn faces(&self, left: u8) -> Faces {
        let dice = self.dice().iter().enumerate().filter(|(die, _)| left >> die & 1 == 1);
        dice.fold(Faces(0), |faces, (_, kind)| faces.or(kind.faces()))
    }

    /// The first die of a kind among those in `left`.
    pub(super) fn find(&self, kind: Kind, left: u8) -> Option<usize> {
        (0..self.count).find(|die| left >> die & 1 == 1 && self.dice.get(*die) == Some(&kind))
    }
}

impl fmt::Display for Roll {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.dice().iter().try_for_each(|kind| write!(f, "{}", kind.letter()))
    }
}

//! Osbo moves: their text, and why one is refused.

use super::{design::Misfit, dice::Kind, plan::Quota};
use knotpost_rules::{
    Seat, SyntaxError,
    knot::{Face, Place, Side},
};
use std::{fmt, str::FromStr};

/// The form of a move, to complete "a move is ...".
const SHAPE: &str =
    "one to four dice joined by commas, each a face a to o, a design and a cell, such as k2e4,a1e6";

/// A cell by its coordinates: the column from the left and the row from the bottom, both from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cell {
    column: u8,
    row: u8,
}

impl Cell {
    /// The cell at a place on a grid with this many rows.
    pub(super) const fn at(place: Place, grid: u8) -> Self {
        Self { column: place.column(), row: grid + 1 - place.row() }
    }

    /// The last cell of a grid with this many rows and columns.
    pub(super) const fn top_right(grid: u8) -> Self {
        Self { column: grid, row: grid }
    }

    /// The row's number.
    pub(super) const fn row(self) -> u8 {
        self.row
    }

    /// The column's letter.
    pub(super) fn letter(self) -> char {
        char::from(b'a' + self.column - 1)
    }

    /// Its place on a grid with this many rows and columns; `None` when it does not lie there.
    pub(super) fn place(self, grid: u8) -> Option<Place> {
        let inside = (1..=grid).contains(&self.row) && (1..=grid).contains(&self.column);
        inside.then(|| Place::new(grid + 1 - self.row, self.column))
    }

    /// Reads `e4`; `None` for anything else.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut chars = text.chars();
        let letter = chars.next().filter(char::is_ascii_alphabetic)?.to_ascii_lowercase();
        let digits = chars.as_str();
        let plain = !digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        let row = digits.parse().ok().filter(|_| plain)?;
        Some(Self { column: letter as u8 - b'a' + 1, row })
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.letter(), self.row)
    }
}

/// Lay this face on this cell of this design.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Placement {
    /// The die as it will lie.
    pub face: Face,
    /// The seat of the design.
    pub design: Seat,
    /// Its place on the design.
    pub cell: Cell,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.face.letter(), self.design, self.cell)
    }
}

impl Placement {
    /// Reads `k2e4` and `k:2e4`; `None` for anything else.
    fn parse(text: &str) -> Option<Self> {
        let mut chars = text.chars();
        let face = chars.next().and_then(Face::from_letter)?;
        let rest = chars.as_str();
        let mut chars = rest.strip_prefix(':').unwrap_or(rest).chars();
        let design = chars.next()?.to_digit(10).and_then(|digit| Seat::new(digit as u8))?;
        Some(Self { face, design, cell: Cell::parse(chars.as_str())? })
    }
}

/// A turn: dice laid one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OsboMove {
    /// Those beyond `count` are all [`FILLER`], so that equal moves are equal.
    placements: [Placement; super::MAX_SEATS],
    count: u8,
}

/// Stands where a move has no placement.
const FILLER: Placement =
    Placement { face: Face::ALL[0], design: Seat::FIRST, cell: Cell { column: 1, row: 1 } };

impl OsboMove {
    /// The move of these placements; `None` for none and for more than a roll ever has.
    pub fn new(placements: &[Placement]) -> Option<Self> {
        let (first, rest) = placements.split_first()?;
        let fits = placements.len() <= super::MAX_SEATS;
        fits.then(|| rest.iter().fold(Self::from(*first), |mv, placement| mv.with(*placement)))
    }

    /// This move with a placement more; the same when it is as long as a move can be.
    pub(super) fn with(mut self, placement: Placement) -> Self {
        if let Some(slot) = self.placements.get_mut(usize::from(self.count)) {
            *slot = placement;
            self.count += 1;
        }
        self
    }

    /// The placements in order.
    pub fn placements(&self) -> &[Placement] {
        self.placements.get(..usize::from(self.count)).unwrap_or_default()
    }
}

impl From<Placement> for OsboMove {
    fn from(placement: Placement) -> Self {
        Self { placements: [FILLER; super::MAX_SEATS], count: 0 }.with(placement)
    }
}

impl TryFrom<OsboMove> for Placement {
    type Error = SeveralDice;

    fn try_from(mv: OsboMove) -> Result<Self, SeveralDice> {
        if let [only] = mv.placements() { Ok(*only) } else { Err(SeveralDice) }
    }
}

/// A move is more than one placement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the move places several dice")]
pub struct SeveralDice;

impl fmt::Display for OsboMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, placement) in self.placements().iter().enumerate() {
            f.write_str(if number == 0 { "" } else { "," })?;
            placement.fmt(f)?;
        }
        Ok(())
    }
}

impl FromStr for OsboMove {
    type Err = SyntaxError;

    /// Reads `k2e4,a1e6`, in either case and with or without a colon after a face.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        let placements: Option<Vec<_>> =
            text.split(',').take(super::MAX_SEATS + 1).map(Placement::parse).collect();
        placements.and_then(|placements| Self::new(&placements)).ok_or_else(|| SyntaxError::new(text, SHAPE))
    }
}

/// The refusal of an Osbo move.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OsboIllegal {
    /// All designs are closed.
    #[error("the game is over: no design has an open edge left")]
    Over,
    /// A turn beyond a preview.
    #[error("the dice of this turn are not rolled yet")]
    NotRolled,
    /// No seat has this number.
    #[error("{placement} names design {}, and this board has designs 1 to {seats}", placement.design)]
    NoDesign {
        /// As given.
        placement: Placement,
        /// Seats at the board.
        seats: usize,
    },
    /// The cell is not on the grid.
    #[error("{placement} is off the grid, which runs from a1 to {last}")]
    NoCell {
        /// As given.
        placement: Placement,
        /// The cell at the top right.
        last: Cell,
    },
    /// No such die is left of the roll.
    #[error("{placement} needs a {kind}, and the dice left of this roll are {left}")]
    NoDie {
        /// As given.
        placement: Placement,
        /// The kind of its face.
        kind: &'static str,
        /// The rest, in words.
        left: String,
    },
    /// The die does not fit there.
    #[error("{}", describe_misfit(*placement, *why, *size))]
    Misfit {
        /// As given.
        placement: Placement,
        /// The rule it breaks.
        why: MisfitReason,
        /// Rows and columns of the window.
        size: u8,
    },
    /// More dice could be placed.
    #[error("{} can be placed this turn, so all of them must be, and not just {placed}", count(*needed, "dice"))]
    TooFewDice {
        /// Dice that were.
        placed: u8,
        /// Dice that can be.
        needed: u8,
    },
    /// The dice could be spread further.
    #[error(
        "{} can get dice this turn, so the dice must be spread over as many, and not over {spread}",
        count(*needed, "designs")
    )]
    TooFewDesigns {
        /// Designs that got dice.
        spread: u8,
        /// Designs that can.
        needed: u8,
    },
}

impl OsboIllegal {
    /// The refusal of a legal turn that falls short of the quota; `None` when it does not.
    pub(super) const fn of_shortfall(made: Quota, quota: Quota) -> Option<Self> {
        if made.dice < quota.dice {
            return Some(Self::TooFewDice { placed: made.dice, needed: quota.dice });
        }
        if made.designs < quota.designs {
            return Some(Self::TooFewDesigns { spread: made.designs, needed: quota.designs });
        }
        None
    }

    /// The refusal of a die that is not left of the roll.
    pub(super) fn of_missing(placement: Placement, left: &[Kind]) -> Self {
        let names: Vec<&str> = left.iter().map(|kind| kind.name()).collect();
        let left = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        Self::NoDie { placement, kind: Kind::of(placement.face).name(), left }
    }
}

/// The rule a placement breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MisfitReason(pub(super) Misfit);

fn count(number: u8, things: &str) -> String {
    match (number, things) {
        (1, "dice") => "one of the dice".to_owned(),
        (1, _) => "one design".to_owned(),
        (_, "dice") => format!("{number} of the dice"),
        _ => format!("{number} {things}"),
    }
}

const fn direction(side: Side) -> &'static str {
    match side {
        Side::North => "top",
        Side::East => "right",
        Side::South => "bottom",
        Side::West => "left",
    }
}

fn describe_misfit(placement: Placement, why: MisfitReason, size: u8) -> String {
    let Placement { face, design, cell } = placement;
    match why.0 {
        Misfit::Occupied => format!("{placement}: a die lies on {cell} of design {design} already"),
        Misfit::Unjoined => {
            format!("{placement}: no die next to {cell} of design {design} is open towards it")
        }
        Misfit::Mismatch(side) => {
            let (own, other) = if face.is_open(side) { ("open", "closed") } else { ("closed", "open") };
            let edge = direction(side);
            format!(
                "{placement}: face {} is {own} at its {edge} edge, where its neighbour is {other}",
                face.letter()
            )
        }
        Misfit::Outgrown(side) => format!(
            "{placement}: the open {} edge of {} would take design {design} out of its {size} x {size} window",
            direction(side),
            face.letter()
        ),
    }
}

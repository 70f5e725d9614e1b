//! Tournaments as they were played: players, rounds, results, points.

use std::fmt;
use std::ops::{Add, AddAssign, RangeInclusive};

/// Points in tenths, so that every system of points that a file can name is exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Points(u32);

impl Points {
    /// No point.
    pub const ZERO: Self = Self(0);
    /// A whole point.
    pub const ONE: Self = Self(10);
    /// Half a point.
    pub const HALF: Self = Self(5);

    /// Points of a number of tenths.
    pub const fn from_tenths(tenths: u32) -> Self {
        Self(tenths)
    }

    /// The number of tenths.
    pub const fn tenths(self) -> u32 {
        self.0
    }
}

impl Add for Points {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0)
    }
}

impl AddAssign for Points {
    fn add_assign(&mut self, other: Self) {
        self.0 += other.0;
    }
}

impl std::iter::Sum for Points {
    fn sum<I: Iterator<Item = Self>>(points: I) -> Self {
        points.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Points {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}.{}", self.0 / 10, self.0 % 10))
    }
}

/// The side of a board; white begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Colour {
    /// The first seat.
    White,
    /// The second seat.
    Black,
}

impl Colour {
    /// The other colour.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }
}

/// The end of a game for one of its players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The player has won.
    Win,
    /// Nobody has won.
    Draw,
    /// The player has lost.
    Loss,
}

/// One round of one player.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// A game that was played.
    Game {
        /// The index of the other player.
        opponent: usize,
        /// The colour of this player.
        colour: Colour,
        /// The end for this player.
        outcome: Outcome,
    },
    /// A pairing that was decided without play: no meeting, and no colour.
    Forfeit {
        /// The index of the other player.
        opponent: usize,
        /// The colour this player was to have.
        colour: Colour,
        /// The end for this player; both may lose.
        outcome: Outcome,
    },
    /// The bye of a player who could not be paired because the number of players was odd.
    PairingBye,
    /// A bye that was asked for, with the points of a win.
    FullBye,
    /// A bye that was asked for, with the points of a draw.
    HalfBye,
    /// An absence without points.
    Absent,
}

impl Entry {
    /// The other player of a pairing, played or not.
    pub const fn opponent(self) -> Option<usize> {
        match self {
            Self::Game { opponent, .. } | Self::Forfeit { opponent, .. } => Some(opponent),
            _ => None,
        }
    }

    /// The other player of a game that was played.
    pub const fn met(self) -> Option<usize> {
        match self {
            Self::Game { opponent, .. } => Some(opponent),
            _ => None,
        }
    }

    /// The colour of a pairing, played or not.
    pub const fn colour(self) -> Option<Colour> {
        match self {
            Self::Game { colour, .. } | Self::Forfeit { colour, .. } => Some(colour),
            _ => None,
        }
    }

    /// The colour of a game that was played.
    pub const fn played_colour(self) -> Option<Colour> {
        match self {
            Self::Game { colour, .. } => Some(colour),
            _ => None,
        }
    }

    /// True for a player who was there to be paired in this round: with an opponent, or with the bye of the odd one.
    pub const fn is_paired(self) -> bool {
        matches!(self, Self::Game { .. } | Self::Forfeit { .. } | Self::PairingBye)
    }
}

/// Points for the ends a round can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scoring {
    /// For a game won.
    pub win: Points,
    /// For a draw.
    pub draw: Points,
    /// For a game lost.
    pub loss: Points,
    /// For the bye of the odd player.
    pub pairing_bye: Points,
    /// For a pairing lost without play.
    pub forfeit_loss: Points,
    /// For an absence.
    pub absent: Points,
}

impl Default for Scoring {
    fn default() -> Self {
        Self {
            win: Points::ONE,
            draw: Points::HALF,
            loss: Points::ZERO,
            pairing_bye: Points::ONE,
            forfeit_loss: Points::ZERO,
            absent: Points::ZERO,
        }
    }
}

impl Scoring {
    /// The points of a round.
    pub const fn points(&self, entry: Entry) -> Points {
        match entry {
            Entry::Game { outcome: Outcome::Win, .. }
            | Entry::Forfeit { outcome: Outcome::Win, .. }
            | Entry::FullBye => self.win,
            Entry::Game { outcome: Outcome::Draw, .. }
            | Entry::Forfeit { outcome: Outcome::Draw, .. }
            | Entry::HalfBye => self.draw,
            Entry::Game { outcome: Outcome::Loss, .. } => self.loss,
            Entry::Forfeit { outcome: Outcome::Loss, .. } => self.forfeit_loss,
            Entry::PairingBye => self.pairing_bye,
            Entry::Absent => self.absent,
        }
    }
}

/// One player and their rounds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Player {
    /// The starting number, from 1; smaller is stronger.
    pub number: u32,
    /// The name as it stands in the file.
    pub name: String,
    /// The rating, 0 without one.
    pub rating: u32,
    /// The rounds so far, oldest first.
    pub entries: Vec<Entry>,
}

impl Player {
    /// The entry of a round, counted from 0; a player without one was absent.
    pub fn entry(&self, round: usize) -> Entry {
        self.entries.get(round).copied().unwrap_or(Entry::Absent)
    }
}

/// Players who must not meet each other in some rounds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptApart {
    /// The indices of the players.
    pub players: Vec<usize>,
    /// The rounds, counted from 0; none for all.
    pub rounds: Option<RangeInclusive<usize>>,
}

/// A tournament as far as it was played.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The title.
    pub title: String,
    /// All players in order of their numbers; entries name opponents by their place in this list.
    pub players: Vec<Player>,
    /// The number of rounds that will be played, if it is known.
    pub rounds: Option<usize>,
    /// The colour that was drawn for the first player before the first round, if it is known.
    pub first_colour: Option<Colour>,
    /// Points for results.
    pub scoring: Scoring,
    /// Groups of players who must not meet each other.
    pub kept_apart: Vec<KeptApart>,
}

impl Record {
    /// The number of rounds that were paired. An entry without an opponent after the last of them is an absence that was
    /// announced.
    pub fn paired_rounds(&self) -> usize {
        let last = |player: &Player| player.entries.iter().rposition(|entry| entry.is_paired());
        self.players.iter().filter_map(last).max().map_or(0, |last| last + 1)
    }

    /// The points of a player before a round, counted from 0.
    pub fn points_before(&self, player: usize, round: usize) -> Points {
        (0..round).map(|past| self.scoring.points(self.players[player].entry(past))).sum()
    }
}

/// The pairs of a round, and the player without an opponent; players by index.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pairing {
    /// White and black of every board, the highest scores first.
    pub boards: Vec<(usize, usize)>,
    /// The player who is paired with nobody because the number of players is odd.
    pub bye: Option<usize>,
}

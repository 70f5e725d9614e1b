//! Turns and their results: accepted moves, scores, outcomes.

use crate::seat::{MAX_SEATS, Seat};
use std::{fmt, ops::Deref};

/// An action of the seat to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn<'a> {
    /// A move of the game in its own notation, as typed.
    Move(&'a str),
    /// Let the turn go by.
    Pass,
    /// Take over the opponent's side.
    Swap,
}

impl<'a> Turn<'a> {
    /// Reads a word: `pass` (or a lone `--` or `-`) and `swap` in any case, anything else is a move.
    pub fn from_word(word: &'a str) -> Self {
        if word == "--" || word == "-" || word.eq_ignore_ascii_case("pass") {
            Self::Pass
        } else if word.eq_ignore_ascii_case("swap") {
            Self::Swap
        } else {
            Self::Move(word)
        }
    }
}

/// The ways on from a move that is put together part by part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Steps {
    /// The move so far with one part more, canonically spelt and sorted by bytes: each can be completed to a legal
    /// move. Empty when the move is complete.
    pub next: Vec<String>,
    /// The amounts of a complete move of this turn, by name, such as `dice` and `designs`.
    pub quota: Vec<(&'static str, u32)>,
}

/// A turn that was accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Played {
    /// The seat that made it.
    pub seat: Seat,
    /// The one spelling that is stored and replayed (`pass` and `swap` for those turns).
    pub canonical: String,
    /// The spelling of the move list.
    pub text: String,
    /// Points the mover won by it, zero where a game does not count by the move.
    pub gain: u32,
}

/// The end of a game, or the seat that moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Status {
    /// This seat is to move.
    ToAct(Seat),
    /// The game has ended by its own rules.
    Over(Outcome),
}

impl Status {
    /// True if the game has ended.
    pub const fn is_over(&self) -> bool {
        matches!(self, Self::Over(_))
    }
}

/// The end of a game, or its standing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Per seat, 1 is best; ties share a placing and the next one counts those before it.
    pub placings: Placings,
    /// One word: what decided, such as `score`.
    pub reason: &'static str,
}

impl Outcome {
    /// Ranks seats by a key, the greatest first.
    pub fn rank<K: Ord>(keys: &[K], reason: &'static str) -> Self {
        let placing = |key: &K| 1 + keys.iter().filter(|other| *other > key).count() as u8;
        Self { placings: keys.iter().map(placing).collect(), reason }
    }

    /// The seats in first place, in seat order.
    pub fn winners(&self) -> Vec<Seat> {
        let first = self.placings.iter().enumerate().filter(|(_, placing)| **placing == 1);
        first.filter_map(|(index, _)| Seat::from_index(index)).collect()
    }

    /// True if several seats share the first place.
    pub fn is_tie(&self) -> bool {
        self.placings.iter().filter(|placing| **placing == 1).nth(1).is_some()
    }
}

/// A placing for each seat, in seat order; read as a slice.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Placings {
    /// Zeros beyond the seats.
    list: [u8; MAX_SEATS as usize],
    seats: u8,
}

impl Deref for Placings {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.list.get(..usize::from(self.seats)).unwrap_or_default()
    }
}

impl FromIterator<u8> for Placings {
    /// The placings of as many seats as there can be.
    fn from_iter<I: IntoIterator<Item = u8>>(placings: I) -> Self {
        let mut list = Self::default();
        for (slot, placing) in list.list.iter_mut().zip(placings) {
            *slot = placing;
            list.seats += 1;
        }
        list
    }
}

impl<const N: usize> PartialEq<[u8; N]> for Placings {
    fn eq(&self, other: &[u8; N]) -> bool {
        **self == *other
    }
}

impl fmt::Debug for Placings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

/// A figure of a standing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Figure {
    /// A whole number, not negative.
    Whole(u32),
    /// Any other.
    Half(f64),
}

/// The standing of every seat, in seat order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scores {
    /// The game has no figures: somebody wins.
    None,
    /// Points, targets or stones.
    Points(Vec<u32>),
    /// Points with halves, in halves.
    Halves(Vec<i32>),
    /// Lengths of closed paths in descending order.
    Paths(Vec<Vec<u32>>),
}

impl Scores {
    /// A seat's lead over the best of the others, or its distance behind: in points, or in the first path that differs.
    /// Without figures all are even.
    pub fn lead(&self, seat: Seat) -> i32 {
        match self {
            Self::None => 0,
            Self::Points(points) => lead(points, seat),
            Self::Halves(halves) => {
                let others = halves.iter().enumerate().filter(|(index, _)| *index != seat.index());
                let rival = others.map(|(_, halves)| *halves).max().unwrap_or(0);
                halves.get(seat.index()).map_or(0, |own| own - rival)
            }
            Self::Paths(paths) => {
                let others = paths.iter().enumerate().filter(|(index, _)| *index != seat.index());
                let rival = others.map(|(_, lengths)| lengths.as_slice()).max().unwrap_or_default();
                let own = paths.get(seat.index()).map(Vec::as_slice).unwrap_or_default();
                let length = |list: &[u32], at: usize| list.get(at).map_or(0, |length| *length as i32);
                let leads = (0..own.len().max(rival.len())).map(|at| length(own, at) - length(rival, at));
                leads.into_iter().find(|lead| *lead != 0).unwrap_or(0)
            }
        }
    }

    /// The figures of each seat; none where there are paths.
    pub fn figures(&self) -> Option<Vec<Figure>> {
        match self {
            Self::None => Some(Vec::new()),
            Self::Points(points) => Some(points.iter().copied().map(Figure::Whole).collect()),
            Self::Halves(halves) => {
                let figure = |halves: &i32| match u32::try_from(halves / 2) {
                    Ok(whole) if halves % 2 == 0 => Figure::Whole(whole),
                    _ => Figure::Half(f64::from(*halves) / 2.0),
                };
                Some(halves.iter().map(figure).collect())
            }
            Self::Paths(_) => None,
        }
    }

    /// Each seat's standing as a player reads it: `12`, or `paths 6, 4`, `path 6` and `no path`; none without figures.
    pub fn texts(&self) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::Points(points) => points.iter().map(u32::to_string).collect(),
            Self::Halves(halves) => {
                halves.iter().map(|halves| (f64::from(*halves) / 2.0).to_string()).collect()
            }
            Self::Paths(paths) => paths.iter().map(|lengths| list_lengths(lengths)).collect(),
        }
    }
}

/// The points a seat has more than the best of the others.
pub fn lead(points: &[u32], seat: Seat) -> i32 {
    let others = points.iter().enumerate().filter(|(index, _)| *index != seat.index());
    let rival = others.map(|(_, points)| *points).max().unwrap_or(0);
    points
        .get(seat.index())
        .map_or(0, |own| own.saturating_sub(rival) as i32 - rival.saturating_sub(*own) as i32)
}

fn list_lengths(lengths: &[u32]) -> String {
    let list = lengths.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
    match lengths.len() {
        0 => "no path".to_owned(),
        1 => format!("path {list}"),
        _ => format!("paths {list}"),
    }
}

impl fmt::Display for Scores {
    /// As records hold them: `12-8`, `6,4-8`, `0` for a seat without any path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |lengths: &Vec<u32>| match lengths.as_slice() {
            [] => "0".to_owned(),
            lengths => lengths.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
        };
        let texts = match self {
            Self::None | Self::Points(_) | Self::Halves(_) => self.texts(),
            Self::Paths(paths) => paths.iter().map(list).collect(),
        };
        f.write_str(&texts.join("-"))
    }
}

//! Tables and their tie-breaks: C.07 of the FIDE Handbook in force from 1 March 2026.

mod encounter;
mod unplayed;

use std::fmt;
use std::str::FromStr;

use crate::record::{Points, Record};

use encounter::encounter_tiers;
use unplayed::Rounds;

/// The regulations for rounds without a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Rounds without a game are counted as games with a dummy (article 16).
    Swiss,
    /// A pairing that was decided without play counts as a game (article 15.2).
    RoundRobin,
}

/// A way to order players with equal points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TieBreak {
    /// Points from the games of those who are tied (article 6).
    DirectEncounter,
    /// Points of opponents, times the points made against them (article 9.1).
    SonnebornBerger,
    /// Rounds with the points of a win, played or not (article 7.1).
    Wins,
    /// Points of all opponents (article 8.1).
    Buchholz,
    /// Points of all opponents but the least (article 14.1).
    BuchholzCut1,
}

impl TieBreak {
    const CODES: [(&'static str, Self); 5] = [
        ("DE", Self::DirectEncounter),
        ("SB", Self::SonnebornBerger),
        ("WIN", Self::Wins),
        ("BH", Self::Buchholz),
        ("BH/C1", Self::BuchholzCut1),
    ];

    /// The list of groups.
    pub const GROUPS: [Self; 3] = [Self::DirectEncounter, Self::SonnebornBerger, Self::Wins];
    /// The list of the Swiss system.
    pub const SWISS: [Self; 4] = [Self::BuchholzCut1, Self::Buchholz, Self::SonnebornBerger, Self::Wins];
}

impl fmt::Display for TieBreak {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let code = Self::CODES.iter().find(|(_, tie_break)| tie_break == self).map_or("", |&(code, _)| code);
        f.pad(code)
    }
}

/// A code of a tie-break that is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tie-breaks are DE, SB, WIN, BH and BH/C1")]
pub struct UnknownTieBreak;

impl FromStr for TieBreak {
    type Err = UnknownTieBreak;

    fn from_str(code: &str) -> Result<Self, UnknownTieBreak> {
        Self::CODES
            .into_iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(code))
            .map(|(_, tie_break)| tie_break)
            .ok_or(UnknownTieBreak)
    }
}

/// A value of a tie-break in hundredths of a point; larger is better.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Value(u64);

impl Value {
    /// The number of hundredths.
    pub const fn hundredths(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Value {
    /// Without zeros at the end: `3`, `2.5`, `1.25`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, part) = (self.0 / 100, self.0 % 100);
        f.pad(&match part {
            0 => whole.to_string(),
            _ if part.is_multiple_of(10) => format!("{whole}.{}", part / 10),
            _ => format!("{whole}.{part:02}"),
        })
    }
}

/// A line of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The index of the player.
    pub player: usize,
    /// The place, from 1; shared by players whom nothing distinguishes.
    pub place: usize,
    /// The points.
    pub points: Points,
    /// The values of the tie-breaks, in the order of the list. For the direct encounter: points from games with those who
    /// were tied up to it.
    pub tie_breaks: Vec<Value>,
}

/// The table of these players after a number of rounds: by points, then by the list, then by number. `players` are indices.
pub fn standings(
    record: &Record,
    players: &[usize],
    rounds: usize,
    form: Form,
    list: &[TieBreak],
) -> Vec<Line> {
    let everybody: Vec<Rounds> =
        (0..record.players.len()).map(|player| Rounds::new(record, player, rounds)).collect();
    let mut tied: Vec<Vec<usize>> =
        split(&[players.to_vec()], |player| everybody[player].points.tenths().into());
    let mut values: Vec<Vec<Value>> = vec![Vec::new(); record.players.len()];
    for &tie_break in list {
        if tie_break == TieBreak::DirectEncounter {
            let mut tiers = Vec::new();
            for group in &tied {
                for (player, points) in encounter::points_among(record, group, rounds, form) {
                    values[player].push(points);
                }
                tiers.extend(encounter_tiers(record, group, rounds, form));
            }
            tied = tiers;
        } else {
            for &player in players {
                values[player].push(value(record, &everybody, player, form, tie_break));
            }
            tied = split(&tied, |player| values[player].last().copied().unwrap_or_default().0);
        }
    }
    let mut table = Vec::new();
    for group in &mut tied {
        let place = table.len() + 1;
        group.sort_by_key(|&player| record.players[player].number);
        for &player in group.iter() {
            let tie_breaks = std::mem::take(&mut values[player]);
            table.push(Line { player, place, points: everybody[player].points, tie_breaks });
        }
    }
    table
}

/// Splits groups of tied players by a value, the greatest first.
fn split(groups: &[Vec<usize>], value: impl Fn(usize) -> u64) -> Vec<Vec<usize>> {
    let mut parts = Vec::new();
    for group in groups {
        let mut group = group.clone();
        group.sort_by_key(|&player| std::cmp::Reverse(value(player)));
        parts.extend(group.chunk_by(|&a, &b| value(a) == value(b)).map(<[usize]>::to_vec));
    }
    parts
}

fn value(record: &Record, everybody: &[Rounds], player: usize, form: Form, tie_break: TieBreak) -> Value {
    match tie_break {
        TieBreak::Wins => {
            let win = record.scoring.win;
            let wins = everybody[player]
                .entries
                .iter()
                .filter(|&&entry| record.scoring.points(entry) >= win)
                .count();
            Value(wins as u64 * 100)
        }
        TieBreak::SonnebornBerger => Value(
            everybody[player]
                .entries
                .iter()
                .map(|&entry| {
                    let opponent = unplayed::contribution(record, everybody, player, entry, form);
                    u64::from(opponent.tenths()) * u64::from(record.scoring.points(entry).tenths())
                })
                .sum(),
        ),
        TieBreak::Buchholz => buchholz(record, everybody, player, form, false),
        TieBreak::BuchholzCut1 => buchholz(record, everybody, player, form, true),
        TieBreak::DirectEncounter => Value::default(),
    }
}

/// The points of all opponents. With `cut` the least is left out; if the player stayed away from rounds, the least of those
/// rounds (article 16.5).
fn buchholz(record: &Record, everybody: &[Rounds], player: usize, form: Form, cut: bool) -> Value {
    let contributions: Vec<(bool, Points)> = everybody[player]
        .entries
        .iter()
        .map(|&entry| {
            let voluntary = unplayed::is_voluntary(entry) && !unplayed::counts_as_game(entry, form);
            (!voluntary, unplayed::contribution(record, everybody, player, entry, form))
        })
        .collect();
    let sum: u32 = contributions.iter().map(|(_, points)| points.tenths()).sum();
    let least = contributions.iter().min().map_or(0, |(_, points)| points.tenths());
    let cut = if cut && contributions.len() > 1 { least } else { 0 };
    Value(u64::from(sum - cut) * 10)
}

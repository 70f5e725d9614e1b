//! The direct encounter (article 6).

use crate::record::{Entry, Record};

use super::unplayed::counts_as_game;
use super::{Form, Value, split};

/// The games of two players with each other: the number of them, and the tenths of points of the first.
fn games_of(record: &Record, player: usize, other: usize, rounds: usize, form: Form) -> (u64, u64) {
    let entries = (0..rounds).map(|round| record.players[player].entry(round));
    entries.filter(|&entry| entry.opponent() == Some(other) && counts_as_game(entry, form)).fold(
        (0, 0),
        |(games, points), entry: Entry| {
            (games + 1, points + u64::from(record.scoring.points(entry).tenths()))
        },
    )
}

/// The points of each player from games with the others of the group. Several games of two players count as one, with the
/// average of their points (article 6.1.2).
pub(super) fn points_among(
    record: &Record,
    group: &[usize],
    rounds: usize,
    form: Form,
) -> Vec<(usize, Value)> {
    let points = |player: usize| {
        group
            .iter()
            .map(|&other| games_of(record, player, other, rounds, form))
            .filter(|&(games, _)| games > 0)
            .map(|(games, points)| points * 10 / games)
            .sum()
    };
    group.iter().map(|&player| (player, Value(points(player)))).collect()
}

/// Splits a group of tied players by their games with each other, the first tier first.
pub(super) fn encounter_tiers(
    record: &Record,
    group: &[usize],
    rounds: usize,
    form: Form,
) -> Vec<Vec<usize>> {
    if group.len() < 2 {
        return vec![group.to_vec()];
    }
    let missing = |player: usize| {
        let others = group.iter().filter(|&&other| other != player);
        others.filter(|&&other| games_of(record, player, other, rounds, form).0 == 0).count() as u64
    };
    let points = points_among(record, group, rounds, form);
    let points_of =
        |player: usize| points.iter().find(|&&(other, _)| other == player).map_or(0, |(_, value)| value.0);
    if group.iter().all(|&player| missing(player) == 0) {
        let tiers = split(&[group.to_vec()], points_of);
        if tiers.len() == 1 {
            return tiers;
        }
        return tiers.iter().flat_map(|tier| encounter_tiers(record, tier, rounds, form)).collect();
    }
    // Not all have met: whoever is first however the missing games end is first, and so on (article 6.3).
    let win = u64::from(record.scoring.win.tenths()) * 10;
    let first = group.iter().copied().find(|&player| {
        let others = group.iter().filter(|&&other| other != player);
        others.into_iter().all(|&other| points_of(player) > points_of(other) + missing(other) * win)
    });
    match first {
        None => vec![group.to_vec()],
        Some(first) => {
            let others: Vec<usize> = group.iter().copied().filter(|&other| other != first).collect();
            let mut tiers = vec![vec![first]];
            tiers.extend(encounter_tiers(record, &others, rounds, form));
            tiers
        }
    }
}

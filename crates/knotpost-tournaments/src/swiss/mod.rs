//! The Dutch system, C.04.3 of the FIDE Handbook in force from 1 February 2026 (`dutch-2026`).
//!
//! A round is paired bracket by bracket. Within a bracket all criteria are the digits of one weight, and a matching of
//! greatest weight is the best set of pairs; further digits choose the first of equally good ones in the order that the
//! articles generate them.

mod bracket;
mod colour;
mod criteria;
mod field;
mod matching;
mod transposition;
mod wide;

use std::collections::BTreeSet;

use crate::record::{Colour, Entry, Pairing, Points, Record};

use bracket::Bracket;
use criteria::{Criteria, Surroundings};
use field::Field;
use matching::has_perfect_matching;

/// There is no way to pair everybody.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no pairing is left in which nobody meets an opponent again and the rules for colours and byes hold")]
pub struct NoPairing;

/// Pairs a round, counted from 0, from the rounds before it. The players of these indices are there.
///
/// The thread keeps the memory of its largest matching until it ends: for 1,000 players some hundred megabytes. A server pairs
/// on a thread of its own.
pub fn pair_round(record: &Record, round: usize, present: &[usize]) -> Result<Pairing, NoPairing> {
    pair_among(record, round, present, record.rounds == Some(round + 1))
}

/// Pairs the round after the last one that was paired. All are there but those who have an entry for it.
pub fn pair_next(record: &Record) -> Result<Pairing, NoPairing> {
    let round = record.paired_rounds();
    let present: Vec<usize> =
        (0..record.players.len()).filter(|&player| record.players[player].entries.len() <= round).collect();
    pair_round(record, round, &present)
}

fn pair_among(record: &Record, round: usize, present: &[usize], last: bool) -> Result<Pairing, NoPairing> {
    pair_field(&see_field(record, round, present, last))
}

fn see_field(record: &Record, round: usize, present: &[usize], last: bool) -> Field {
    let first_colour = record.first_colour.or_else(|| infer_first_colour(record)).unwrap_or(Colour::White);
    Field::new(record, round, present, first_colour, last)
}

fn pair_field(field: &Field) -> Result<Pairing, NoPairing> {
    let bye_score = if field.len().is_multiple_of(2) {
        has_perfect_matching(field.len(), |a, b| field.may_meet(a, b)).then_some(None)
    } else {
        find_bye_score(field).map(Some)
    };
    Ok(pair_brackets(field, bye_score.ok_or(NoPairing)?))
}

/// Pairs a round that was played again: the pairing as it was played, and as it is computed from the rounds before it.
/// Without a known number of rounds the tournament ended with its last entry.
pub fn check_round(record: &Record, round: usize) -> (Pairing, Result<Pairing, NoPairing>) {
    let mut played = Pairing::default();
    let mut present = Vec::new();
    for (index, player) in record.players.iter().enumerate() {
        let entry = player.entry(round);
        if entry.is_paired() {
            present.push(index);
        }
        match entry {
            Entry::PairingBye => played.bye = Some(index),
            Entry::Game { opponent, colour: Colour::White, .. }
            | Entry::Forfeit { opponent, colour: Colour::White, .. } => played.boards.push((index, opponent)),
            _ => {}
        }
    }
    let last = record.rounds.unwrap_or_else(|| record.paired_rounds()) == round + 1;
    (played, pair_among(record, round, &present, last))
}

/// The colour drawn before the first round: the first player who was there had it.
fn infer_first_colour(record: &Record) -> Option<Colour> {
    record.players.iter().find_map(|player| player.entry(0).colour())
}

/// The smallest score of a player who can have the bye so that all others can be paired (criteria 2, 4 and 5).
fn find_bye_score(field: &Field) -> Option<Points> {
    let n = field.len();
    let scores: BTreeSet<Points> =
        field.entrants.iter().filter(|entrant| entrant.may_have_bye).map(|entrant| entrant.score).collect();
    scores.into_iter().find(|&score| {
        has_perfect_matching(n + 1, |a, b| {
            let (low, high) = (a.min(b), a.max(b));
            if high == n {
                field.entrants[low].may_have_bye && field.score(low) == score
            } else {
                field.may_meet(low, high)
            }
        })
    })
}

fn pair_brackets(field: &Field, bye_score: Option<Points>) -> Pairing {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let mut moved_down: Vec<usize> = Vec::new();
    let mut from = 0;
    while from < field.len() {
        let end = end_of_group(field, from);
        let next_end = end_of_group(field, end);
        let (residents, next): (Vec<usize>, Vec<usize>) = ((from..end).collect(), (end..next_end).collect());
        let below: Vec<usize> = (next_end..field.len()).collect();
        let around = Surroundings {
            moved_down: &moved_down,
            residents: &residents,
            next: &next,
            below: &below,
            complete: true,
            bye_score,
        };
        let (found, floaters) = pair_bracket(field, around);
        pairs.extend(found);
        moved_down = floaters;
        from = end;
    }
    pairs.sort_by_key(|&(a, b)| (std::cmp::Reverse(field.score(a)), std::cmp::Reverse(field.score(b)), a));
    let index = |entrant: usize| field.entrants[entrant].index;
    Pairing {
        boards: pairs
            .into_iter()
            .map(|(a, b)| match field.colour_of_higher(a, b) {
                Colour::White => (index(a), index(b)),
                Colour::Black => (index(b), index(a)),
            })
            .collect(),
        bye: moved_down.first().copied().map(index),
    }
}

fn end_of_group(field: &Field, from: usize) -> usize {
    (from..field.len()).find(|&at| field.score(at) != field.score(from)).unwrap_or(field.len())
}

/// The pairs of a bracket and those who float down from it.
fn pair_bracket(field: &Field, around: Surroundings<'_>) -> (Vec<(usize, usize)>, Vec<usize>) {
    let players = || around.moved_down.iter().chain(around.residents).copied();
    let bye_inside =
        around.bye_score.is_some_and(|score| players().any(|entrant| field.score(entrant) == score));
    if !around.below.is_empty() && !bye_inside {
        // Most brackets leave everybody below enough opponents. Looking there afterwards keeps the matchings small.
        let criteria = Criteria::new(field, Surroundings { below: &[], complete: false, ..around });
        let mates = Bracket::pair(&criteria);
        if can_complete(field, around, &criteria, &mates) {
            return read_bracket(&criteria, &mates);
        }
    }
    let mut criteria = Criteria::new(field, around);
    if bye_inside {
        let mates = Bracket::best(&criteria);
        let (_, floaters) = read_bracket(&criteria, &mates);
        if floaters.len() == 1 {
            criteria.count_unplayed();
        }
    }
    let mates = Bracket::pair(&criteria);
    read_bracket(&criteria, &mates)
}

fn read_bracket(criteria: &Criteria<'_>, mates: &[Option<usize>]) -> (Vec<(usize, usize)>, Vec<usize>) {
    let mut pairs = Vec::new();
    let mut floaters = Vec::new();
    for (node, &mate) in mates.iter().enumerate().take(criteria.inside()) {
        let partner = mate.filter(|&mate| criteria.is_inside(node, mate));
        match (criteria.entrant(node), partner) {
            (Some(entrant), Some(mate)) if node < mate => {
                pairs.extend(criteria.entrant(mate).map(|other| (entrant, other)));
            }
            (Some(entrant), None) => floaters.push(entrant),
            _ => {}
        }
    }
    (pairs, floaters)
}

/// True if all whom the matching of a bracket and the next group leaves can be paired with those below.
fn can_complete(
    field: &Field,
    around: Surroundings<'_>,
    criteria: &Criteria<'_>,
    mates: &[Option<usize>],
) -> bool {
    let mut left: Vec<Option<usize>> = (0..criteria.following())
        .filter(|&node| mates[node].is_none())
        .map(|node| criteria.entrant(node))
        .collect();
    let moved = left.iter().flatten().filter(|entrant| around.moved_down.contains(entrant)).count();
    left.extend(around.below.iter().copied().map(Some));
    if around.bye_score.is_some() {
        left.push(None);
    }
    has_perfect_matching(left.len(), |i, j| match (left[i.min(j)], left[i.max(j)]) {
        (Some(a), Some(b)) => i.max(j) >= moved && field.may_meet(a, b),
        (Some(a), None) => field.entrants[a].may_have_bye && Some(field.score(a)) == around.bye_score,
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Chances, random_tournament};

    /// Large brackets, in which trying in order takes too long, are left to matchings; they must find the same.
    #[test]
    fn matchings_alone_pair_as_trying_in_order_does() {
        for seed in 0..40 {
            let chances = Chances { draws: 40, forfeits: 5, byes: 5 };
            let record = random_tournament(6 + seed as usize % 25, 6, seed, chances);
            for round in 0..record.paired_rounds() {
                let there = |player: &usize| record.players[*player].entry(round).is_paired();
                let present: Vec<usize> = (0..record.players.len()).filter(there).collect();
                let mut field = see_field(&record, round, &present, round == 5);
                let patient = pair_field(&field);
                field.patience = 0;
                assert_eq!(pair_field(&field), patient, "seed {seed}, round {}", round + 1);
            }
        }
    }
}

//! Rounds without a game (article 16).

use crate::record::{Entry, Outcome, Points, Record};

use super::Form;

/// The rounds of one player as tie-breaks see them.
pub(super) struct Rounds {
    pub(super) entries: Vec<Entry>,
    pub(super) points: Points,
    /// The points as tie-breaks of opponents count them: absences at the end are worth a draw (article 16.3).
    adjusted: Points,
}

impl Rounds {
    pub(super) fn new(record: &Record, player: usize, rounds: usize) -> Self {
        let entries: Vec<Entry> = (0..rounds).map(|round| record.players[player].entry(round)).collect();
        let back = entries.iter().rposition(|&entry| !is_voluntary(entry));
        let points = entries.iter().map(|&entry| record.scoring.points(entry)).sum();
        let adjusted = entries
            .iter()
            .enumerate()
            .map(|(round, &entry)| match entry {
                Entry::HalfBye | Entry::Absent if back.is_none_or(|back| round > back) => record.scoring.draw,
                _ => record.scoring.points(entry),
            })
            .sum();
        Self { entries, points, adjusted }
    }
}

/// True for a round that the player chose not to play: a bye asked for with less than a win, or a forfeit (article 16.1).
pub(super) fn is_voluntary(entry: Entry) -> bool {
    matches!(entry, Entry::HalfBye | Entry::Absent)
        || matches!(entry, Entry::Forfeit { outcome: Outcome::Loss | Outcome::Draw, .. })
}

/// True for a game, and in a round robin for a pairing that was decided without one (article 15.2).
pub(super) fn counts_as_game(entry: Entry, form: Form) -> bool {
    match entry {
        Entry::Game { .. } => true,
        Entry::Forfeit { .. } => form == Form::RoundRobin,
        _ => false,
    }
}

/// The points of the opponent of a round; without a game those of a dummy (article 16.4).
///
/// The dummy has as many points as the player, but after a forfeit no more than the opponent who was meant, and else no more
/// than draws in all rounds would bring.
pub(super) fn contribution(
    record: &Record,
    everybody: &[Rounds],
    player: usize,
    entry: Entry,
    form: Form,
) -> Points {
    let own = &everybody[player];
    match entry.opponent() {
        Some(opponent) if counts_as_game(entry, form) => everybody[opponent].adjusted,
        Some(opponent) => own.points.min(everybody[opponent].adjusted),
        None => {
            let rounds = u32::try_from(own.entries.len()).unwrap_or(u32::MAX);
            own.points.min(Points::from_tenths(record.scoring.draw.tenths().saturating_mul(rounds)))
        }
    }
}

//! The players of a round as the criteria see them: scores, colours, floats, past opponents.

use crate::record::{Colour, Entry, Points, Record};

use super::colour::{Colours, Strength, allocate};

/// A float in a past round (article 1.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Float {
    Down,
    Up,
}

/// A player who is there in this round.
#[derive(Clone, Debug)]
pub(super) struct Entrant {
    /// The index into the players of the record.
    pub(super) index: usize,
    pub(super) number: u32,
    /// The parity that article 5.2.5 asks for.
    pub(super) has_odd_number: bool,
    pub(super) score: Points,
    pub(super) colours: Colours,
    /// The float one round ago and two rounds ago.
    pub(super) floats: [Option<Float>; 2],
    /// True if criterion 2 allows the bye.
    pub(super) may_have_bye: bool,
    /// The number of rounds without a game.
    pub(super) unplayed: usize,
    /// True in the last round for a score of more than half of what was possible (article 1.8).
    pub(super) topscorer: bool,
}

/// All entrants of a round in order of score and number (article 1.2), and who may meet.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) entrants: Vec<Entrant>,
    /// By pairs of entrants: true if criteria 1 and 3 let them meet.
    legal: Vec<bool>,
    first_colour: Colour,
    /// The number of pairs in a bracket that are tried in order before a matching decides.
    pub(super) patience: usize,
}

/// Far more than a small bracket needs, and soon over in a large one.
const PATIENCE: usize = 100_000;

impl Field {
    /// The field of a round, counted from 0, with the players of these indices.
    pub(super) fn new(
        record: &Record,
        round: usize,
        present: &[usize],
        first_colour: Colour,
        last: bool,
    ) -> Self {
        let points: Vec<Vec<Points>> =
            record.players.iter().map(|p| running_points(record, p, round)).collect();
        let mut entrants: Vec<Entrant> =
            present.iter().map(|&index| entrant(record, round, index, &points, last)).collect();
        entrants.sort_by_key(|entrant| (std::cmp::Reverse(entrant.score), entrant.number));
        let odd_numbers = find_odd_numbers(record, round, present);
        for entrant in &mut entrants {
            entrant.has_odd_number = odd_numbers[entrant.index];
        }
        let mut field = Self {
            legal: vec![false; entrants.len() * entrants.len()],
            entrants,
            first_colour,
            patience: PATIENCE,
        };
        field.fill_legal(record, round);
        field
    }

    fn fill_legal(&mut self, record: &Record, round: usize) {
        let n = self.entrants.len();
        let mut place = vec![None; record.players.len()];
        for (at, entrant) in self.entrants.iter().enumerate() {
            place[entrant.index] = Some(at);
        }
        for a in 0..n {
            for b in 0..n {
                let (x, y) = (&self.entrants[a], &self.entrants[b]);
                let both_absolute = x.colours.strength == Strength::Absolute
                    && y.colours.strength == Strength::Absolute
                    && x.colours.clash(&y.colours);
                self.legal[a * n + b] = a != b && (!both_absolute || x.topscorer || y.topscorer);
            }
        }
        for a in 0..n {
            let player = &record.players[self.entrants[a].index];
            for opponent in (0..round).filter_map(|past| player.entry(past).met()) {
                if let Some(b) = place.get(opponent).copied().flatten() {
                    self.forbid(a, b);
                }
            }
        }
        let now = record
            .kept_apart
            .iter()
            .filter(|group| group.rounds.as_ref().is_none_or(|rounds| rounds.contains(&round)));
        for group in now {
            let there: Vec<usize> =
                group.players.iter().filter_map(|&index| place.get(index).copied().flatten()).collect();
            for &a in &there {
                for &b in &there {
                    self.forbid(a, b);
                }
            }
        }
    }

    fn forbid(&mut self, a: usize, b: usize) {
        let n = self.entrants.len();
        self.legal[a * n + b] = false;
        self.legal[b * n + a] = false;
    }

    pub(super) fn len(&self) -> usize {
        self.entrants.len()
    }

    /// True if criteria 1 and 3 let two entrants meet.
    pub(super) fn may_meet(&self, a: usize, b: usize) -> bool {
        self.legal[a * self.entrants.len() + b]
    }

    pub(super) fn score(&self, entrant: usize) -> Points {
        self.entrants[entrant].score
    }

    pub(super) fn had(&self, entrant: usize, rounds_ago: usize, float: Float) -> bool {
        self.entrants[entrant].floats[rounds_ago - 1] == Some(float)
    }

    /// The colour of the higher-ranked (smaller) of two entrants (article 5.2).
    pub(super) fn colour_of_higher(&self, higher: usize, lower: usize) -> Colour {
        let (a, b) = (&self.entrants[higher], &self.entrants[lower]);
        let without_wish = if a.has_odd_number { self.first_colour } else { self.first_colour.opposite() };
        allocate(&a.colours, &b.colours, without_wish)
    }
}

/// For each player, the parity of their number among those who have been paired before or are there now. Who has not appeared
/// yet has no number (C.04.2), so that in the first round colours alternate from board to board.
fn find_odd_numbers(record: &Record, round: usize, present: &[usize]) -> Vec<bool> {
    let mut appeared: Vec<bool> =
        record.players.iter().map(|player| (0..round).any(|past| player.entry(past).is_paired())).collect();
    for &player in present {
        appeared[player] = true;
    }
    let mut before = 0_usize;
    let mut is_odd = Vec::new();
    for appeared in appeared {
        is_odd.push(before.is_multiple_of(2));
        before += usize::from(appeared);
    }
    is_odd
}

/// The points of a player before each round up to this one.
fn running_points(record: &Record, player: &crate::record::Player, round: usize) -> Vec<Points> {
    let mut points = vec![Points::ZERO];
    for past in 0..round {
        points.push(points[past] + record.scoring.points(player.entry(past)));
    }
    points
}

fn entrant(record: &Record, round: usize, index: usize, points: &[Vec<Points>], last: bool) -> Entrant {
    let player = &record.players[index];
    let entries: Vec<Entry> = (0..round).map(|past| player.entry(past)).collect();
    let score = points[index][round];
    let win = record.scoring.win;
    let possible = win.tenths() * u32::try_from(round).unwrap_or(u32::MAX);
    let float = |ago: usize| {
        let past = round.checked_sub(ago)?;
        match entries[past] {
            Entry::Game { opponent, .. } => match points[index][past].cmp(&points[opponent][past]) {
                std::cmp::Ordering::Greater => Some(Float::Down),
                std::cmp::Ordering::Less => Some(Float::Up),
                std::cmp::Ordering::Equal => None,
            },
            unplayed => (record.scoring.points(unplayed) > record.scoring.loss).then_some(Float::Down),
        }
    };
    Entrant {
        index,
        number: player.number,
        has_odd_number: false,
        score,
        colours: Colours::new(entries.iter().filter_map(|entry| entry.played_colour()).collect()),
        floats: [float(1), float(2)],
        may_have_bye: entries.iter().all(|&entry| {
            entry.met().is_some() || (entry != Entry::PairingBye && record.scoring.points(entry) < win)
        }),
        unplayed: entries.iter().filter(|entry| entry.met().is_none()).count(),
        topscorer: last && score.tenths() * 2 > possible,
    }
}

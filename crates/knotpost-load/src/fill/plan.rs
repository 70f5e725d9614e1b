//! Which boards there are, who plays them and when. Everything follows from the seed, so each table is written by one
//! more pass over the boards.

use std::collections::BTreeMap;

use super::samples::{Sample, Samples};
use crate::dice::Dice;

/// The time of the export: 20 November 2026.
pub(super) const NOW: i64 = 1_795_132_800_000;
const HOUR: i64 = 3_600_000;
const DAY: i64 = 24 * HOUR;
/// The age of the oldest board.
const AGE_DAYS: u64 = 3 * 365;
/// A player who has finished no board for this long counts as inactive.
const LONG_AGO: i64 = 180 * DAY;
/// The change of a rating by one rated game.
const STEP: f64 = 8.0;
/// The number of games after which a rating is established.
const ESTABLISHED: i64 = 20;

/// How large the server is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Size {
    pub(super) users: u64,
    pub(super) boards: u64,
    pub(super) seed: u64,
}

/// A board.
#[derive(Clone, Copy, Debug)]
pub(super) struct Planned<'a> {
    pub(super) id: i64,
    pub(super) number: i64,
    pub(super) sample: &'a Sample,
    pub(super) players: [i64; 2],
    pub(super) started: i64,
    /// Time between two moves.
    pub(super) pace: i64,
    /// Whether the first move has a comment.
    pub(super) is_talkative: bool,
}

impl Planned<'_> {
    /// When a move was made.
    pub(super) fn at(&self, number: i64) -> i64 {
        self.started + number * self.pace
    }

    /// When the last move was made.
    pub(super) fn last(&self) -> i64 {
        self.at(self.sample.turns.len() as i64)
    }
}

/// A current rating.
#[derive(Clone, Copy, Debug)]
pub(super) struct Standing {
    pub(super) rating: f64,
    pub(super) won: i64,
    pub(super) lost: i64,
    pub(super) tied: i64,
    pub(super) ended: i64,
}

impl Standing {
    pub(super) fn games(&self) -> i64 {
        self.won + self.lost + self.tied
    }

    pub(super) fn is_established(&self) -> bool {
        self.games() >= ESTABLISHED
    }

    /// Whether the player counts as active; an established player needs a board that ended recently.
    pub(super) fn is_active(&self) -> bool {
        !self.is_established() || self.ended >= NOW - LONG_AGO
    }
}

/// The changes that the end of a board makes to one player.
#[derive(Clone, Copy, Debug)]
pub(super) struct Change {
    pub(super) user: i64,
    pub(super) before: f64,
    pub(super) after: f64,
    /// In the order of the game's rated boards.
    pub(super) place: i64,
}

/// All ratings, updated board by board.
#[derive(Debug, Default)]
pub(super) struct Ratings {
    pub(super) standings: BTreeMap<(i64, &'static str), Standing>,
    pub(super) places: BTreeMap<&'static str, i64>,
}

impl Ratings {
    /// The changes that the end of a board makes, in the order of the users' keys; none while it is being played.
    pub(super) fn end(&mut self, board: &Planned<'_>) -> Vec<Change> {
        let Some((winners, _)) = &board.sample.result else { return Vec::new() };
        let place = self.places.entry(board.sample.game).or_insert(0);
        let here = *place;
        *place += 1;
        let mut changes = Vec::new();
        for (seat, user) in (1..).zip(board.players) {
            let start = Standing { rating: 1600.0, won: 0, lost: 0, tied: 0, ended: 0 };
            let standing = self.standings.entry((user, board.sample.game)).or_insert(start);
            let before = standing.rating;
            match (winners.contains(','), winners.contains(&i32::to_string(&seat))) {
                (true, _) => standing.tied += 1,
                (false, true) => {
                    standing.won += 1;
                    standing.rating += STEP;
                }
                (false, false) => {
                    standing.lost += 1;
                    standing.rating -= STEP;
                }
            }
            standing.ended = standing.ended.max(board.last());
            changes.push(Change { user, before, after: standing.rating, place: here });
        }
        changes.sort_by_key(|change| change.user);
        changes
    }
}

/// The plan.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) size: Size,
    samples: Samples,
}

impl Plan {
    pub(super) fn new(size: Size) -> anyhow::Result<Self> {
        Ok(Self { samples: Samples::draw(&mut Dice::new(size.seed))?, size })
    }

    /// Calls the function with every board, in the order of the keys.
    pub(super) fn each_board(
        &self,
        mut each: impl FnMut(&Planned<'_>) -> anyhow::Result<()>,
    ) -> anyhow::Result<BTreeMap<&'static str, i64>> {
        let mut numbers: BTreeMap<&'static str, i64> = BTreeMap::new();
        let mut dice = Dice::new(self.size.seed ^ 0x0b0a_4d5e);
        for index in 0..self.size.boards {
            let sample = self.samples.pick(dice.happens(5), &mut dice)?;
            let number = numbers.entry(sample.game).or_insert(101);
            let pace = HOUR + (dice.below(47) as i64) * HOUR;
            let length = sample.turns.len() as i64 * pace;
            let age = if sample.result.is_some() { dice.below(AGE_DAYS) } else { dice.below(5) };
            let board = Planned {
                id: index as i64 + 1,
                number: *number,
                sample,
                players: self.players(&mut dice),
                started: NOW - length - HOUR - age as i64 * DAY,
                pace,
                is_talkative: dice.happens(10),
            };
            *number += 1;
            each(&board)?;
        }
        Ok(numbers)
    }

    /// Two different users; earlier users play more.
    fn players(&self, dice: &mut Dice) -> [i64; 2] {
        let users = self.size.users;
        let first = dice.below(users).min(dice.below(users));
        let other = (first + 1 + dice.below(users.saturating_sub(1))) % users.max(1);
        [first as i64 + 1, other as i64 + 1]
    }
}

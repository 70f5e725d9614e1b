//! The outcome of a game that players have left by resignation or forfeit, or that an agreement or an arbiter ended.
//! The games themselves know nothing of these.

use std::cmp::Reverse;

use crate::{
    meta::{Ability, Meta},
    position::Position,
    seat::Seat,
    turn::{Outcome, Status},
};

/// The ways to leave a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Departure {
    /// The player gave up.
    Resignation,
    /// The player ran out of time.
    Forfeit,
}

impl Departure {
    /// The reason of a game that ends by it.
    pub const fn reason(self) -> &'static str {
        match self {
            Self::Resignation => "resignation",
            Self::Forfeit => "forfeit",
        }
    }
}

/// The seats of a game and those that have left it.
#[derive(Clone, Copy, Debug)]
pub struct Departures<'a> {
    /// Seats that the game began with.
    pub players: usize,
    /// The seats that left, the first one first.
    pub left: &'a [Seat],
    /// The departure of the last of them.
    pub last: Departure,
}

impl Departures<'_> {
    /// The end of the game: by its own rules or because too few seats are left; `None` while it goes on.
    ///
    /// One seat left of several wins, except where a game lets the last of three or more play on: such a game
    /// ends by its rules, or by the standing when the last one leaves as well.
    pub fn outcome(&self, position: &dyn Position, meta: &Meta) -> Option<Outcome> {
        let plays_on = meta.abilities.has(Ability::PlayOn);
        if let Status::Over(outcome) = position.status() {
            // A seat that left may still win where the last one may play on.
            return Some(if plays_on { outcome } else { self.rank_last(&outcome) });
        }
        match self.staying() {
            0 => Some(position.result_by_scores()),
            1 if self.players > 1 && !(plays_on && self.players > 2) => {
                Some(self.rank(|_| 0, self.last.reason()))
            }
            _ => None,
        }
    }

    /// All seats that stayed have agreed to share the first place.
    pub fn agreed_draw(&self) -> Outcome {
        self.rank(|_| 0, "agreement")
    }

    /// An arbiter named the winners: these share the first place.
    pub fn adjudicated(&self, winners: &[Seat]) -> Outcome {
        self.decided(winners, "adjudication")
    }

    /// The deadline of a tournament came; who had used the least time share the first place.
    pub fn at_deadline(&self, winners: &[Seat]) -> Outcome {
        self.decided(winners, "deadline")
    }

    fn decided(&self, winners: &[Seat], reason: &'static str) -> Outcome {
        let key = |seat: Seat| (winners.contains(&seat), self.stayed_until(seat));
        Outcome::rank(&self.seats().map(key).collect::<Vec<_>>(), reason)
    }

    /// An outcome with the seats that left behind all others.
    fn rank_last(&self, outcome: &Outcome) -> Outcome {
        let placing = |seat: Seat| outcome.placings.get(seat.index()).map(|placing| Reverse(*placing));
        self.rank(placing, outcome.reason)
    }

    /// Ranks the seats that stayed by a key, the greatest first, and behind them those that left, the latest first.
    fn rank<K: Ord>(&self, key: impl Fn(Seat) -> K, reason: &'static str) -> Outcome {
        let keys: Vec<_> = self.seats().map(|seat| (self.stayed_until(seat), key(seat))).collect();
        Outcome::rank(&keys, reason)
    }

    /// The place of a seat among those that left; greater than all of them for one that stayed.
    fn stayed_until(&self, seat: Seat) -> usize {
        self.left.iter().position(|other| *other == seat).unwrap_or(usize::MAX)
    }

    fn seats(&self) -> impl Iterator<Item = Seat> + use<> {
        (0..self.players).filter_map(Seat::from_index)
    }

    fn staying(&self) -> usize {
        self.seats().filter(|seat| !self.left.contains(seat)).count()
    }
}

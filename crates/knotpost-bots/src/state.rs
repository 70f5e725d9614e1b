//! A position as a search sees it. Seats are colours and may be exchanged by a swap; players are those who began in the
//! seats, and all values of a search are theirs.

use crate::{
    chance::Chance,
    values::{self, MAX_PLAYERS, Values},
};
use knotpost_rules::{Game, Scores, Seat, Seed, Unseen};
use std::{fmt, ops::ControlFlow};

/// Twelve boxes that can be closed, in Dots and Boxes, make 479,001,600 turns, for their order is free. Nobody waits
/// for a look at all.
const MOST_MOVES: usize = 100_000;

/// An action of the player on turn.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Action<M> {
    Move(M),
    Pass,
    Swap,
}

impl<M: fmt::Display> fmt::Display for Action<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move(mv) => mv.fmt(f),
            Self::Pass => f.write_str("pass"),
            Self::Swap => f.write_str("swap"),
        }
    }
}

/// A position whose chance is not that of the board, and who sits where.
#[derive(Clone)]
pub(crate) struct State<G> {
    game: Unseen<G>,
    swapped: bool,
}

impl<G: Game> State<G> {
    /// The position of a board, its chance from another seed.
    pub(crate) fn new(game: &G, seed: &Seed) -> Self {
        Self { game: Unseen::of(game, seed), swapped: false }
    }

    pub(crate) fn game(&self) -> &G {
        &self.game
    }

    pub(crate) fn players(&self) -> usize {
        self.game.result_by_scores().placings.len()
    }

    /// Lets chance follow another stream.
    pub(crate) fn reseed(&mut self, seed: &Seed) {
        self.game.reseed(seed);
    }

    const fn exchange(&self, index: usize) -> usize {
        if self.swapped && index < 2 { 1 - index } else { index }
    }

    /// The player on turn.
    pub(crate) fn mover(&self) -> usize {
        self.exchange(self.game.next_seat().index())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.game.is_over()
    }

    /// Equal positions with the same players in the seats have equal keys.
    pub(crate) fn key(&self) -> u64 {
        self.game.key() ^ if self.swapped { u64::MAX } else { 0 }
    }

    /// The estimate of a player's standing.
    pub(crate) fn estimate(&self, player: usize) -> i32 {
        Seat::from_index(self.exchange(player)).map_or(0, |seat| self.game.estimate(seat))
    }

    /// A player's lead by the scores; by the estimate in a game without them.
    pub(crate) fn lead(&self, player: usize) -> i32 {
        let lead = |seat| match self.game.scores() {
            Scores::None => self.game.estimate(seat),
            scores => scores.lead(seat),
        };
        Seat::from_index(self.exchange(player)).map_or(0, lead)
    }

    /// The value of the outcome by the present scores.
    pub(crate) fn rewards(&self) -> Values {
        let seats = values::of_outcome(&self.game.result_by_scores());
        self.by_player(&seats)
    }

    /// The values that the estimates promise.
    pub(crate) fn promises(&self, players: usize, scale: i32) -> Values {
        let mut promised = Values::default();
        for (player, value) in promised.iter_mut().enumerate().take(players) {
            *value = values::of_lead(self.estimate(player), scale);
        }
        promised
    }

    fn by_player(&self, seats: &Values) -> Values {
        std::array::from_fn::<_, MAX_PLAYERS, _>(|player| {
            seats.get(self.exchange(player)).copied().unwrap_or_default()
        })
    }

    /// The player who has won for sure: nobody else shares the first place of a game that is over.
    pub(crate) fn winner(&self) -> Option<usize> {
        if !self.is_over() {
            return None;
        }
        let outcome = self.game.result_by_scores();
        match outcome.winners().as_slice() {
            [winner] => Some(self.exchange(winner.index())),
            _ => None,
        }
    }

    /// Acts and gives the points it won; `None` when the action is not legal.
    pub(crate) fn act(&mut self, action: &Action<G::Move>) -> Option<u32> {
        match action {
            Action::Move(mv) => self.game.play(mv).ok(),
            Action::Pass => self.game.pass().ok().map(|()| 0),
            Action::Swap => {
                self.game.swap().ok()?;
                self.swapped = !self.swapped;
                Some(0)
            }
        }
    }

    /// This position after an action.
    pub(crate) fn after(&self, action: &Action<G::Move>) -> Option<Self> {
        let mut state = self.clone();
        state.act(action).map(|_| state)
    }

    /// Calls `visit` with every legal action, always in the same order; of more moves than [`MOST_MOVES`] with the first.
    pub(crate) fn each_action(&self, visit: &mut dyn FnMut(Action<G::Move>) -> ControlFlow<()>) {
        let (mut flow, mut left) = (ControlFlow::Continue(()), MOST_MOVES);
        self.game.each_move(&mut |mv| {
            if left == 0 {
                return ControlFlow::Break(());
            }
            left -= 1;
            flow = visit(Action::Move(mv));
            flow
        });
        if flow.is_continue() && self.game.may_pass() {
            flow = visit(Action::Pass);
        }
        if flow.is_continue() && self.game.may_swap() {
            let _ = visit(Action::Swap);
        }
    }

    /// All legal actions.
    pub(crate) fn actions(&self) -> Vec<Action<G::Move>> {
        let mut actions = Vec::new();
        self.each_action(&mut |action| {
            actions.push(action);
            ControlFlow::Continue(())
        });
        actions
    }

    /// A legal move by chance, a pass where nothing else is legal; never a swap. Who may pass beside moves makes one that
    /// is likely, or passes: else they would go on for ever.
    pub(crate) fn pick(&self, chance: &mut Chance) -> Option<Action<G::Move>> {
        if self.game.may_pass() && !self.game.must_pass() {
            return self.pick_likely(chance);
        }
        match self.game.pick(&mut |count| chance.below(count)) {
            Some(mv) => Some(Action::Move(mv)),
            None => self.game.may_pass().then_some(Action::Pass),
        }
    }

    /// A choice of a player with little time, as [`Self::pick`].
    pub(crate) fn pick_likely(&self, chance: &mut Chance) -> Option<Action<G::Move>> {
        match self.game.pick_likely(&mut |count| chance.below(count)) {
            Some(mv) => Some(Action::Move(mv)),
            None => self.game.may_pass().then_some(Action::Pass),
        }
    }

    /// An action that ends the game in favour of the player on turn.
    pub(crate) fn find_win(&self) -> Option<Action<G::Move>> {
        if !self.game.may_end() {
            return None;
        }
        let mover = self.mover();
        let mut found = None;
        self.each_action(&mut |action| {
            if self.after(&action).is_some_and(|after| after.winner() == Some(mover)) {
                found = Some(action);
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        });
        found
    }
}

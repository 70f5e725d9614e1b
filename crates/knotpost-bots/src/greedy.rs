//! The player that takes most at once.

use crate::{
    chance::Chance,
    state::{Action, State},
};
use knotpost_rules::Game;
use std::ops::ControlFlow;

/// The legal action after which the scores are best for the player on turn, any of those that tie. Winning and losing
/// count more than any score. A swap earns nothing at once and is never chosen.
pub(crate) fn choose<G: Game>(state: &State<G>, chance: &mut Chance) -> Option<Action<G::Move>> {
    let mover = state.mover();
    let (mut best, mut ties, mut chosen) = (i64::MIN, 0, None);
    state.each_action(&mut |action| {
        if action == Action::Swap {
            return ControlFlow::Continue(());
        }
        let Some(after) = state.after(&action) else { return ControlFlow::Continue(()) };
        let end = match after.winner() {
            Some(winner) if winner == mover => 1 << 40,
            Some(_) => -(1 << 40),
            None => 0,
        };
        let value = end + i64::from(after.lead(mover));
        if value > best {
            (best, ties) = (value, 0);
        }
        if value == best {
            ties += 1;
            if chance.below(ties) == 0 {
                chosen = Some(action);
            }
        }
        ControlFlow::Continue(())
    });
    chosen
}

/// A move that wins as many points at once as any, by chance among those; `None` where none wins points.
pub(crate) fn find_gain<G: Game>(state: &State<G>, chance: &mut Chance) -> Option<Action<G::Move>> {
    let (mut most, mut ties, mut chosen) = (1, 0, None);
    state.each_action(&mut |action| {
        let gain = state.clone().act(&action).unwrap_or_default();
        if gain > most {
            (most, ties) = (gain, 0);
        }
        if gain == most {
            ties += 1;
            if chance.below(ties) == 0 {
                chosen = Some(action);
            }
        }
        ControlFlow::Continue(())
    });
    chosen
}

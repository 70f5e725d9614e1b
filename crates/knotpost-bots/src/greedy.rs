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
    find_best(state, chance, |action| {
        let after = state.after(action).filter(|_| *action != Action::Swap)?;
        let end = match after.winner() {
            Some(winner) if winner == mover => 1 << 40,
            Some(_) => -(1 << 40),
            None => 0,
        };
        Some(end + i64::from(after.lead(mover)))
    })
}

/// A move that wins as many points at once as any, by chance among those; `None` where none wins points.
pub(crate) fn find_gain<G: Game>(state: &State<G>, chance: &mut Chance) -> Option<Action<G::Move>> {
    find_best(state, chance, |action| state.clone().act(action).filter(|gain| *gain > 0).map(i64::from))
}

/// The legal action that is worth most, any of those that tie; one without a worth is never chosen.
fn find_best<G: Game>(
    state: &State<G>,
    chance: &mut Chance,
    worth: impl Fn(&Action<G::Move>) -> Option<i64>,
) -> Option<Action<G::Move>> {
    let (mut best, mut ties, mut chosen) = (None, 0, None);
    state.each_action(&mut |action| {
        let Some(worth) = worth(&action) else { return ControlFlow::Continue(()) };
        if best.is_none_or(|best| worth > best) {
            (best, ties) = (Some(worth), 0);
        }
        if best == Some(worth) {
            ties += 1;
            if chance.below(ties) == 0 {
                chosen = Some(action);
            }
        }
        ControlFlow::Continue(())
    });
    chosen
}

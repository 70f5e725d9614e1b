//! Max^n for three and more players (Luckhardt and Irani 1986): everybody takes what is best for themselves.

use super::{DEEPEST, Settings};
use crate::{
    limit::Limit,
    mcts::Found,
    state::{Action, State},
    values::Values,
};
use knotpost_rules::Game;

struct Search<'a, 'b> {
    settings: Settings,
    players: usize,
    limit: &'a mut Limit<'b>,
}

/// The value of a position, its exactness, and the actions that lead there, the last one first.
struct Value<M> {
    values: Values,
    exact: bool,
    line: Vec<Action<M>>,
}

/// Searches deeper and deeper.
pub(super) fn search<G: Game>(
    root: &State<G>,
    settings: Settings,
    limit: &mut Limit<'_>,
) -> Option<Found<G::Move>> {
    let mut search = Search { settings, players: root.players(), limit };
    let mut best = None;
    for depth in 1..=DEEPEST {
        let Some(found) = search.visit(root, depth) else { break };
        let exact = found.exact;
        best = Some((found, depth));
        if exact {
            break;
        }
    }
    // Not even one ply was finished: the first action is as good as any.
    let Some((found, depth)) = best else {
        let line = vec![root.actions().into_iter().next()?];
        let values = root.promises(root.players(), settings.scale);
        return Some(Found { line, values, proven: false, depth: 0 });
    };
    let line: Vec<_> = found.line.into_iter().rev().collect();
    (!line.is_empty()).then_some(Found { line, values: found.values, proven: found.exact, depth })
}

impl Search<'_, '_> {
    /// The value of a position; `None` when the limit was reached.
    fn visit<G: Game>(&mut self, state: &State<G>, depth: u32) -> Option<Value<G::Move>> {
        if !self.limit.spend(1) {
            return None;
        }
        if state.is_over() {
            return Some(Value { values: state.rewards(), exact: true, line: Vec::new() });
        }
        if depth == 0 {
            let values = state.promises(self.players, self.settings.scale);
            return Some(Value { values, exact: false, line: Vec::new() });
        }
        let mover = state.mover();
        let own = |values: &Values| values.get(mover).copied().unwrap_or_default();
        let mut best: Option<Value<G::Move>> = None;
        let mut exact = true;
        for action in state.actions() {
            let Some(after) = state.after(&action) else { continue };
            let mut found = self.visit(&after, depth - 1)?;
            exact &= found.exact;
            if best.as_ref().is_none_or(|best| own(&found.values) > own(&best.values)) {
                found.line.push(action);
                best = Some(found);
            }
        }
        let best = best.unwrap_or_else(|| Value { values: state.rewards(), exact: true, line: Vec::new() });
        Some(Value { exact, ..best })
    }
}

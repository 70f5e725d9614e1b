//! Alpha-beta for two players.

use super::{
    DEEPEST, PROVEN, Settings, judge_end,
    table::{Bound, Entry, FULL, Table},
};
use crate::{
    chance::Chance,
    limit::Limit,
    mcts::Found,
    state::{Action, State},
    values::{self, Values},
};
use knotpost_rules::{Game, Seed};
use std::ops::ControlFlow;

/// Values that nothing reaches.
const INFINITE: i32 = i32::MAX - 1;
/// The transposition table has `2^18` entries.
const TABLE_BITS: u32 = 18;

/// The value of a position for the player on turn in it.
#[derive(Clone, Copy)]
struct Value {
    value: i32,
    /// True if it was searched to the ends of the game.
    exact: bool,
}

struct Search<'a, 'b> {
    settings: Settings,
    table: Table,
    limit: &'a mut Limit<'b>,
}

/// The limit was reached; the iteration has no result.
struct Ended;

/// An action in the order in which it is searched, with what it leads to.
struct Branch<G: Game> {
    place: u16,
    order: i32,
    after: State<G>,
}

/// Searches deeper and deeper. Among actions with the same value the first that is searched is chosen: the seed decides
/// which of those with the same estimate that is.
pub(super) fn search<G: Game>(
    root: &State<G>,
    settings: Settings,
    seed: &Seed,
    limit: &mut Limit<'_>,
) -> Option<Found<G::Move>> {
    let actions = root.actions();
    let mut search = Search { settings, table: Table::new(TABLE_BITS), limit };
    let mut branches = Search::branches(root, None);
    let mut chance = Chance::new(seed, 1);
    branches.sort_by_cached_key(|branch| (std::cmp::Reverse(branch.order), chance.next()));
    let mut best = Value { value: root.estimate(root.mover()), exact: false };
    let mut chosen = branches.first()?.place;
    let mut depth = 0;
    while depth < DEEPEST {
        let (value, whole) = search.search_root(root, depth + 1, &mut branches);
        // An iteration that ended early has still compared its first action with some others.
        if let Some((value, place)) = value {
            (best, chosen) = (value, place);
        }
        if !whole {
            break;
        }
        depth += 1;
        let at = branches.iter().position(|branch| branch.place == chosen).unwrap_or_default();
        branches.get_mut(..=at)?.rotate_right(1);
        if best.exact {
            break;
        }
    }
    let line = search.line(root, actions.get(usize::from(chosen))?.clone(), depth);
    Some(Found { line, values: to_values(root.mover(), best, settings), proven: best.exact, depth })
}

/// The meaning of a value to both players.
fn to_values(mover: usize, Value { value, exact }: Value, settings: Settings) -> Values {
    let own = match value {
        _ if value > PROVEN => 1.0,
        _ if value < -PROVEN => 0.0,
        0 if exact => 0.5,
        _ => values::of_lead(value, settings.scale),
    };
    let mut values = Values::default();
    for (player, value) in values.iter_mut().enumerate().take(2) {
        *value = if player == mover { own } else { 1.0 - own };
    }
    values
}

impl Search<'_, '_> {
    /// The value and the place of the best action; `false` when the limit ended the iteration.
    fn search_root<G: Game>(
        &mut self,
        root: &State<G>,
        depth: u32,
        branches: &mut [Branch<G>],
    ) -> (Option<(Value, u16)>, bool) {
        let mut best: Option<(Value, u16)> = None;
        let mut exact = true;
        for branch in branches.iter() {
            let alpha = best.map_or(-INFINITE, |(value, _)| value.value);
            let Ok(found) = self.child(root, &branch.after, depth - 1, (alpha, INFINITE), 1) else {
                return (best, false);
            };
            exact &= found.exact;
            if best.is_none_or(|(value, _)| found.value > value.value) {
                best = Some((found, branch.place));
            }
        }
        if let Some((value, _)) = &mut best {
            value.exact = exact || (value.exact && value.value > PROVEN);
        }
        (best, true)
    }

    /// The value of a position after an action, for the player who acted in `before`.
    fn child<G: Game>(
        &mut self,
        before: &State<G>,
        after: &State<G>,
        depth: u32,
        (alpha, beta): (i32, i32),
        ply: u32,
    ) -> Result<Value, Ended> {
        let mover = before.mover();
        if after.is_over() {
            self.spend()?;
            return Ok(Value { value: judge_end(after, mover, ply), exact: true });
        }
        if after.mover() == mover {
            return self.visit(after, depth, (alpha, beta), ply);
        }
        let Value { value, exact } = self.visit(after, depth, (-beta, -alpha), ply)?;
        Ok(Value { value: -value, exact })
    }

    fn spend(&mut self) -> Result<(), Ended> {
        if self.limit.spend(1) { Ok(()) } else { Err(Ended) }
    }

    /// The value of a position that is not over, for the player on turn.
    fn visit<G: Game>(
        &mut self,
        state: &State<G>,
        depth: u32,
        (mut alpha, beta): (i32, i32),
        ply: u32,
    ) -> Result<Value, Ended> {
        self.spend()?;
        if depth == 0 {
            return self.quiesce(state, (alpha, beta), self.settings.quiet);
        }
        let key = state.key();
        let known = self.table.find(key);
        if let Some(value) = known.and_then(|entry| recall(&entry, depth, (alpha, beta), ply)) {
            return Ok(value);
        }
        let floor = alpha;
        let mut best = Value { value: -INFINITE, exact: true };
        let (mut all_exact, mut place) = (true, 0);
        for branch in Self::branches(state, known.map(|entry| entry.best)) {
            let found = self.child(state, &branch.after, depth - 1, (alpha, beta), ply + 1)?;
            all_exact &= found.exact;
            if found.value > best.value {
                (best, place) = (found, branch.place);
            }
            alpha = alpha.max(best.value);
            if alpha >= beta {
                break;
            }
        }
        let (bound, exact) = match best.value {
            value if value >= beta => (Bound::AtLeast, best.exact),
            value if value <= floor => (Bound::AtMost, all_exact),
            value => (Bound::Exactly, all_exact || (best.exact && value > PROVEN)),
        };
        let stored = if exact { FULL } else { depth as u8 };
        self.table.store(key, leave(best.value, ply), stored, bound, place);
        Ok(Value { value: best.value, exact })
    }

    /// The value of a position whose branches are not searched, but for those that win points: each player may take
    /// them or leave it.
    fn quiesce<G: Game>(
        &mut self,
        state: &State<G>,
        (mut alpha, beta): (i32, i32),
        plies: u32,
    ) -> Result<Value, Ended> {
        let mover = state.mover();
        let mut best = state.estimate(mover);
        if plies == 0 || best >= beta {
            return Ok(Value { value: best, exact: false });
        }
        alpha = alpha.max(best);
        let mut takes = Vec::new();
        state.each_action(&mut |action| {
            let mut after = state.clone();
            if let Some(gain) = after.act(&action).filter(|gain| *gain > 0) {
                takes.push((gain, after));
            }
            ControlFlow::Continue(())
        });
        takes.sort_by_key(|(gain, _)| std::cmp::Reverse(*gain));
        for (_, after) in takes {
            self.spend()?;
            let value = match after.mover() == mover {
                _ if after.is_over() => judge_end(&after, mover, DEEPEST),
                true => self.quiesce(&after, (alpha, beta), plies - 1)?.value,
                false => -self.quiesce(&after, (-beta, -alpha), plies - 1)?.value,
            };
            best = best.max(value);
            alpha = alpha.max(best);
            if alpha >= beta {
                break;
            }
        }
        Ok(Value { value: best, exact: false })
    }

    /// All actions: the one known as best first, then by estimate.
    fn branches<G: Game>(state: &State<G>, known: Option<u16>) -> Vec<Branch<G>> {
        let mover = state.mover();
        let mut branches = Vec::new();
        let mut place = 0;
        state.each_action(&mut |action| {
            if let Some(after) = state.after(&action) {
                let order = match known {
                    Some(best) if best == place => i32::MAX,
                    _ if after.is_over() => judge_end(&after, mover, 0),
                    _ => after.estimate(mover),
                };
                branches.push(Branch { place, order, after });
            }
            place = place.saturating_add(1);
            ControlFlow::Continue(())
        });
        branches.sort_by_key(|branch| std::cmp::Reverse(branch.order));
        branches
    }

    /// The first action and what the table knows of the answers.
    fn line<G: Game>(&self, root: &State<G>, first: Action<G::Move>, depth: u32) -> Vec<Action<G::Move>> {
        let mut state = root.after(&first);
        let mut line = vec![first];
        while let Some(now) = state.filter(|state| !state.is_over())
            && line.len() < depth.max(1) as usize
        {
            let Some(entry) = self.table.find(now.key()) else { break };
            let Some(action) = now.actions().into_iter().nth(usize::from(entry.best)) else { break };
            state = now.after(&action);
            line.push(action);
        }
        line
    }
}

/// A value as the table holds it, its distance counted from the position.
const fn leave(value: i32, ply: u32) -> i32 {
    match value {
        _ if value > PROVEN => value + ply as i32,
        _ if value < -PROVEN => value - ply as i32,
        _ => value,
    }
}

/// The value of an entry here, when that suffices.
fn recall(entry: &Entry, depth: u32, (alpha, beta): (i32, i32), ply: u32) -> Option<Value> {
    let exact = entry.depth == FULL;
    if !exact && u32::from(entry.depth) < depth {
        return None;
    }
    let value = match entry.value {
        value if value > PROVEN => value - ply as i32,
        value if value < -PROVEN => value + ply as i32,
        value => value,
    };
    let suffices = match entry.bound {
        Bound::Exactly => true,
        Bound::AtLeast => value >= beta,
        Bound::AtMost => value <= alpha,
    };
    suffices.then_some(Value { value, exact })
}

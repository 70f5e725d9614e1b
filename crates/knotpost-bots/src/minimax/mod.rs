//! Searches by depth, deeper and deeper: alpha-beta for two players, max^n for more. Both are exact when everything down
//! to the ends of the game has been searched. They are for games without chance during play.

mod many;
mod table;
mod two;

use crate::{limit::Limit, mcts::Found, state::State};
use knotpost_rules::{Game, Seed};

/// The judgement of a search by depth.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// A lead by estimate that promises three quarters.
    pub scale: i32,
    /// Plies of moves that win points and are looked at below the last full one.
    pub quiet: u32,
}

/// The value of a win now; each ply until it is reached costs one.
const WIN: i32 = 1_000_000_000;
/// Values beyond this are proven wins.
const PROVEN: i32 = WIN - 100_000;
/// No iteration is deeper.
const DEEPEST: u32 = 64;

/// Searches until the limit is reached or the result is exact.
pub(crate) fn search<G: Game>(
    root: &State<G>,
    settings: Settings,
    seed: &Seed,
    limit: &mut Limit<'_>,
) -> Option<Found<G::Move>> {
    if root.players() == 2 {
        two::search(root, settings, seed, limit)
    } else {
        many::search(root, settings, limit)
    }
}

/// The value of the end of a game to a player, `ply` plies below the root.
fn judge_end<G: Game>(state: &State<G>, player: usize, ply: u32) -> i32 {
    let value = state.rewards().get(player).copied().unwrap_or_default();
    match value {
        _ if value >= 1.0 => WIN - ply as i32,
        _ if value <= 0.0 => ply as i32 - WIN,
        _ => ((value - 0.5) * 2000.0) as i32,
    }
}

//! Settings of searches: those of a game without its own, and levels.

use crate::{
    bot::Typed,
    decide::{Profile, Searcher, Strength},
    mcts::{self, ENDLESS, Policy},
    minimax,
};

/// The bot of a game without settings of its own. Its levels go by nodes; of them only the first has been measured: it takes
/// 70 to 95 of 100 games from a player by chance.
pub const fn default_bot<G>() -> Typed<G> {
    kit_bot(
        Searcher::Tree(mcts::Settings { policy: Policy::Uct, playout: ENDLESS, scale: 8, ripe: 1 }),
        levels([(700, 50), (450, 75), (250, 150), (100, 300), (0, 500), (0, 1_500), (0, 5_000), (0, 20_000)]),
    )
}

/// The bot of a game in which play-outs say nothing about a position, measured like [`default_bot`]. It searches by depth; a
/// lead of `scale` by estimate promises three quarters. Between two decisions by chance it sees more than a tree does, so
/// weak levels make more of them.
pub const fn depth_bot<G>(scale: i32) -> Typed<G> {
    kit_bot(
        Searcher::Depth(minimax::Settings { scale, quiet: 0 }),
        levels([
            (900, 200),
            (600, 500),
            (350, 1_000),
            (150, 2_000),
            (30, 6_000),
            (0, 20_000),
            (0, 60_000),
            (0, 200_000),
        ]),
    )
}

const fn kit_bot<G>(search: Searcher, levels: [Strength; 8]) -> Typed<G> {
    Typed::new(Profile { two: search, many: search, nodes_of_one: 1, levels })
}

/// Levels by how many decisions in a thousand are errors, and by nodes.
pub const fn levels(table: [(u32, u64); 8]) -> [Strength; 8] {
    let mut levels = [Strength { nodes: 1, errors: 0 }; 8];
    let mut index = 0;
    while index < 8 {
        let (errors, nodes) = table[index];
        levels[index] = Strength { nodes, errors };
        index += 1;
    }
    levels
}

//! Settings of searches: those of a game without its own, and levels.

use crate::{
    bot::Typed,
    decide::{Profile, Searcher, Strength},
    mcts::{self, ENDLESS, Policy},
};

/// The bot of a game without settings of its own. Its levels go by nodes and have not been measured.
pub const fn default_bot<G>() -> Typed<G> {
    const TREE: Searcher =
        Searcher::Tree(mcts::Settings { policy: Policy::Uct, playout: ENDLESS, scale: 8, ripe: 1 });
    Typed::new(Profile {
        two: TREE,
        many: TREE,
        nodes_of_one: 1,
        levels: levels([
            (800, 20),
            (500, 50),
            (250, 100),
            (100, 250),
            (0, 500),
            (0, 1_500),
            (0, 5_000),
            (0, 20_000),
        ]),
    })
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

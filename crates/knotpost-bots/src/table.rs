//! Which search plays which game, and what its levels may do. Settings and levels come from the matches in
//! `docs/bots.md`.

use crate::{
    bot::{Bot, Typed},
    decide::{Profile, Searcher, Strength},
    mcts::{self, ENDLESS, Policy},
    minimax,
};
use knotpost_rules::games::{boxilies::Boxilies, obsidio::Obsidio, osbo::Osbo, osbox::Osbox};

/// The bot of the game with this name, in any case.
pub fn find(game: &str) -> Option<&'static dyn Bot> {
    BOTS.into_iter().find(|bot| bot.game().eq_ignore_ascii_case(game))
}

/// A line for each game.
static BOTS: [&dyn Bot; 4] = [&OSBOX, &OSBO, &OBSIDIO, &BOXILIES];

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
const fn levels(table: [(u32, u64); 8]) -> [Strength; 8] {
    let mut levels = [Strength { nodes: 1, errors: 0 }; 8];
    let mut index = 0;
    while index < 8 {
        let (errors, nodes) = table[index];
        levels[index] = Strength { nodes, errors };
        index += 1;
    }
    levels
}

static OSBOX: Typed<Osbox> = Typed::new(Profile {
    two: Searcher::Depth(minimax::Settings { scale: 8, quiet: 0 }),
    many: Searcher::Tree(mcts::Settings {
        policy: Policy::Biased { explore: 0.7, sharp: 10.0 },
        playout: ENDLESS,
        scale: 8,
        ripe: 2,
    }),
    nodes_of_one: 20,
    levels: levels([
        (900, 120),
        (500, 2_000),
        (150, 5_000),
        (70, 8_000),
        (20, 12_000),
        (0, 24_000),
        (0, 90_000),
        (0, 700_000),
    ]),
});

static OSBO: Typed<Osbo> = Typed::new(Profile {
    two: OSBO_TREE,
    many: OSBO_TREE,
    nodes_of_one: 1,
    levels: levels([(430, 45), (300, 60), (190, 78), (60, 125), (0, 190), (0, 400), (0, 2_500), (0, 18_000)]),
});

/// Play-outs go to the end: before paths close, the estimate knows nothing. A search that explores less gives more away on
/// 3x3.
const OSBO_TREE: Searcher = Searcher::Tree(mcts::Settings {
    policy: Policy::Biased { explore: 2.0, sharp: 4.0 },
    playout: ENDLESS,
    scale: 4,
    ripe: 1,
});

static OBSIDIO: Typed<Obsidio> = Typed::new(Profile {
    two: OBSIDIO_TREE,
    many: OBSIDIO_TREE,
    nodes_of_one: 1,
    levels: levels([
        (800, 20),
        (510, 55),
        (285, 115),
        (145, 220),
        (30, 400),
        (0, 900),
        (0, 2_200),
        (0, 60_000),
    ]),
});

const OBSIDIO_TREE: Searcher = Searcher::Tree(mcts::Settings {
    policy: Policy::Biased { explore: 1.2, sharp: 30.0 },
    playout: ENDLESS,
    scale: 40,
    ripe: 2,
});

static BOXILIES: Typed<Boxilies> = Typed::new(Profile {
    two: BOXILIES_DEPTH,
    many: BOXILIES_DEPTH,
    nodes_of_one: 1,
    levels: levels([
        (550, 200),
        (400, 400),
        (250, 600),
        (120, 1_000),
        (40, 5_000),
        (0, 20_000),
        (0, 200_000),
        (0, 2_000_000),
    ]),
});

/// The last five stones are searched to the end. Before that, owning more stones says next to nothing about the result.
const BOXILIES_DEPTH: Searcher = Searcher::Depth(minimax::Settings { scale: 60, quiet: 0 });

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
        policy: Policy::Biased { explore: 1.0, sharp: 4.0 },
        playout: 6,
        scale: 8,
        ripe: 4,
    }),
    levels: levels([
        (900, 200),
        (650, 200),
        (400, 400),
        (200, 1000),
        (50, 3000),
        (0, 10_000),
        (0, 60_000),
        (0, 400_000),
    ]),
});

static OSBO: Typed<Osbo> = Typed::new(Profile {
    two: Searcher::Tree(mcts::Settings {
        policy: Policy::Biased { explore: 0.7, sharp: 4.0 },
        playout: ENDLESS,
        scale: 4,
        ripe: 1,
    }),
    many: Searcher::Tree(mcts::Settings {
        policy: Policy::Biased { explore: 0.7, sharp: 4.0 },
        playout: ENDLESS,
        scale: 4,
        ripe: 1,
    }),
    levels: levels([
        (800, 20),
        (550, 30),
        (300, 50),
        (100, 80),
        (0, 150),
        (0, 400),
        (0, 1200),
        (0, 4000),
    ]),
});

static OBSIDIO: Typed<Obsidio> = Typed::new(Profile {
    two: Searcher::Depth(minimax::Settings { scale: 40, quiet: 0 }),
    many: Searcher::Depth(minimax::Settings { scale: 40, quiet: 0 }),
    levels: levels([
        (900, 200),
        (650, 200),
        (400, 400),
        (200, 1000),
        (50, 3000),
        (0, 10_000),
        (0, 60_000),
        (0, 400_000),
    ]),
});

static BOXILIES: Typed<Boxilies> = Typed::new(Profile {
    two: Searcher::Depth(minimax::Settings { scale: 2, quiet: 0 }),
    many: Searcher::Depth(minimax::Settings { scale: 2, quiet: 0 }),
    levels: levels([
        (900, 200),
        (700, 200),
        (450, 400),
        (250, 1000),
        (100, 5000),
        (0, 20_000),
        (0, 200_000),
        (0, 2_000_000),
    ]),
});

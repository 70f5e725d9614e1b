//! The computer player of Obsidio. Settings and levels come from the matches in `docs/bots.md`.

use super::Obsidio;
use knotpost_bots::{ENDLESS, Policy, Profile, Searcher, TreeSettings, Typed, levels};

/// The bot.
pub const BOT: Typed<Obsidio> = Typed::new(Profile {
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

const OBSIDIO_TREE: Searcher = Searcher::Tree(TreeSettings {
    policy: Policy::Biased { explore: 1.2, sharp: 30.0 },
    playout: ENDLESS,
    scale: 40,
    ripe: 2,
});

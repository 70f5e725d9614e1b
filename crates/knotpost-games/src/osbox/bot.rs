//! The computer player of Osbox. Settings and levels come from the matches in `docs/bots.md`.

use super::Osbox;
use knotpost_bots::{DepthSettings, ENDLESS, Policy, Profile, Searcher, TreeSettings, Typed, levels};

/// The bot.
pub const BOT: Typed<Osbox> = Typed::new(Profile {
    two: Searcher::Depth(DepthSettings { scale: 8, quiet: 0 }),
    many: Searcher::Tree(TreeSettings {
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

//! The computer player of Osbo. Settings and levels come from the matches in `docs/bots.md`.

use super::Osbo;
use knotpost_bots::{ENDLESS, Policy, Profile, Searcher, TreeSettings, Typed, levels};

/// The bot.
pub const BOT: Typed<Osbo> = Typed::new(Profile {
    two: OSBO_TREE,
    many: OSBO_TREE,
    nodes_of_one: 1,
    levels: levels([(430, 45), (300, 60), (190, 78), (60, 125), (0, 190), (0, 400), (0, 2_500), (0, 18_000)]),
});

/// Play-outs go to the end: before paths close, the estimate knows nothing. A search that explores less gives more away on
/// 3x3.
const OSBO_TREE: Searcher = Searcher::Tree(TreeSettings {
    policy: Policy::Biased { explore: 2.0, sharp: 4.0 },
    playout: ENDLESS,
    scale: 4,
    ripe: 1,
});

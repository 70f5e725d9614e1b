//! The computer player of Boxilies. Settings and levels come from the matches in `docs/bots.md`.

use super::Boxilies;
use knotpost_bots::{DepthSettings, Profile, Searcher, Typed, levels};

/// The bot.
pub const BOT: Typed<Boxilies> = Typed::new(Profile {
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
const BOXILIES_DEPTH: Searcher = Searcher::Depth(DepthSettings { scale: 60, quiet: 0 });

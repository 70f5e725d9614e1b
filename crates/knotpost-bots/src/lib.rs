//! Computer players for every game.
//!
//! A decision is a function of the position, the options, the player, the seed of the search and [`VERSION`]: the same
//! on every machine. This crate reads no clock, opens no file and starts no thread; a caller that has a limit in time
//! hands in a function that says when to stop. Users, mail and storage are unknown here.
//!
//! A search sees a position only as `Unseen`, a copy whose chance follows another stream, so that no player knows a roll
//! to come. Which search plays a game is said beside its rules.

#![warn(missing_docs)]

mod bot;
mod chance;
mod contest;
mod decide;
mod greedy;
mod limit;
mod mcts;
mod minimax;
mod player;
mod state;
mod table;
mod tally;
#[cfg(test)]
mod toy;
mod values;

pub use bot::{Answer, Bot, FindBot, Typed};
pub use chance::Chance;
pub use contest::{Contest, Game};
pub use decide::{Profile, Searcher, Strength};
pub use mcts::{ENDLESS, Policy, Settings as TreeSettings};
pub use minimax::Settings as DepthSettings;
pub use player::{Level, ParsePlayerError, Player};
pub use table::{default_bot, depth_bot, levels};
pub use tally::{Bounds, Tally};

/// The version of the players. It changes whenever a decision of any of them may change.
pub const VERSION: &str = "7";

//! One folder for each game, and the list of all. A game uses the shared modules of this crate and knows no other game.

pub mod boxilies;
pub mod obsidio;
pub mod osbo;
pub mod osbox;

use crate::position::{AnyGame, Kind};

/// Every game of this version, in listing order.
pub(crate) fn list_all() -> Vec<Box<dyn AnyGame>> {
    vec![
        Box::new(Kind::<osbox::Osbox>::default()),
        Box::new(Kind::<osbo::Osbo>::default()),
        Box::new(Kind::<obsidio::Obsidio>::default()),
        Box::new(Kind::<boxilies::Boxilies>::default()),
    ]
}

//! One folder a game. A game uses the shared rooms of this crate and knows nothing of its neighbours.

pub mod boxilies;
pub mod obsidio;
pub mod osbo;
pub mod osbox;

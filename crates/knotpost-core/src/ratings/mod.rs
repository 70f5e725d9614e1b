//! Ratings of players.

pub(crate) mod board_ratings;

pub use board_ratings::rate_board;

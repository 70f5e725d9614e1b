//! Ratings, their changes, and standings.

mod current;
mod rating_history;
mod standings;

pub use current::{RatingChange, RatingRow};
pub use rating_history::RatedBoardRow;
pub use standings::{PlayerFacts, StandingRow, StandingsBlock, UnratedPlayer};

//! Common parts of games of stones and men for two, so that a game says only what is its own. A game may do without:
//! all of this is made of [`Game`](crate::Game) and [`Show`](crate::Show).
//!
//! An author writes a value that implements [`Rules`] and gets a whole game, [`Play`] of it: cells and their names, moves
//! and refusals, position strings, boards in every layout, pictures, pointing, keys, random play.

mod chains;
mod grid;
mod help;
mod names;
mod past;
mod play;
mod two;

pub use chains::Chains;
pub use grid::{Cells, Grid};
pub use help::write_help;
pub use names::{Names, Place, Refusal, Shift, Spelt};
pub use past::Past;
pub use play::{Board, Play, Rules, StepOf};
pub use two::{End, Two, other};

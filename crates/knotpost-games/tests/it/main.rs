//! The rules as players meet them: positions, moves, boards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod boards;
mod boxilies;
mod cases;
mod cast;
mod choosing;
mod conformance;
mod facts;
mod flaws;
mod kit;
mod layouts;
mod news;
mod obsidio;
mod options;
mod osbo;
mod perft;
mod play;
mod puzzles;
mod records;
mod slow;
mod strands;
mod transcripts;

//! The rules as players meet them: positions, moves, boards.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod boards;
mod play;

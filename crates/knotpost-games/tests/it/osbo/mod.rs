//! Osbo as players meet it.

mod boards;
mod cases;
mod games;
mod perft;
mod slow;

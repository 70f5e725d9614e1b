//! Tournaments that others paired, counted and wrote, and properties of all that we pair ourselves.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod articles;
mod berger;
mod files;
mod ladders;
mod paired;
mod tie_breaks;
mod traps;

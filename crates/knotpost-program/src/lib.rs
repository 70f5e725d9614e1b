//! The program: puts the crates together to a command line, a server and its background loops.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod build;
pub mod checkup;
pub mod cli;
pub mod reference;
pub mod server;
pub mod telemetry;
pub mod thinker;
pub mod worker;

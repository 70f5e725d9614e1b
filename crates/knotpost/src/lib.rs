//! The program: its command line, the start and stop of a server, its log, and the loops that run without being asked.
//!
//! Here the crates are put together. What a use case does, how mail is read and what a page shows is decided in them.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod build;
pub mod checkup;
pub mod cli;
pub mod reference;
pub mod server;
pub mod telemetry;
pub mod thinker;
pub mod worker;

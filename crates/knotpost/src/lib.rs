//! The Knotpost server: everything that touches the outside world.
//!
//! The way of a mailed move is a straight corridor: `inbound` turns bytes into a command,
//! `service` carries it out inside a transaction of the `store`, `outbound` sends what follows.
//! `web` and `cli` are the other edges. An edge holds no SQL, and no use case knows HTTP or MIME.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod cli;
pub mod server;
pub mod telemetry;
pub mod worker;

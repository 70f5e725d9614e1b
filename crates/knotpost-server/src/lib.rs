//! The Knotpost server: everything that touches the outside world.
//!
//! The way of a mailed move is a straight corridor: `inbound` turns bytes into a command,
//! `service` carries it out inside a transaction of the `store`, `outbound` sends what follows.
//! `web` and `cli` are the other edges. An edge holds no SQL, and no use case knows HTTP or MIME.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod app;

pub mod cli;
pub mod clock;
pub mod config;
pub mod connections;
pub mod domain;
pub mod files;
pub mod gallery;
pub mod inbound;
pub mod links;
pub mod outage;
pub mod outbound;
pub mod pulse;
pub mod secret;
pub mod server;
pub mod service;
pub mod store;
pub mod telemetry;
pub mod web;
pub mod worker;

//! The stories and contracts of the server, in one test binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod architecture;
mod canary;
mod checkup;
mod circle;
mod clients;
mod commands;
mod costs;
mod dns;
mod docs;
mod good;
mod harness;
mod http;
mod inbound;
mod outbound;
mod pairs;
mod play;
mod postgres;
mod process;
mod ratings;
mod relay;
mod senders;
mod signing;
mod smtp_listener;
mod smtp_peer;
mod store;
mod stories;
mod tournaments;
mod web;

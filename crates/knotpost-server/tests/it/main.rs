//! Integration tests of the server.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod inbound;
mod outbound;
mod smtp_listener;
mod smtp_peer;

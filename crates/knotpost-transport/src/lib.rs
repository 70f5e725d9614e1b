//! Mail: the ways in, from bytes to a committed command, and the ways out, from the outbox to a relay. Nothing here
//! knows SQL or HTTP pages.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod inbound;
pub mod outbound;

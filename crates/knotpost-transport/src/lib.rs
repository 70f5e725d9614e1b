//! Mail: the ways in, from bytes to a committed command, and the ways out, from the outbox to a relay. Nothing here
//! knows tables or HTTP pages: what is stored is decided by the use cases of the core.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod inbound;
pub mod outbound;

//! The servers of a PostgreSQL database: which there are, which of them works now, and the connections to that one.
//!
//! `database.url` may name several servers ([`address`]), of which one takes writes. Connections are opened to the first
//! that does ([`hosts`]). Whether it still does is watched ([`watch`]); when another one took its place, or connections
//! to it are cut, a new generation of connections begins and work on the old ones ends ([`primary`]).

mod address;
mod hosts;
mod primary;
mod watch;

pub use address::check_address;

pub(crate) use hosts::Hosts;
pub(crate) use primary::{Generation, PATIENCE, Primary, State};

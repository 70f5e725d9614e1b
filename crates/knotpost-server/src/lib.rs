//! The Knotpost server: everything that touches the outside world.
pub mod inbound;
pub mod outbound;

//! The Knotpost server.

pub mod clock;
pub mod domain;
pub mod store;

//! The Knotpost server.

pub mod app;
pub mod clock;
pub mod config;
pub mod domain;
pub mod links;
pub mod secret;
pub mod service;
pub mod store;

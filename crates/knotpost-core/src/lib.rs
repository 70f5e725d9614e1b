//! The use cases, by subject. They own the content of a transaction and know neither HTTP nor MIME: listeners and
//! pages turn bytes into requests, and answers into bytes.

#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod app;
pub mod config;
pub mod fair_queue;
pub mod gallery;
pub mod links;
pub mod outage;
pub mod pulse;
pub mod thinking;

pub mod admin;
pub mod archive;
pub mod boards;
pub mod clock;
pub mod commands;
pub mod hold;
pub mod identity;
pub mod intake;
pub mod mailing;
pub mod play;
pub mod queries;
pub mod ratings;
pub mod records;
pub mod replies;
pub mod requests;
pub mod signals;
pub mod tournaments;
pub mod transfer;
pub mod webhooks;

pub use knotpost_storage::{StoreError, Unwritten};

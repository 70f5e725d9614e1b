//! Listeners: the ways on which mail comes in. Each speaks one protocol and passes whole messages to an `Intake`.
//!
//! A listener knows neither the store nor what is in a message; it replies what the receipt says.

pub mod local_socket;
pub(super) mod maildir;
pub mod smtp;
pub mod unix_socket;
mod webhook_intake;

//! Listeners: each speaks one protocol, passes messages to an `Intake` and replies by the receipt. They know neither
//! the store nor the content of a message.

pub mod local_socket;
pub(super) mod maildir;
pub mod smtp;
pub mod unix_socket;
mod webhook_intake;

//! Mail on its way in: from bytes to a command line, one stage a file.
//!
//! `parse` -> `classify` -> `identify` (which asks `extract` for the words that are the sender's own); beside
//! them stand `digest` (has this mail been here before), `authenticate` (who vouches for its sender; the one stage
//! that asks somebody, namely DNS) with `policy`, and the
//! SMTP and LMTP listener. The stages are pure functions from value to value: nothing here knows the store, the
//! games, the clock or the meaning of a command. Whoever receives mail passes it to [`Intake`]; [`Desk`] is the
//! intake of the server, which walks a mail through the stages and commits what comes of it.

mod auth_results;
pub mod authenticate;
pub mod classify;
mod decode;
pub mod digest;
mod dns;
pub mod extract;
mod flowed;
pub mod handover;
mod html;
pub mod identify;
mod mime;
pub mod parse;
mod phrases;
pub mod pipeline;
pub mod policy;
mod quoting;
pub mod reason;
pub mod smtp;
mod verify;

pub use authenticate::Authenticator;
pub use classify::{Class, classify};
pub use digest::dedupe_key;
pub use extract::{Extracted, extract};
pub use identify::{Address, Identified, identify};
pub use parse::{Broken, Message, parse};
pub use pipeline::Desk;
pub use reason::Reason;
pub use smtp::{Envelope, Intake, Protocol, Receipt, RecipientVerdict, SmtpSettings, Way};

//! Mail on its way in: from bytes to a command line, one stage a file.
//!
//! `parse` -> `classify` -> `identify` (which asks `extract` for the words that are the sender's own); the crate
//! `knotpost-mail` holds all of them but `classify`. Beside them stand `digest` (has this mail been here before),
//! `authenticate` with `policy` (who vouches for its sender; the one stage that asks somebody, namely DNS)
//! and the SMTP and LMTP listener. The stages are pure functions from value to value: nothing here knows the store, the
//! games, the clock or the meaning of a command. Whoever receives mail passes it to [`Intake`]; [`Desk`] is the
//! intake of the server, which walks a mail through the stages and commits what comes of it.

mod addressed;
mod answers;
mod aside;
mod auth_results;
pub mod authenticate;
pub mod bounce;
mod budgets;
pub mod claim;
pub mod classify;
pub mod digest;
mod dns;
pub mod handover;
mod hosts;
mod intake;
mod outcome;
pub mod pipeline;
mod places;
pub mod policy;
mod posted;
mod postmaster;
pub mod reason;
mod relay_hint;
mod returned;
pub mod smtp;
mod strangers;
pub mod unix_socket;
mod verify;
mod watch;

pub use addressed::addressed;
pub use authenticate::Authenticator;
pub use claim::read_claim;
pub use classify::{Class, classify};
pub use digest::dedupe_key;
pub use knotpost_mail::{Address, Broken, Extracted, Identified, Message, extract, identify, parse};
pub use pipeline::Desk;
pub use reason::Reason;
pub use smtp::{Envelope, Intake, Protocol, Receipt, RecipientVerdict, SmtpSettings, Way};
pub use watch::{Round, Watch};

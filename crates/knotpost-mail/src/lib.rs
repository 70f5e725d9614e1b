//! Reading mail: from bytes to a command line and its comment, with one file for each stage.
//!
//! `parse` turns bytes into a [`Message`], `extract` takes the sender's own words from its text, `identify` finds the
//! command among them. The stages are pure functions from value to value: this crate must not know files, a clock, the
//! server's addresses or the meaning of a command. Every input gives a value, in time linear in its size.

#![warn(missing_docs)]

mod charset;
pub mod data;
mod decode;
mod encoded;
mod enriched;
pub mod extract;
mod flowed;
mod html;
mod html_style;
pub mod identify;
mod mime;
pub mod outline;
pub mod parse;
mod phrases;
mod quoting;
mod reaction;
mod received;
pub mod signs;
mod smime;
mod trimmings;

pub use extract::{Extracted, extract};
pub use identify::{Address, Identified, identify};
pub use mime::{Limit, without_envelope_line};
pub use outline::{Section, body_of, outline};
pub use parse::{Broken, Message, Sealed, parse};

//! Reading mail: from bytes to a command line and its comment, one stage a file.
//!
//! `parse` turns bytes into a [`Message`], `extract` takes the sender's own words out of its text, `identify` says
//! which of them are the command. The stages are pure functions from value to value: nothing here knows a file, a
//! clock, the server's addresses or the meaning of a command. Whatever bytes come in, what comes out is a value,
//! in time that grows with their number.

pub mod data;
mod decode;
mod encoded;
pub mod extract;
mod flowed;
mod html;
pub mod identify;
mod mime;
pub mod outline;
pub mod parse;
mod phrases;
mod quoting;
mod received;
mod trimmings;

pub use extract::{Extracted, extract};
pub use identify::{Address, Identified, identify};
pub use mime::Limit;
pub use outline::{Section, body_of, outline};
pub use parse::{Broken, Message, parse};

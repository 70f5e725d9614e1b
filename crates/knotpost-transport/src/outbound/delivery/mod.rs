//! Delivery: leases mails from the outbox, builds and sends each, and acknowledges what was sent.
//!
//! Knows the outbox and the transports. What a mail says is decided where it is queued, how it looks in `compose`.

mod build;
mod hourly_limit;
mod result;
mod worker;

pub use build::{Built, build_message};
pub use result::begin_counting;
pub use worker::DeliveryWorker;

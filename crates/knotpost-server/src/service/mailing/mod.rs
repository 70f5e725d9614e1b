//! Mailing: decides what stands in the outbox. Knows the store, not how a mail is built or sent.

pub(super) mod coalesce;

pub use coalesce::{coalesce_before_sending, coalesce_leased};

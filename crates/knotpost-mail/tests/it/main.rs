//! Mails of many programs and what is read from them, in one test binary.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod corpus;
mod hostile;
mod replies;
mod stages;

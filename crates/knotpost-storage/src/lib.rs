//! The database: the only crate that knows SQL.
//!
//! One code path serves SQLite and PostgreSQL. Reads see one snapshot, on a [`ReadTx`] of [`Store::read`]; writes run
//! inside the closure of [`Store::write`], on a [`WriteTx`]. What must happen after a commit is returned from the closure,
//! never done inside it.
//!
//! Each module knows only those above it in this list; a test holds the order:
//!
//! 1. `connection`: connections, errors, and how statements run on either database.
//! 2. `postgres`: the server of a PostgreSQL database, and the pool of connections to it.
//! 3. `rows`: rows that several of them know, as plain values; `schema`: every table and column.
//! 4. `transaction`: [`ReadTx`] and [`WriteTx`].
//! 5. The tables, by subject: `boards`, `tournaments`, `users`, `mail`, `ratings`, `ops`. Their queries and changes are
//!    methods of the transactions; no subject imports another one.
//! 6. `writer`: runs writes, on SQLite in groups that share a commit, on PostgreSQL each in a transaction of its own.
//! 7. `store`: opens the database, and hands out transactions.

#![warn(clippy::print_stdout, clippy::print_stderr)]

mod boards;
mod connection;
mod mail;
mod ops;
#[cfg(test)]
mod order;
mod postgres;
mod ratings;
mod rows;
mod schema;
mod store;
mod tournaments;
mod transaction;
mod users;
mod writer;

pub use boards::*;
pub use connection::{Driver, DriverError, Kind, Result, StoreError};
pub use mail::*;
pub use ops::*;
pub use postgres::check_address;
pub use ratings::*;
pub use rows::*;
pub use schema::{Column, Deletion, Field, Format, Personal, SCHEMA, Table, Transfer};
pub use store::{Listener, MAX_NOTICE, Notification, Readiness, Settings, Store};
pub use tournaments::*;
pub use transaction::{ReadTx, Unwritten, WriteError, WriteTx};
pub use users::*;

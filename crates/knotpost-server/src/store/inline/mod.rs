//! A driver of sqlx for SQLite that carries a statement out on the thread of whoever asks.
//!
//! The driver that comes with sqlx keeps a thread for every connection, and each statement is a way there and back,
//! dearer than most of our statements themselves. The database work is done by rusqlite; here is what sqlx wants to
//! know of a driver, and no more of it than the store uses. Whoever waits for such a statement holds up the thread he
//! is on, so the few that take long go through sqlx's own driver.

mod connection;
mod error;
mod options;
mod place;
mod readers;
mod row;
mod stamp;
mod statement;
#[cfg(test)]
mod tests;
mod usage;
mod values;

pub use connection::InlineConnection;
pub(super) use options::InlineOptions;
pub(super) use place::FilePlace;
pub use readers::Reader;
pub(super) use readers::Readers;
pub(super) use stamp::Stamp;
pub use usage::Usage;
pub(super) use usage::UsageCounter;

use connection::Transactions;
use row::{Column, Row};
use statement::{Done, Statement};
use values::{Arguments, Seen, StorageClass, Stored, Values};

/// SQLite, as sqlx names a database.
#[derive(Debug)]
pub struct InlineSqlite;

impl sqlx_core::database::Database for InlineSqlite {
    type Connection = InlineConnection;
    type TransactionManager = Transactions;
    type Row = Row;
    type QueryResult = Done;
    type Column = Column;
    type TypeInfo = StorageClass;
    type Value = Stored;
    type ValueRef<'r> = Seen<'r>;
    type Arguments = Arguments;
    type ArgumentBuffer = Values;
    type Statement = Statement;

    const NAME: &'static str = "SQLite";
    const URL_SCHEMES: &'static [&'static str] = &["sqlite"];
}

impl sqlx_core::database::HasStatementCache for InlineSqlite {}

sqlx_core::impl_into_arguments_for_arguments!(Arguments);
sqlx_core::impl_column_index_for_row!(Row);
sqlx_core::impl_column_index_for_statement!(Statement);
sqlx_core::impl_encode_for_option!(InlineSqlite);

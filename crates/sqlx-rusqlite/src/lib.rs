#![warn(missing_docs)]
#![doc = include_str!("../README.md")]

mod arguments;
mod connection;
mod error;
mod executor;
mod options;
mod reader_pool;
mod row;
mod statement;
mod transaction;
mod types;
mod usage;
mod values;

pub use arguments::RusqliteArguments;
pub use connection::RusqliteConnection;
pub use error::RusqliteError;
pub use options::RusqliteConnectOptions;
pub use reader_pool::{PooledReader, ReaderPool};
pub use row::{RusqliteColumn, RusqliteRow};
pub use statement::{RusqliteQueryResult, RusqliteStatement};
pub use transaction::RusqliteTransactionManager;
pub use usage::{Usage, UsageCounter};
pub use values::{RusqliteValue, RusqliteValueRef, StorageClass, ValueBuffer};

/// The database type that sqlx's generic items take, such as `sqlx::Transaction<'_, Rusqlite>`.
#[derive(Debug)]
pub struct Rusqlite;

impl sqlx_core::database::Database for Rusqlite {
    type Connection = RusqliteConnection;
    type TransactionManager = RusqliteTransactionManager;
    type Row = RusqliteRow;
    type QueryResult = RusqliteQueryResult;
    type Column = RusqliteColumn;
    type TypeInfo = StorageClass;
    type Value = RusqliteValue;
    type ValueRef<'r> = RusqliteValueRef<'r>;
    type Arguments = RusqliteArguments;
    type ArgumentBuffer = ValueBuffer;
    type Statement = RusqliteStatement;

    const NAME: &'static str = "SQLite";
    const URL_SCHEMES: &'static [&'static str] = &["sqlite"];
}

impl sqlx_core::database::HasStatementCache for Rusqlite {}

sqlx_core::impl_into_arguments_for_arguments!(RusqliteArguments);
sqlx_core::impl_column_index_for_row!(RusqliteRow);
sqlx_core::impl_column_index_for_statement!(RusqliteStatement);
sqlx_core::impl_encode_for_option!(Rusqlite);

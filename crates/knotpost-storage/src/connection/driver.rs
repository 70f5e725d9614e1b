//! Connections of either database, and what statements run on.

use sqlx::Transaction;
use sqlx::pool::PoolConnection;
use sqlx_postgres::{PgConnection, Postgres};

use super::sqlite::PooledReader;

/// A transaction of either database, or a connection without one.
#[derive(Debug)]
pub(crate) enum Connection {
    /// SQLite, for queries.
    SqliteReader(PooledReader),
    /// SQLite, for the writer, which begins and ends its transactions by statements.
    SqliteWriter(rusqlite::Connection),
    /// PostgreSQL.
    Postgres(Transaction<'static, Postgres>),
    /// PostgreSQL, for a single query.
    PostgresAlone(PoolConnection<Postgres>),
}

/// The connection that statements run on, by database.
#[derive(Debug)]
pub enum Driver<'c> {
    Sqlite(&'c mut rusqlite::Connection),
    /// PostgreSQL.
    Postgres(&'c mut PgConnection),
}

impl Connection {
    pub(crate) fn driver(&mut self) -> Driver<'_> {
        match self {
            Self::SqliteReader(reader) => Driver::Sqlite(reader.connection()),
            Self::SqliteWriter(connection) => Driver::Sqlite(connection),
            Self::Postgres(transaction) => Driver::Postgres(transaction),
            Self::PostgresAlone(connection) => Driver::Postgres(connection),
        }
    }
}

//! Connections of either database, and what statements run on.

use sqlx::Transaction;
use sqlx::pool::PoolConnection;
use sqlx_postgres::{PgConnection, Postgres};
use sqlx_sqlite::{Sqlite, SqliteConnection};

/// A transaction of either database, or a connection without one.
#[derive(Debug)]
pub(crate) enum Connection {
    /// SQLite, for queries that see one snapshot.
    SqliteReader(Transaction<'static, Sqlite>),
    /// SQLite, for a single query.
    SqliteAlone(PoolConnection<Sqlite>),
    /// PostgreSQL.
    Postgres(Transaction<'static, Postgres>),
    /// SQLite, for the writer, which begins and ends its transactions by statements.
    SqliteWriter(SqliteConnection),
    /// PostgreSQL, for a single query.
    PostgresAlone(PoolConnection<Postgres>),
}

/// What statements run on, by database.
#[derive(Debug)]
pub enum Driver<S, P> {
    Sqlite(S),
    /// PostgreSQL.
    Postgres(P),
}

/// What any statement runs on.
pub type WriteDriver<'c> = Driver<&'c mut SqliteConnection, &'c mut PgConnection>;

impl Connection {
    pub(crate) fn driver(&mut self) -> WriteDriver<'_> {
        match self {
            Self::Postgres(transaction) => Driver::Postgres(transaction),
            Self::SqliteReader(transaction) => Driver::Sqlite(transaction),
            Self::SqliteAlone(connection) => Driver::Sqlite(connection),
            Self::SqliteWriter(connection) => Driver::Sqlite(connection),
            Self::PostgresAlone(connection) => Driver::Postgres(connection),
        }
    }
}

//! Connections of either database, and what statements run on.

use sqlx::Transaction;
use sqlx::pool::PoolConnection;
use sqlx_postgres::{PgConnection, Postgres};
use sqlx_sqlite::{Sqlite, SqliteConnection};
use tokio_util::sync::CancellationToken;

use super::{Guarded, ReadOnly};

/// A transaction of either database, or a connection without one. Those of PostgreSQL with what ends when their server is
/// given up.
#[derive(Debug)]
pub(crate) enum Connection {
    /// SQLite, for queries that see one snapshot.
    SqliteReader(Transaction<'static, Sqlite>),
    /// SQLite, for a single query.
    SqliteAlone(PoolConnection<Sqlite>),
    /// PostgreSQL.
    Postgres(Transaction<'static, Postgres>, CancellationToken),
    /// SQLite, for the writer, which begins and ends its transactions by statements.
    SqliteWriter(SqliteConnection),
    /// PostgreSQL, for a writer that shares a transaction among several moves and begins and ends it by statements.
    /// The number is that of the generation of connections it belongs to.
    PostgresWriter(PgConnection, u64, CancellationToken),
    /// PostgreSQL, for a single query.
    PostgresAlone(PoolConnection<Postgres>, CancellationToken),
}

/// What statements run on, by database.
#[derive(Debug)]
pub enum Driver<S, P> {
    Sqlite(S),
    /// PostgreSQL.
    Postgres(P),
}

/// What queries run on.
pub type ReadDriver<'c> = Driver<ReadOnly<&'c mut SqliteConnection>, ReadOnly<Guarded<'c>>>;

/// What any statement runs on.
pub type WriteDriver<'c> = Driver<&'c mut SqliteConnection, Guarded<'c>>;

impl Connection {
    pub(crate) fn driver(&mut self) -> WriteDriver<'_> {
        match self {
            Self::Postgres(transaction, ended) => Driver::Postgres(Guarded::new(transaction, ended)),
            Self::SqliteReader(transaction) => Driver::Sqlite(transaction),
            Self::SqliteAlone(connection) => Driver::Sqlite(connection),
            Self::SqliteWriter(connection) => Driver::Sqlite(connection),
            Self::PostgresWriter(connection, _, ended) => Driver::Postgres(Guarded::new(connection, ended)),
            Self::PostgresAlone(connection, ended) => Driver::Postgres(Guarded::new(connection, ended)),
        }
    }
}

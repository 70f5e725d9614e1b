//! A connection that one task keeps for writing, so that its statements are prepared once.

use std::sync::Arc;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _};

use crate::store::inline::InlineOptions;
use crate::store::tx::Connection;
use crate::store::{StoreError, Tx};

/// Where connections come from.
pub(super) enum Source {
    Sqlite(InlineOptions),
    Postgres(Arc<PgConnectOptions>),
}

/// Every row of a move is found by its key. A plan that was made while a table was small must not read the table as a
/// whole when it has grown, and none is made again for every transaction.
///
/// Who waits too long for a row lets go of those that he has: while it waits, PostgreSQL does not notice that its
/// client has gone. The time is shorter than the clerks' patience.
const CLERK_SETTINGS: &str = "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; \
     SET plan_cache_mode = force_generic_plan; SET lock_timeout = '2s'";

impl Source {
    async fn connect(&self) -> Result<Connection, StoreError> {
        Ok(match self {
            Self::Sqlite(options) => Connection::SqliteWriter(options.connect().await?),
            Self::Postgres(options) => {
                let mut connection = options.connect().await?;
                sqlx::raw_sql(CLERK_SETTINGS).execute(&mut connection).await?;
                Connection::PostgresWriter(connection)
            }
        })
    }
}

/// Whenever a transaction does not end as it should, the connection is closed, which undoes it for sure.
pub(super) struct Pen {
    source: Source,
    connection: Option<Connection>,
}

impl Pen {
    pub(super) fn new(source: Source) -> Self {
        Self { source, connection: None }
    }

    /// With a connection, where it would do at the first transaction.
    pub(super) async fn connected(mut self) -> Result<Self, StoreError> {
        self.connection = Some(self.source.connect().await?);
        Ok(self)
    }

    pub(super) async fn begin(&mut self) -> Result<Tx, StoreError> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.source.connect().await?,
        };
        let begin = match self.source {
            Source::Sqlite(_) => "BEGIN IMMEDIATE",
            Source::Postgres(_) => "BEGIN ISOLATION LEVEL REPEATABLE READ",
        };
        let mut tx = Tx::on(connection);
        match tx.statement(begin).await {
            Ok(()) => Ok(tx),
            Err(error) => {
                close(tx.connection).await;
                Err(error)
            }
        }
    }

    pub(super) async fn commit(&mut self, mut tx: Tx) -> Result<(), StoreError> {
        // What is committed into a file that nobody can find again would be lost with this process.
        if let Source::Sqlite(options) = &self.source
            && !options.is_in_place()
        {
            close(tx.connection).await;
            return Err(StoreError::Replaced);
        }
        match tx.statement("COMMIT").await {
            Ok(()) => {
                self.connection = Some(tx.connection);
                Ok(())
            }
            Err(error) => {
                close(tx.connection).await;
                Err(error)
            }
        }
    }

    /// After some errors SQLite has undone the transaction by itself, and there is nothing to roll back.
    pub(super) async fn undo(&mut self, mut tx: Tx) {
        tx.drop_behind();
        match tx.statement("ROLLBACK").await {
            Ok(()) => self.connection = Some(tx.connection),
            Err(_) => close(tx.connection).await,
        }
    }

    pub(super) async fn put_down(self) {
        if let Some(connection) = self.connection {
            close(connection).await;
        }
    }
}

/// Without its connection a transaction is undone.
async fn close(connection: Connection) {
    let closed = match connection {
        Connection::SqliteWriter(connection) => connection.close().await.map_err(StoreError::from),
        Connection::PostgresWriter(connection) => connection.close().await.map_err(StoreError::from),
        Connection::SqliteReader(_) | Connection::Postgres(_) | Connection::PostgresAlone(_) => Ok(()),
    };
    if let Err(error) = closed {
        tracing::warn!(error = %error.with_causes(), "the database was not closed well");
    }
}

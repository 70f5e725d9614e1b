//! The connection that a batch writer owns, so that its statements are prepared once.

use sqlx::{ConnectOptions as _, Connection as _};
use sqlx_sqlite::SqliteConnectOptions;

use crate::connection::{Connection, FileIdentity, StoreError};
use crate::postgres::Primary;
use crate::transaction::WriteTx;

/// Where connections come from.
pub(super) enum Source {
    /// A SQLite file, and what it was when it was opened.
    Sqlite { options: Box<SqliteConnectOptions>, file: FileIdentity },
    /// The PostgreSQL server that works now.
    Postgres(Primary),
}

/// Every row of a move is found by its key. A plan that was made while a table was small must not read all of the table
/// when it has grown, and none is made again for every transaction.
///
/// A transaction that waits too long for a row gives back those that it has locked: while it waits, PostgreSQL does not
/// notice that its client has gone. The time is shorter than what the batch writer allows a batch.
const BATCH_SETTINGS: &str = "SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off; \
     SET plan_cache_mode = force_generic_plan; SET lock_timeout = '2s'";

impl Source {
    async fn connect(&self) -> Result<Connection, StoreError> {
        Ok(match self {
            Self::Sqlite { options, .. } => Connection::SqliteWriter(options.connect().await?),
            Self::Postgres(primary) => {
                let (mut connection, generation) = primary.connect().await?;
                let ready = async {
                    sqlx::raw_sql(BATCH_SETTINGS).execute(&mut connection).await?;
                    Ok(())
                };
                generation.run(ready).await?;
                Connection::PostgresWriter(connection, generation.number, generation.ended)
            }
        })
    }

    /// Whether the connection leads to the server that works now.
    fn is_current(&self, connection: &Connection) -> bool {
        match (self, connection) {
            (Self::Postgres(primary), Connection::PostgresWriter(_, number, _)) => {
                primary.is_current(*number)
            }
            _ => true,
        }
    }
}

/// A connection for one transaction after the other. It is closed, which undoes the transaction for sure, whenever one
/// does not end as it should; the next transaction then opens another one.
pub(super) struct WriteConnection {
    source: Source,
    connection: Option<Connection>,
}

impl WriteConnection {
    pub(super) fn new(source: Source) -> Self {
        Self { source, connection: None }
    }

    /// Opened now instead of by the first transaction.
    pub(super) async fn opened(mut self) -> Result<Self, StoreError> {
        self.connection = Some(self.source.connect().await?);
        Ok(self)
    }

    pub(super) async fn begin(&mut self) -> Result<WriteTx, StoreError> {
        let connection = match self.connection.take() {
            Some(connection) if self.source.is_current(&connection) => connection,
            _ => self.source.connect().await?,
        };
        let begin = match self.source {
            Source::Sqlite { .. } => "BEGIN IMMEDIATE",
            Source::Postgres(_) => "BEGIN ISOLATION LEVEL REPEATABLE READ",
        };
        let mut tx = WriteTx::on(connection);
        match tx.statement(begin).await {
            Ok(()) => Ok(tx),
            Err(error) => {
                close(tx.into_connection()).await;
                Err(error)
            }
        }
    }

    pub(super) async fn commit(&mut self, mut tx: WriteTx) -> Result<(), StoreError> {
        // What is committed into a file that has no path any more would be lost with this process.
        if let Source::Sqlite { file, .. } = &self.source
            && !file.is_in_place()
        {
            close(tx.into_connection()).await;
            return Err(StoreError::Replaced);
        }
        match tx.statement("COMMIT").await {
            Ok(()) => {
                self.connection = Some(tx.into_connection());
                Ok(())
            }
            Err(error) => {
                close(tx.into_connection()).await;
                Err(error)
            }
        }
    }

    /// After some errors SQLite has undone the transaction by itself, and there is nothing to roll back.
    pub(super) async fn roll_back(&mut self, mut tx: WriteTx) {
        tx.drop_buffered();
        match tx.statement("ROLLBACK").await {
            Ok(()) => self.connection = Some(tx.into_connection()),
            Err(_) => close(tx.into_connection()).await,
        }
    }

    pub(super) async fn close(self) {
        if let Some(connection) = self.connection {
            close(connection).await;
        }
    }
}

/// Without its connection a transaction is undone.
async fn close(connection: Connection) {
    let closed = match connection {
        Connection::SqliteWriter(connection) => connection.close().await.map_err(StoreError::from),
        Connection::PostgresWriter(connection, ..) => connection.close().await.map_err(StoreError::from),
        Connection::SqliteReader(_)
        | Connection::SqliteAlone(_)
        | Connection::Postgres(..)
        | Connection::PostgresAlone(..) => Ok(()),
    };
    if let Err(error) = closed {
        // A server that is away has told that already.
        if error.is_away() {
            tracing::debug!(error = %error.with_causes(), "the database was not closed well");
        } else {
            tracing::warn!(error = %error.with_causes(), "the database was not closed well");
        }
    }
}

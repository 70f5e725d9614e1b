//! The connection that the SQLite writer owns.

use sqlx::{ConnectOptions as _, Connection as _};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};

use crate::connection::{Connection, FileIdentity, Result, StoreError};
use crate::transaction::WriteTx;

/// A connection for one transaction after the other. It is closed, which undoes the transaction for sure, whenever one
/// does not end as it should; the next transaction then opens another one.
pub(super) struct WriteConnection {
    options: Box<SqliteConnectOptions>,
    /// The file as it was when it was opened.
    file: FileIdentity,
    connection: Option<SqliteConnection>,
}

impl WriteConnection {
    pub(super) async fn open(options: SqliteConnectOptions, file: FileIdentity) -> Result<Self> {
        let connection = Some(options.connect().await?);
        Ok(Self { options: Box::new(options), file, connection })
    }

    pub(super) async fn begin(&mut self) -> Result<WriteTx> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        let mut tx = WriteTx::on(Connection::SqliteWriter(connection));
        match tx.statement("BEGIN IMMEDIATE").await {
            Ok(()) => Ok(tx),
            Err(error) => {
                close(tx.into_connection()).await;
                Err(error)
            }
        }
    }

    pub(super) async fn commit(&mut self, mut tx: WriteTx) -> Result<()> {
        // What is committed into a file that has no path any more would be lost with this process.
        if !self.file.is_in_place() {
            close(tx.into_connection()).await;
            return Err(StoreError::Replaced);
        }
        let committed = tx.statement("COMMIT").await;
        self.take_back(tx, committed.is_ok()).await;
        committed
    }

    /// After some errors SQLite has undone the transaction by itself, and there is nothing to roll back.
    pub(super) async fn roll_back(&mut self, mut tx: WriteTx) {
        let rolled_back = tx.statement("ROLLBACK").await;
        self.take_back(tx, rolled_back.is_ok()).await;
    }

    async fn take_back(&mut self, tx: WriteTx, has_ended: bool) {
        match tx.into_connection() {
            Connection::SqliteWriter(connection) if has_ended => self.connection = Some(connection),
            connection => close(connection).await,
        }
    }

    pub(super) async fn close(self) {
        if let Some(connection) = self.connection {
            close(Connection::SqliteWriter(connection)).await;
        }
    }
}

/// Without its connection a transaction is undone.
async fn close(connection: Connection) {
    if let Connection::SqliteWriter(connection) = connection
        && let Err(error) = connection.close().await
    {
        tracing::warn!(error = %StoreError::from(error).with_causes(), "the database was not closed well");
    }
}

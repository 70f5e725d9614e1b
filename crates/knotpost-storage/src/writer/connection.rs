//! The connection that the SQLite writer owns.

use crate::connection::{Connection, FileIdentity, Result, StoreError, sqlite};
use crate::transaction::WriteTx;

/// A connection for one transaction after the other. It is closed, which undoes the transaction for sure, whenever one
/// does not end as it should; the next transaction then opens another one.
pub(super) struct WriteConnection {
    /// The file as it was when it was opened.
    file: FileIdentity,
    connection: Option<rusqlite::Connection>,
}

impl WriteConnection {
    pub(super) fn open(file: FileIdentity) -> Result<Self> {
        Ok(Self { connection: Some(sqlite::open(file.path())?), file })
    }

    pub(super) async fn begin(&mut self) -> Result<WriteTx> {
        let connection = match self.connection.take() {
            Some(connection) => connection,
            None => sqlite::open(self.file.path())?,
        };
        let mut tx = WriteTx::on(Connection::SqliteWriter(connection));
        tx.statement("BEGIN IMMEDIATE").await?;
        Ok(tx)
    }

    pub(super) async fn commit(&mut self, mut tx: WriteTx) -> Result<()> {
        // A commit into a file that has no path any more would be lost with this process.
        if !self.file.is_in_place() {
            return Err(StoreError::Replaced);
        }
        tx.statement("COMMIT").await?;
        tx.step()?;
        self.take_back(tx);
        Ok(())
    }

    /// After some errors SQLite has undone the transaction by itself, and there is nothing to roll back.
    pub(super) async fn roll_back(&mut self, mut tx: WriteTx) {
        if tx.statement("ROLLBACK").await.is_ok() {
            self.take_back(tx);
        }
    }

    fn take_back(&mut self, tx: WriteTx) {
        if let Connection::SqliteWriter(connection) = tx.into_connection() {
            self.connection = Some(connection);
        }
    }
}

//! Transactions on either database: [`ReadTx`] queries, [`WriteTx`] changes rows.
//!
//! Tables put every query into `impl ReadTx` and every change into `impl WriteTx`. A [`ReadTx`] runs its statements on
//! [`ReadOnly`] connections; the connection itself is reached by [`WriteTx::writing`] alone. Nothing here knows a table.

use std::ops::{Deref, DerefMut};

use sqlx::Transaction;
use sqlx_postgres::Postgres;

#[cfg(debug_assertions)]
use crate::connection::note_place;
use crate::connection::{Connection, Driver, ReadDriver, ReadOnly, StoreError, WriteDriver};

/// A transaction that only queries.
#[derive(Debug)]
pub struct ReadTx {
    connection: Connection,
}

/// A transaction that changes rows. It can do whatever a [`ReadTx`] can.
#[derive(Debug)]
pub struct WriteTx {
    read: ReadTx,
    written: bool,
    undo: bool,
}

impl ReadTx {
    pub(super) fn on(connection: Connection) -> Self {
        Self { connection }
    }

    /// Connection for queries.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn driver(&mut self) -> ReadDriver<'_> {
        #[cfg(debug_assertions)]
        note_place(self.is_postgres());
        match self.connection.driver() {
            Driver::Sqlite(connection) => Driver::Sqlite(ReadOnly::new(connection)),
            Driver::Postgres(connection) => Driver::Postgres(ReadOnly::new(connection)),
        }
    }

    pub(super) fn is_postgres(&self) -> bool {
        let connection = &self.connection;
        !matches!(
            connection,
            Connection::SqliteReader(_) | Connection::SqliteAlone(_) | Connection::SqliteWriter(_)
        )
    }

    /// The connection itself, for SQL of the tests. The server never calls it.
    #[doc(hidden)]
    pub fn driver_for_tests(&mut self) -> WriteDriver<'_> {
        self.connection.driver()
    }
}

impl Deref for WriteTx {
    type Target = ReadTx;

    fn deref(&self) -> &ReadTx {
        &self.read
    }
}

impl DerefMut for WriteTx {
    fn deref_mut(&mut self) -> &mut ReadTx {
        &mut self.read
    }
}

/// The right to run a statement that changes something; given by [`WriteTx::writing`].
#[derive(Debug)]
pub(super) struct Writing<'t>(&'t mut WriteTx);

impl<'t> Writing<'t> {
    /// Connection for the statement.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn driver(self) -> WriteDriver<'t> {
        #[cfg(debug_assertions)]
        note_place(self.0.is_postgres());
        self.0.read.connection.driver()
    }
}

impl WriteTx {
    pub(super) fn postgres(transaction: Transaction<'static, Postgres>) -> Self {
        Self::on(Connection::Postgres(transaction))
    }

    pub(super) fn on(connection: Connection) -> Self {
        Self { read: ReadTx::on(connection), written: false, undo: false }
    }

    /// For a statement that changes something.
    pub(super) fn writing(&mut self) -> Writing<'_> {
        self.written = true;
        Writing(self)
    }

    /// Marks a point inside the transaction that [`WriteTx::rollback_to_savepoint`] returns to.
    pub async fn savepoint(&mut self) -> Result<(), StoreError> {
        self.statement("SAVEPOINT step").await
    }

    /// Undoes everything since the last savepoint and removes the savepoint.
    pub async fn rollback_to_savepoint(&mut self) -> Result<(), StoreError> {
        self.statement("ROLLBACK TO SAVEPOINT step").await?;
        self.release_savepoint().await
    }

    /// Keeps everything since the last savepoint and removes the savepoint.
    pub async fn release_savepoint(&mut self) -> Result<(), StoreError> {
        self.statement("RELEASE SAVEPOINT step").await
    }

    /// Has everything that this piece of work wrote undone when it ends, although it ends well: what it returns is true
    /// of the database as it was before.
    pub fn undo_all(&mut self) {
        self.undo = self.written;
    }

    /// Begins a piece of work of its own inside the transaction.
    pub(super) fn begin_work(&mut self) {
        (self.written, self.undo) = (false, false);
    }

    /// Whether what the piece of work wrote is to be undone.
    pub(super) fn is_to_be_undone(&self) -> bool {
        self.undo
    }

    /// Runs a statement about the transaction itself.
    pub(super) async fn statement(&mut self, sql: &'static str) -> Result<(), StoreError> {
        match self.read.connection.driver() {
            Driver::Sqlite(connection) => sqlx::query(sql).execute(connection).await.map(drop)?,
            Driver::Postgres(connection) => sqlx::query(sql).execute(connection).await.map(drop)?,
        }
        Ok(())
    }

    /// The connection, for a transaction that was ended by a statement or is ended with its connection.
    pub(super) fn into_connection(self) -> Connection {
        self.read.connection
    }

    pub(super) async fn commit(self) -> Result<(), StoreError> {
        if let Connection::Postgres(transaction) = self.into_connection() {
            transaction.commit().await?;
        }
        Ok(())
    }

    pub(super) async fn rollback(self) -> Result<(), StoreError> {
        if let Connection::Postgres(transaction) = self.into_connection() {
            transaction.rollback().await?;
        }
        Ok(())
    }

    /// Whether it changed anything.
    pub(super) fn has_written(&self) -> bool {
        self.written
    }
}

//! Transactions on either database: [`ReadTx`] queries, [`WriteTx`] changes rows.
//!
//! Tables put every query into `impl ReadTx` and every change into `impl WriteTx`. A [`ReadTx`] runs its statements on
//! [`ReadOnly`] connections; the connection itself is reached by [`WriteTx::writing`] alone, on which savepoints, prefetched
//! rows and the write buffer depend. Nothing here knows a table.

use std::future::Future;
use std::ops::{Deref, DerefMut};

use sqlx::Transaction;
use sqlx_postgres::Postgres;
use tokio_util::sync::CancellationToken;

use crate::batch::{Batch, BufferedWrite, Prefetched};
#[cfg(debug_assertions)]
use crate::connection::note_place;
use crate::connection::{Connection, Driver, ReadDriver, ReadOnly, StoreError, WriteDriver, given_up};

/// A transaction that only queries.
#[derive(Debug)]
pub struct ReadTx {
    connection: Connection,
    batch: Batch,
}

/// A transaction that changes rows. It can do whatever a [`ReadTx`] can.
#[derive(Debug)]
pub struct WriteTx {
    read: ReadTx,
    savepoints: Vec<Savepoint>,
    written: bool,
    undo: bool,
}

impl ReadTx {
    pub(super) fn on(connection: Connection) -> Self {
        Self { connection, batch: Batch::default() }
    }

    /// What queries run on, after everything in the write buffer is written: a query sees what was written before it.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn driver(&mut self) -> impl Future<Output = Result<ReadDriver<'_>, StoreError>> {
        #[cfg(debug_assertions)]
        note_place(self.is_postgres());
        async {
            Ok(match self.flushed().await? {
                Driver::Sqlite(connection) => Driver::Sqlite(ReadOnly::new(connection)),
                Driver::Postgres(connection) => Driver::Postgres(ReadOnly::new(connection)),
            })
        }
    }

    async fn flushed(&mut self) -> Result<WriteDriver<'_>, StoreError> {
        if self.batch.is_dirty() {
            // Boxed: otherwise the future of every statement would contain it.
            Box::pin(self.batch.flush(self.connection.driver())).await?;
        }
        Ok(self.connection.driver())
    }

    pub(super) fn is_postgres(&self) -> bool {
        let connection = &self.connection;
        !matches!(
            connection,
            Connection::SqliteReader(_) | Connection::SqliteAlone(_) | Connection::SqliteWriter(_)
        )
    }

    /// What was read for the batch. Each row is taken once, by the query it was read for.
    pub(crate) fn prefetched(&mut self) -> &mut Prefetched {
        &mut self.batch.prefetched
    }

    /// The connection itself, past the write buffer and the savepoints, for SQL of the tests. The server never calls it.
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

/// A point inside a transaction that it can return to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Savepoint {
    /// Nothing was written since, so the database has none yet.
    Pending,
    /// The database has it.
    Set,
    /// The one before it, with nothing written between the two, stands for it in the database.
    Merged,
    /// The transaction is shared and has no savepoints: to return here, all of it is undone.
    Unavailable,
}

/// The right to run a statement that changes something; given by [`WriteTx::writing`].
#[derive(Debug)]
pub(super) struct Writing<'t>(&'t mut WriteTx);

impl<'t> Writing<'t> {
    /// What the statement runs on, after everything in the write buffer is written.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn driver(self) -> impl Future<Output = Result<WriteDriver<'t>, StoreError>> {
        #[cfg(debug_assertions)]
        note_place(self.0.is_postgres());
        async { self.0.read.flushed().await }
    }
}

impl WriteTx {
    pub(super) fn postgres(transaction: Transaction<'static, Postgres>, ended: CancellationToken) -> Self {
        Self::on(Connection::Postgres(transaction, ended))
    }

    pub(super) fn on(connection: Connection) -> Self {
        Self { read: ReadTx::on(connection), savepoints: Vec::new(), written: false, undo: false }
    }

    /// Whether several moves share it. There a savepoint for each, which is hardly ever returned to, would flush the
    /// write buffer and take two statements.
    fn is_shared(&self) -> bool {
        matches!(self.read.connection, Connection::PostgresWriter(..))
    }

    /// For a statement that changes something, after which prefetched rows may be stale.
    pub(super) async fn writing(&mut self) -> Result<Writing<'_>, StoreError> {
        self.read.batch.invalidate();
        self.note_change().await?;
        Ok(Writing(self))
    }

    /// For rows that are written later, or were written by the batch. The caller drops the prefetched rows that they
    /// make stale.
    pub(super) async fn note_change(&mut self) -> Result<(), StoreError> {
        self.written = true;
        if self.savepoints.last() == Some(&Savepoint::Pending) {
            if self.is_shared() {
                self.savepoints.fill(Savepoint::Unavailable);
                return Ok(());
            }
            let first = self.savepoints.iter().position(|point| *point == Savepoint::Pending).unwrap_or(0);
            self.statement("SAVEPOINT step").await?;
            for (index, point) in self.savepoints.iter_mut().enumerate().skip(first) {
                *point = if index == first { Savepoint::Set } else { Savepoint::Merged };
            }
        }
        Ok(())
    }

    /// Takes rows to write them later, together with those of other moves. `None`: they cannot wait, and the
    /// table writes them itself, as always on SQLite, where a statement costs no round trip.
    pub(crate) async fn buffer<W: BufferedWrite>(
        &mut self,
        write: W,
    ) -> Result<Option<W::Outcome>, StoreError> {
        if !self.is_postgres() {
            return Ok(None);
        }
        // A statement changes a row once.
        if write.changes_buffered_row(&self.batch.buffer) {
            self.flush().await?;
        }
        self.note_change().await?;
        Ok(write.put(&mut self.batch))
    }

    /// Writes what is in the write buffer.
    ///
    /// # Errors
    /// When the database fails, or refuses one of the rows: which one is unknown.
    pub(super) async fn flush(&mut self) -> Result<(), StoreError> {
        self.read.flushed().await.map(drop)
    }

    /// Empties the write buffer of a transaction that is undone.
    pub(super) fn drop_buffered(&mut self) {
        self.read.batch.drop_buffered();
    }

    /// Marks a point inside the transaction that [`WriteTx::rollback_to_savepoint`] returns to.
    pub fn savepoint(&mut self) {
        self.savepoints.push(Savepoint::Pending);
    }

    /// Undoes everything since the last savepoint and removes the savepoint.
    ///
    /// # Errors
    /// When the database fails; when the transaction is shared with other work, which would be undone as well.
    pub async fn rollback_to_savepoint(&mut self) -> Result<(), StoreError> {
        match self.savepoints.last() {
            Some(Savepoint::Unavailable) => return Err(StoreError::Shared),
            Some(Savepoint::Set | Savepoint::Merged) => {
                // What was in the buffer before the savepoint is written: the savepoint is a statement.
                self.drop_buffered();
                self.statement("ROLLBACK TO SAVEPOINT step").await?;
            }
            Some(Savepoint::Pending) | None => {}
        }
        self.release_savepoint().await
    }

    /// Keeps everything since the last savepoint and removes the savepoint.
    pub async fn release_savepoint(&mut self) -> Result<(), StoreError> {
        match self.savepoints.pop() {
            Some(Savepoint::Set) => self.statement("RELEASE SAVEPOINT step").await,
            Some(Savepoint::Pending | Savepoint::Merged | Savepoint::Unavailable) | None => Ok(()),
        }
    }

    /// Has everything that this piece of work wrote undone when it ends, although it ends well: what it returns is true
    /// of the database as it was before.
    pub fn undo_all(&mut self) {
        self.undo = self.written;
    }

    /// Begins a piece of work of its own inside the transaction.
    pub(super) fn begin_work(&mut self) {
        self.savepoints.clear();
        (self.written, self.undo) = (false, false);
    }

    /// Whether what the piece of work wrote is to be undone.
    pub(super) fn is_to_be_undone(&self) -> bool {
        self.undo
    }

    /// Runs a statement about the transaction itself.
    pub(super) async fn statement(&mut self, sql: &'static str) -> Result<(), StoreError> {
        match self.read.flushed().await? {
            Driver::Sqlite(connection) => sqlx::query(sql).execute(connection).await.map(drop)?,
            Driver::Postgres(connection) => sqlx::query(sql).execute(connection).await.map(drop)?,
        }
        Ok(())
    }

    /// The connection, for a transaction that was ended by a statement or is ended with its connection.
    pub(super) fn into_connection(self) -> Connection {
        self.read.connection
    }

    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        self.flush().await?;
        match self.into_connection() {
            Connection::Postgres(transaction, ended) => finish(transaction.commit(), ended).await?,
            Connection::SqliteReader(_)
            | Connection::SqliteAlone(_)
            | Connection::SqliteWriter(_)
            | Connection::PostgresWriter(..)
            | Connection::PostgresAlone(..) => {}
        }
        Ok(())
    }

    pub(super) async fn rollback(self) -> Result<(), StoreError> {
        match self.into_connection() {
            Connection::Postgres(transaction, ended) => finish(transaction.rollback(), ended).await?,
            Connection::SqliteReader(_)
            | Connection::SqliteAlone(_)
            | Connection::SqliteWriter(_)
            | Connection::PostgresWriter(..)
            | Connection::PostgresAlone(..) => {}
        }
        Ok(())
    }

    /// Whether it changed anything.
    pub(super) fn has_written(&self) -> bool {
        self.written
    }
}

/// Waits for the end of a transaction, unless its server is given up.
async fn finish(
    end: impl Future<Output = Result<(), sqlx::Error>>,
    ended: CancellationToken,
) -> Result<(), sqlx::Error> {
    tokio::select! {
        biased;
        outcome = end => outcome,
        () = ended.cancelled() => Err(given_up()),
    }
}

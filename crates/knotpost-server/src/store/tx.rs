//! A transaction on either database, and the points inside it that one can return to.

use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Postgres, Transaction};

use super::ahead::Ahead;
use super::behind::Behind;
use super::inline::{InlineConnection, Reader};
use super::{StoreError, on};

/// A transaction on either database.
#[derive(Debug)]
pub struct Tx {
    /// The transaction itself, without what is held back. Who changes something with it calls `Tx::writing` first.
    pub connection: Connection,
    savepoints: Vec<Savepoint>,
    written: bool,
    undo: bool,
    pub(super) ahead: Ahead,
    pub(super) behind: Behind,
}

/// A transaction of either database.
#[derive(Debug)]
pub enum Connection {
    /// SQLite, for questions.
    SqliteReader(Reader),
    /// PostgreSQL.
    Postgres(Transaction<'static, Postgres>),
    /// SQLite, for the writer, who begins and ends its transactions by statements.
    SqliteWriter(InlineConnection),
    /// PostgreSQL, for who makes moves together and begins and ends his transactions by statements.
    PostgresWriter(PgConnection),
    /// PostgreSQL, for a single question.
    PostgresAlone(PoolConnection<Postgres>),
}

/// What statements run on.
#[derive(Debug)]
pub enum Driver<'c> {
    /// SQLite.
    Sqlite(&'c mut InlineConnection),
    /// PostgreSQL.
    Postgres(&'c mut PgConnection),
}

impl Connection {
    /// What statements run on, whether in a transaction or alone.
    pub fn driver(&mut self) -> Driver<'_> {
        match self {
            Self::Postgres(transaction) => Driver::Postgres(transaction),
            Self::SqliteReader(reader) => Driver::Sqlite(reader),
            Self::SqliteWriter(connection) => Driver::Sqlite(connection),
            Self::PostgresWriter(connection) => Driver::Postgres(connection),
            Self::PostgresAlone(connection) => Driver::Postgres(connection),
        }
    }
}

/// Where a point to return to is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Savepoint {
    /// Here: nothing was written since, so that the database need not know of it.
    Here,
    /// In the database.
    Marked,
    /// In the database, at the same point as the one before it.
    Shared,
    /// Nowhere: to return there, all that share the transaction are undone.
    Missing,
}

impl Tx {
    pub(super) fn postgres(transaction: Transaction<'static, Postgres>) -> Self {
        Self::on(Connection::Postgres(transaction))
    }

    pub(super) fn on(connection: Connection) -> Self {
        let (ahead, behind) = (Ahead::default(), Behind::default());
        Self { connection, savepoints: Vec::new(), written: false, undo: false, ahead, behind }
    }

    /// What statements run on, now that all that was held back is written.
    pub(super) async fn driver(&mut self) -> Result<Driver<'_>, StoreError> {
        if !self.behind.is_empty() {
            // Boxed: every statement would have room for it otherwise.
            Box::pin(self.write_behind()).await?;
        }
        Ok(self.connection.driver())
    }

    pub(super) fn is_postgres(&self) -> bool {
        !matches!(self.connection, Connection::SqliteReader(_) | Connection::SqliteWriter(_))
    }

    /// Whether several make their moves in it. There a savepoint for each, which nearly none returns to, would write what
    /// is held back and take two ways to the database.
    fn is_shared(&self) -> bool {
        matches!(self.connection, Connection::PostgresWriter(_))
    }

    /// The transaction, for a statement that changes something. Every statement that does goes through here.
    pub(super) async fn writing(&mut self) -> Result<&mut Self, StoreError> {
        self.ahead.forget();
        self.holding().await
    }

    /// The transaction, to hold something back that is to be written. Who does tells `ahead` what is true no more.
    pub(super) async fn holding(&mut self) -> Result<&mut Self, StoreError> {
        self.written = true;
        if self.savepoints.last() == Some(&Savepoint::Here) {
            if self.is_shared() {
                self.savepoints.fill(Savepoint::Missing);
                return Ok(self);
            }
            let first = self.savepoints.iter().position(|point| *point == Savepoint::Here).unwrap_or(0);
            self.statement("SAVEPOINT step").await?;
            for (index, point) in self.savepoints.iter_mut().enumerate().skip(first) {
                *point = if index == first { Savepoint::Marked } else { Savepoint::Shared };
            }
        }
        Ok(self)
    }

    /// Forgets what is held back, for a transaction that is undone.
    pub(super) fn drop_behind(&mut self) {
        self.behind = Behind::default();
    }

    /// Marks a point inside the transaction that [`Tx::rollback_to_savepoint`] returns to.
    pub fn savepoint(&mut self) {
        self.savepoints.push(Savepoint::Here);
    }

    /// Undoes all since the last savepoint and forgets the savepoint.
    ///
    /// # Errors
    /// When the database fails; when others share the transaction, who would have to be undone as well.
    pub async fn rollback_to_savepoint(&mut self) -> Result<(), StoreError> {
        if self.savepoints.last() == Some(&Savepoint::Missing) {
            return Err(StoreError::Shared);
        }
        if self.savepoints.last().is_some_and(|point| *point != Savepoint::Here) {
            // What was held back before the savepoint is written: the savepoint is a statement.
            self.drop_behind();
            self.statement("ROLLBACK TO SAVEPOINT step").await?;
        }
        self.release_savepoint().await
    }

    /// Keeps all since the last savepoint and forgets the savepoint.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release_savepoint(&mut self) -> Result<(), StoreError> {
        match self.savepoints.pop() {
            Some(Savepoint::Marked) => self.statement("RELEASE SAVEPOINT step").await,
            Some(Savepoint::Here | Savepoint::Shared | Savepoint::Missing) | None => Ok(()),
        }
    }

    /// Has all that this piece of work wrote undone when it ends, although it ends well: what it returns is true
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

    pub(super) async fn statement(&mut self, sql: &'static str) -> Result<(), StoreError> {
        on!(self, c => sqlx::query(sql).execute(c).await.map(drop))?;
        Ok(())
    }

    pub(super) async fn commit(mut self) -> Result<(), StoreError> {
        self.driver().await?;
        match self.connection {
            Connection::Postgres(transaction) => transaction.commit().await?,
            Connection::SqliteReader(_)
            | Connection::SqliteWriter(_)
            | Connection::PostgresWriter(_)
            | Connection::PostgresAlone(_) => {}
        }
        Ok(())
    }

    pub(super) async fn rollback(self) -> Result<(), StoreError> {
        match self.connection {
            Connection::Postgres(transaction) => transaction.rollback().await?,
            Connection::SqliteReader(_)
            | Connection::SqliteWriter(_)
            | Connection::PostgresWriter(_)
            | Connection::PostgresAlone(_) => {}
        }
        Ok(())
    }
}

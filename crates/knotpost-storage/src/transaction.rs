//! Transactions on either database: [`ReadTx`] queries, [`WriteTx`] changes rows.
//!
//! Tables put every query into `impl ReadTx` and every change into `impl WriteTx`. A [`ReadTx`] refuses statements that are
//! no queries, and a [`WriteTx`] knows by them that it has written. Nothing here knows a table.

use std::ops::{Deref, DerefMut};

use knotpost_model::Millis;

use crate::connection::{Argument, Connection, Driver, FromRow, Result, Sql, StoreError, is_query};
#[cfg(debug_assertions)]
use crate::connection::{Steps, note_place};

/// Most rows that a pruning statement deletes: other writes wait meanwhile.
const BATCH: u64 = 1000;

/// Error of a write: a failure of the database, or a refusal of what was asked. Either undoes what was written.
pub trait WriteError: From<StoreError> + Send + 'static {
    /// The refusal, which holds and is not tried again; an error if it is a failure.
    fn into_refusal(self) -> Result<Self, StoreError>;
}

impl WriteError for StoreError {
    fn into_refusal(self) -> Result<Self, StoreError> {
        Err(self)
    }
}

/// Error of a write that may be refused.
#[derive(Debug)]
pub enum Unwritten<R> {
    Refused(R),
    Store(StoreError),
}

impl<R> From<StoreError> for Unwritten<R> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl<R: Send + 'static> WriteError for Unwritten<R> {
    fn into_refusal(self) -> Result<Self, StoreError> {
        match self {
            Self::Refused(_) => Ok(self),
            Self::Store(error) => Err(error),
        }
    }
}

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
    /// Counts the steps of the work, once that has begun.
    #[cfg(debug_assertions)]
    steps: Option<Steps>,
}

impl ReadTx {
    pub(super) fn on(connection: Connection) -> Self {
        Self { connection }
    }

    pub(super) fn is_postgres(&self) -> bool {
        matches!(self.connection, Connection::Postgres(_) | Connection::PostgresAlone(_))
    }

    /// The connection itself, for SQL of the tests. The server never calls it.
    #[doc(hidden)]
    pub fn driver_for_tests(&mut self) -> Driver<'_> {
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

/// Runs statements: those of a [`ReadTx`] are queries, those of a [`WriteTx`] any. No method is `async`: the caller is noted
/// when it is called.
pub(super) trait Statements {
    /// The connection for a statement, if it may be run.
    #[cfg_attr(debug_assertions, track_caller)]
    fn admit(&mut self, sql: &Sql) -> Result<&mut Connection>;

    #[cfg_attr(debug_assertions, track_caller)]
    fn fetch_all<T: FromRow>(
        &mut self,
        sql: impl Into<Sql>,
        arguments: &[&dyn Argument],
    ) -> impl Future<Output = Result<Vec<T>>> + Send {
        let sql = sql.into();
        let connection = self.admit(&sql);
        async move {
            let mut rows = Vec::new();
            let reading = connection?.for_each(sql, arguments, |row| {
                rows.push(row.decode()?);
                Ok::<_, StoreError>(())
            });
            reading.await?;
            Ok(rows)
        }
    }

    /// Returns the first row.
    #[cfg_attr(debug_assertions, track_caller)]
    fn fetch_optional<T: FromRow>(
        &mut self,
        sql: impl Into<Sql>,
        arguments: &[&dyn Argument],
    ) -> impl Future<Output = Result<Option<T>>> + Send {
        let sql = sql.into();
        let connection = self.admit(&sql);
        async move { connection?.fetch_optional(sql, arguments).await }
    }

    /// Returns the only row.
    #[cfg_attr(debug_assertions, track_caller)]
    fn fetch_one<T: FromRow>(
        &mut self,
        sql: impl Into<Sql>,
        arguments: &[&dyn Argument],
    ) -> impl Future<Output = Result<T>> + Send {
        let row = self.fetch_optional(sql, arguments);
        async move { Ok(row.await?.ok_or(sqlx::Error::RowNotFound)?) }
    }

    /// True if the statement returns a row.
    #[cfg_attr(debug_assertions, track_caller)]
    fn any(
        &mut self,
        sql: impl Into<Sql>,
        arguments: &[&dyn Argument],
    ) -> impl Future<Output = Result<bool>> + Send {
        let row = self.fetch_optional::<()>(sql, arguments);
        async move { Ok(row.await?.is_some()) }
    }
}

impl Statements for ReadTx {
    fn admit(&mut self, sql: &Sql) -> Result<&mut Connection> {
        #[cfg(debug_assertions)]
        note_place(self.is_postgres());
        if is_query(sql.as_str()) {
            return Ok(&mut self.connection);
        }
        let refused = format!("no query, but a transaction that only asks was to run it: {}", sql.as_str());
        Err(sqlx::Error::Protocol(refused).into())
    }
}

impl Statements for WriteTx {
    fn admit(&mut self, sql: &Sql) -> Result<&mut Connection> {
        #[cfg(debug_assertions)]
        note_place(self.is_postgres());
        self.step()?;
        self.written |= !is_query(sql.as_str());
        Ok(&mut self.read.connection)
    }
}

impl WriteTx {
    pub(super) fn on(connection: Connection) -> Self {
        Self {
            read: ReadTx::on(connection),
            written: false,
            #[cfg(debug_assertions)]
            steps: None,
        }
    }

    #[cfg(debug_assertions)]
    pub(super) fn count_steps(&mut self, steps: &Steps) {
        self.steps = Some(steps.clone());
    }

    /// Fails where a test cuts it off. No more than that: the driver knows nothing of it.
    pub(super) fn step(&self) -> Result<()> {
        #[cfg(debug_assertions)]
        if let Some(steps) = &self.steps {
            steps.take_one()?;
        }
        Ok(())
    }

    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn exec(
        &mut self,
        sql: impl Into<Sql>,
        arguments: &[&dyn Argument],
    ) -> impl Future<Output = Result<()>> + Send {
        let done = self.exec_count(sql, arguments);
        async move { done.await.map(drop) }
    }

    /// Returns the number of rows written.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn exec_count(
        &mut self,
        sql: impl Into<Sql>,
        arguments: &[&dyn Argument],
    ) -> impl Future<Output = Result<u64>> + Send {
        let sql = sql.into();
        let connection = self.admit(&sql);
        async move { connection?.execute(sql, arguments).await }
    }

    /// Deletes rows from before a time, at most [`BATCH`] as the statement says; true if there may be more.
    #[cfg_attr(debug_assertions, track_caller)]
    pub(super) fn prune(
        &mut self,
        sql: &'static str,
        before: Millis,
    ) -> impl Future<Output = Result<bool>> + Send {
        let sql = Sql::from(sql);
        let connection = self.admit(&sql);
        async move { Ok(connection?.execute(sql, &[&before]).await? >= BATCH) }
    }

    /// Runs a part of the work that may refuse without the whole: a refusal undoes what the part wrote.
    pub async fn part<T, E: WriteError>(
        &mut self,
        work: impl AsyncFnOnce(&mut Self) -> Result<T, E>,
    ) -> Result<T, E> {
        self.statement("SAVEPOINT part").await?;
        let outcome = match work(self).await {
            Ok(value) => Ok(value),
            Err(error) => {
                let refusal = error.into_refusal()?;
                self.statement("ROLLBACK TO SAVEPOINT part").await?;
                Err(refusal)
            }
        };
        self.statement("RELEASE SAVEPOINT part").await?;
        outcome
    }

    /// Begins a piece of work of its own inside the transaction.
    pub(super) fn begin_work(&mut self) {
        self.written = false;
    }

    /// Runs a statement about the transaction itself.
    pub(super) async fn statement(&mut self, sql: &'static str) -> Result<()> {
        self.step()?;
        self.read.connection.execute(sql.into(), &[]).await.map(drop)
    }

    /// The connection, for a transaction that was ended by a statement or is ended with its connection.
    pub(super) fn into_connection(self) -> Connection {
        self.read.connection
    }

    pub(super) async fn commit(self) -> Result<()> {
        self.step()?;
        #[cfg(debug_assertions)]
        let steps = self.steps.clone();
        if let Connection::Postgres(transaction) = self.into_connection() {
            transaction.commit().await?;
        }
        #[cfg(debug_assertions)]
        steps.map_or(Ok(()), |steps| steps.take_one())?;
        Ok(())
    }

    pub(super) async fn rollback(self) -> Result<()> {
        if let Connection::Postgres(transaction) = self.into_connection() {
            transaction.rollback().await?;
        }
        Ok(())
    }

    /// True once it has changed anything.
    pub(super) fn has_written(&self) -> bool {
        self.written
    }
}

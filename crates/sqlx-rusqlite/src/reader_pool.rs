//! A pool of read-only connections.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx_core::connection::{ConnectOptions as _, Connection as _};
use sqlx_core::error::Error;
use sqlx_core::transaction::TransactionManager as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{RusqliteConnectOptions, RusqliteConnection, RusqliteTransactionManager};

const DEFAULT_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);

/// A pool of read-only connections to one database. Cheap to clone; clones share the connections.
///
/// It does less than [`sqlx_core::pool::Pool`], and costs less for statements of microseconds: acquiring an idle
/// connection is a semaphore permit and a `Vec::pop`, and nothing is checked on the way out or back. The connection
/// returned last is lent first, because its page cache is the warmest.
#[derive(Clone, Debug)]
pub struct ReaderPool {
    options: RusqliteConnectOptions,
    acquire_timeout: Duration,
    max_connections: u32,
    permits: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<RusqliteConnection>>>,
}

impl ReaderPool {
    /// A pool of at most `max_connections` connections. Each is opened when it is first needed, with `options` made
    /// [read-only](RusqliteConnectOptions::read_only), and stays open until [`ReaderPool::close`].
    pub fn new(options: RusqliteConnectOptions, max_connections: u32) -> Self {
        Self {
            options: options.read_only(),
            acquire_timeout: DEFAULT_ACQUIRE_TIMEOUT,
            max_connections,
            permits: Arc::new(Semaphore::new(max_connections as usize)),
            idle: Arc::default(),
        }
    }

    /// Limit of the wait in [`ReaderPool::acquire`] while all connections are lent; 30 seconds by default.
    #[must_use]
    pub fn acquire_timeout(self, timeout: Duration) -> Self {
        Self { acquire_timeout: timeout, ..self }
    }

    /// Lends a connection outside of any transaction: each statement on it reads the newest committed state.
    ///
    /// # Errors
    /// [`Error::PoolTimedOut`] when none was returned in time, [`Error::PoolClosed`] after [`ReaderPool::close`], and the
    /// errors of opening a connection.
    pub async fn acquire(&self) -> Result<PooledReader, Error> {
        let permit = match Arc::clone(&self.permits).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait_for_permit().await?,
        };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        Ok(PooledReader { connection: Some(connection), idle: Arc::clone(&self.idle), _permit: permit })
    }

    /// Lends a connection in a read transaction: all statements on it see the state that the first one finds.
    ///
    /// # Errors
    /// Those of [`ReaderPool::acquire`].
    pub async fn snapshot(&self) -> Result<PooledReader, Error> {
        let mut reader = self.acquire().await?;
        RusqliteTransactionManager::begin(&mut reader, None).await?;
        Ok(reader)
    }

    async fn wait_for_permit(&self) -> Result<OwnedSemaphorePermit, Error> {
        let permit =
            tokio::time::timeout(self.acquire_timeout, Arc::clone(&self.permits).acquire_owned()).await;
        permit.map_err(|_| Error::PoolTimedOut)?.map_err(|_| Error::PoolClosed)
    }

    /// Waits until all connections are returned, closes them, and lends none from then on.
    ///
    /// # Errors
    /// The first error of closing a connection; the others are closed all the same.
    pub async fn close(&self) -> Result<(), Error> {
        // This fails when another call has closed the pool, which is no error of this one.
        let all = self.permits.acquire_many(self.max_connections).await;
        self.permits.close();
        drop(all);
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        let mut outcome = Ok(());
        for connection in idle {
            let closed = connection.close().await;
            outcome = outcome.and(closed);
        }
        outcome
    }
}

/// A connection lent by a [`ReaderPool`]. Dropping it rolls back an open transaction and returns the connection.
#[derive(Debug)]
pub struct PooledReader {
    connection: Option<RusqliteConnection>,
    idle: Arc<Mutex<Vec<RusqliteConnection>>>,
    /// Released after `drop` has returned the connection.
    _permit: OwnedSemaphorePermit,
}

#[expect(clippy::expect_used, reason = "only `drop` takes the connection out")]
impl Deref for PooledReader {
    type Target = RusqliteConnection;

    fn deref(&self) -> &RusqliteConnection {
        self.connection.as_ref().expect("a connection until it is dropped")
    }
}

#[expect(clippy::expect_used, reason = "only `drop` takes the connection out")]
impl DerefMut for PooledReader {
    fn deref_mut(&mut self) -> &mut RusqliteConnection {
        self.connection.as_mut().expect("a connection until it is dropped")
    }
}

impl Drop for PooledReader {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        RusqliteTransactionManager::start_rollback(&mut connection);
        // A connection whose transaction did not end is dropped, which closes it and so ends the transaction.
        if RusqliteTransactionManager::get_transaction_depth(&connection) == 0 {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }
}

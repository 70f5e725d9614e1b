//! Connections for reading, lent to whoever asks.

use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use sqlx_core::connection::{ConnectOptions as _, Connection as _};
use sqlx_core::error::Error;
use sqlx_core::transaction::TransactionManager as _;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::connection::Transactions;
use super::{InlineConnection, InlineOptions};

/// So long somebody waits for a connection at most.
const PATIENCE: Duration = Duration::from_secs(30);

/// Connections for reading. The one that came back last goes out first: it has the most pages of the file in memory.
#[derive(Clone, Debug)]
pub(in crate::store) struct Readers {
    options: InlineOptions,
    most: u32,
    free: Arc<Semaphore>,
    idle: Arc<Mutex<Vec<InlineConnection>>>,
}

impl Readers {
    /// At most so many at a time, each opened when it is first needed.
    pub(in crate::store) fn new(options: InlineOptions, most: u32) -> Self {
        let free = Arc::new(Semaphore::new(most as usize));
        Self { options, most, free, idle: Arc::default() }
    }

    /// A connection, outside of any transaction.
    pub(in crate::store) async fn lend(&self) -> Result<Reader, Error> {
        let permit = match Arc::clone(&self.free).try_acquire_owned() {
            Ok(permit) => permit,
            Err(_) => self.wait().await?,
        };
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.options.connect().await?,
        };
        Ok(Reader { connection: Some(connection), idle: Arc::clone(&self.idle), _permit: permit })
    }

    /// A connection on which all questions see one state of the database, that of the first.
    pub(in crate::store) async fn snapshot(&self) -> Result<Reader, Error> {
        let mut reader = self.lend().await?;
        Transactions::begin(&mut reader, None).await?;
        Ok(reader)
    }

    async fn wait(&self) -> Result<OwnedSemaphorePermit, Error> {
        let permit = tokio::time::timeout(PATIENCE, Arc::clone(&self.free).acquire_owned()).await;
        permit.map_err(|_| Error::PoolTimedOut)?.map_err(|_| Error::PoolClosed)
    }

    /// Lends no more, and returns when all have come back and are closed.
    pub(in crate::store) async fn close(&self) {
        // It fails when somebody else has closed them already.
        let all = self.free.acquire_many(self.most).await;
        self.free.close();
        drop(all);
        let idle = std::mem::take(&mut *self.idle.lock().unwrap_or_else(PoisonError::into_inner));
        for connection in idle {
            if let Err(error) = connection.close().await {
                tracing::warn!(%error, "the database was not closed well");
            }
        }
    }
}

/// A connection for reading; it goes back when it is dropped, and a transaction on it ends.
#[derive(Debug)]
pub struct Reader {
    connection: Option<InlineConnection>,
    idle: Arc<Mutex<Vec<InlineConnection>>>,
    /// Dropped last, when the connection is back.
    _permit: OwnedSemaphorePermit,
}

#[expect(clippy::expect_used, reason = "only `drop` takes the connection out")]
impl Deref for Reader {
    type Target = InlineConnection;

    fn deref(&self) -> &InlineConnection {
        self.connection.as_ref().expect("a connection that is lent")
    }
}

#[expect(clippy::expect_used, reason = "only `drop` takes the connection out")]
impl DerefMut for Reader {
    fn deref_mut(&mut self) -> &mut InlineConnection {
        self.connection.as_mut().expect("a connection that is lent")
    }
}

impl Drop for Reader {
    fn drop(&mut self) {
        let Some(mut connection) = self.connection.take() else { return };
        Transactions::start_rollback(&mut connection);
        // One whose transaction would not end is closed, which ends it.
        if Transactions::get_transaction_depth(&connection) == 0 {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
    }
}

//! A pool of connections for queries.
//!
//! It does less than sqlx's, and costs less for statements of microseconds: nothing is checked when a connection is lent or
//! comes back. The one that came back last is lent first, because its page cache is the warmest.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rusqlite::Connection;
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::super::error::{Result, StoreError};
use super::open::open_for_queries;

/// Longest wait while all connections are lent.
const PATIENCE: Duration = Duration::from_secs(30);

/// Cheap to clone; clones share the connections.
#[derive(Clone, Debug)]
pub(crate) struct ReaderPool(Arc<Readers>);

#[derive(Debug)]
struct Readers {
    file: PathBuf,
    max_connections: u32,
    permits: Semaphore,
    idle: Mutex<Vec<Connection>>,
}

impl ReaderPool {
    /// Each connection is opened when it is first needed, and stays open until the pool is closed.
    pub(crate) fn new(file: &Path, max_connections: u32) -> Self {
        Self(Arc::new(Readers {
            file: file.to_owned(),
            max_connections,
            permits: Semaphore::new(max_connections as usize),
            idle: Mutex::default(),
        }))
    }

    /// Lends a connection outside of any transaction: each query on it sees what is committed by then.
    pub(crate) async fn acquire(&self) -> Result<PooledReader> {
        let waited = timeout(PATIENCE, self.0.permits.acquire()).await;
        let permit = waited.map_err(|_| sqlx::Error::PoolTimedOut)?.map_err(|_| StoreError::Closed)?;
        let idle = self.0.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match idle {
            Some(connection) => connection,
            None => open_for_queries(&self.0.file)?,
        };
        permit.forget();
        Ok(PooledReader { connection: Some(connection), readers: Arc::clone(&self.0) })
    }

    /// Lends a connection in a transaction: all queries on it see what the first one finds committed.
    pub(crate) async fn snapshot(&self) -> Result<PooledReader> {
        let mut reader = self.acquire().await?;
        execute(reader.connection(), "BEGIN")?;
        Ok(reader)
    }

    /// Waits until all connections are back, closes them, and lends none from then on.
    pub(crate) async fn close(&self) {
        // This fails when another call has closed the pool.
        let all = self.0.permits.acquire_many(self.0.max_connections).await;
        self.0.permits.close();
        drop(all);
        self.0.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

/// A connection that was lent. Dropping it ends its transaction, and gives it back.
#[derive(Debug)]
pub(crate) struct PooledReader {
    connection: Option<Connection>,
    readers: Arc<Readers>,
}

impl PooledReader {
    #[expect(clippy::expect_used, reason = "only `drop` takes the connection out")]
    pub(crate) fn connection(&mut self) -> &mut Connection {
        self.connection.as_mut().expect("a connection until it is dropped")
    }
}

impl Drop for PooledReader {
    fn drop(&mut self) {
        // After some errors SQLite has ended the transaction by itself. One that does not end is closed with its
        // connection.
        if let Some(connection) = self.connection.take()
            && (connection.is_autocommit() || execute(&connection, "ROLLBACK").is_ok())
        {
            self.readers.idle.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
        }
        self.readers.permits.add_permits(1);
    }
}

fn execute(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    connection.prepare_cached(sql)?.execute([]).map(drop)
}

#[cfg(test)]
mod tests {
    use super::super::open::create;
    use super::*;

    fn pool(max_connections: u32) -> (ReaderPool, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games.db");
        create(&file).unwrap();
        (ReaderPool::new(&file, max_connections), folder)
    }

    #[tokio::test]
    async fn a_connection_that_came_back_is_in_no_transaction_and_cannot_write() {
        let (pool, _folder) = pool(1);
        for statements in ["SELECT 1", "ROLLBACK", "SAVEPOINT a", "COMMIT; BEGIN"] {
            let mut reader = pool.snapshot().await.unwrap();
            reader.connection().execute_batch(statements).unwrap();
            drop(reader);
            let mut reader = pool.acquire().await.unwrap();
            assert!(reader.connection().is_autocommit(), "{statements}");
            assert!(reader.connection().execute_batch("CREATE TABLE a (b TEXT)").is_err());
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_connection_is_waited_for_until_one_comes_back_or_time_is_up() {
        let (pool, _folder) = pool(1);
        let reader = pool.acquire().await.unwrap();
        assert!(pool.acquire().await.is_err_and(|error| error.is_away()));
        let waiting = tokio::spawn({
            let pool = pool.clone();
            async move { pool.acquire().await.is_ok() }
        });
        tokio::time::sleep(PATIENCE / 2).await;
        assert!(!waiting.is_finished());
        drop(reader);
        assert!(waiting.await.unwrap());
    }

    #[tokio::test]
    async fn a_closed_pool_has_waited_for_its_connections_and_lends_none() {
        let (pool, _folder) = pool(2);
        let reader = pool.acquire().await.unwrap();
        let closing = tokio::spawn({
            let pool = pool.clone();
            async move { pool.close().await }
        });
        tokio::task::yield_now().await;
        assert!(!closing.is_finished());
        drop(reader);
        closing.await.unwrap();
        assert!(matches!(pool.acquire().await, Err(StoreError::Closed)));
        pool.close().await;
    }
}

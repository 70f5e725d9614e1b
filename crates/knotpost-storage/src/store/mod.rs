//! The database, open: reads, writes, and what concerns the database itself.

mod integrity;
mod migrations;
mod notify;
mod open;
mod readiness;

pub use notify::{Listener, MAX_NOTICE, Notification};
pub use open::Settings;
pub use readiness::Readiness;

use tokio::time::Instant;

use crate::connection::sqlite::ReaderPool;
use crate::connection::{Connection, FileIdentity, Result, StoreError, sqlite};
use crate::postgres::{PATIENCE, Primary};
use crate::transaction::{ReadTx, Statements as _, WriteError, WriteTx};
use crate::writer::{Isolation, Writer};

/// The connections.
#[derive(Clone, Debug)]
enum Pools {
    Sqlite { readers: ReaderPool, file: Box<FileIdentity> },
    Postgres(Primary),
}

/// The database, open. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pools: Pools,
    writer: Writer,
}

impl Store {
    /// Begins a read: all queries on it see one snapshot, and nothing can be written.
    ///
    /// # Errors
    /// When no connection is available.
    pub async fn read(&self) -> Result<ReadTx> {
        Ok(ReadTx::on(match &self.pools {
            Pools::Sqlite { readers, .. } => Connection::SqliteReader(readers.snapshot().await?),
            Pools::Postgres(primary) => {
                let begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
                Connection::Postgres(primary.begin(begin, Instant::now() + PATIENCE).await?)
            }
        }))
    }

    /// As [`Store::read`], for a single query, which is a snapshot by itself: two queries on it may see different states.
    ///
    /// # Errors
    /// When no connection is available.
    pub async fn query(&self) -> Result<ReadTx> {
        Ok(ReadTx::on(match &self.pools {
            Pools::Sqlite { readers, .. } => Connection::SqliteReader(readers.acquire().await?),
            Pools::Postgres(primary) => Connection::PostgresAlone(primary.acquire().await?),
        }))
    }

    /// Runs `work` inside a transaction and returns its value once that is committed to disk. On an error, be it a failure
    /// or a refusal, nothing of it is stored.
    ///
    /// `work` may be run again after a conflict, so it does nothing but read and write the
    /// transaction. On SQLite several waiting callers share one commit. On PostgreSQL the outcome is that of some serial
    /// order of all such works.
    ///
    /// # Errors
    /// Those of `work`, and those of the database.
    pub async fn write<T, E, W>(&self, work: W) -> Result<T, E>
    where
        T: Send + 'static,
        E: WriteError,
        W: AsyncFn(&mut WriteTx) -> Result<T, E> + Send + 'static,
    {
        self.writer.write(Isolation::Serializable, work).await
    }

    /// As [`Store::write`], for work on a queue that claims rows, marks them or deletes old ones, and writes every row by
    /// which it decides: on PostgreSQL it conflicts with others only where both write the same row.
    ///
    /// # Errors
    /// As [`Store::write`].
    pub async fn write_queue<T, E, W>(&self, work: W) -> Result<T, E>
    where
        T: Send + 'static,
        E: WriteError,
        W: AsyncFn(&mut WriteTx) -> Result<T, E> + Send + 'static,
    {
        self.writer.write(Isolation::Snapshot, work).await
    }

    /// True if the database took writes when that was seen last. Asks nothing.
    pub fn is_working(&self) -> bool {
        match &self.pools {
            Pools::Sqlite { file, .. } => file.is_in_place() && !self.writer.health.has_failed(),
            Pools::Postgres(primary) => primary.is_working(),
        }
    }

    /// Numbers of connections to PostgreSQL in use and idle, of those that are shared; `None`: on SQLite.
    pub fn connections(&self) -> Option<(u32, u32)> {
        match &self.pools {
            Pools::Sqlite { .. } => None,
            Pools::Postgres(primary) => {
                let pool = primary.pool();
                let idle = u32::try_from(pool.num_idle()).unwrap_or(u32::MAX);
                Some((pool.size().saturating_sub(idle), idle))
            }
        }
    }

    /// Fails from the given number of steps of writes on, as if the process had been killed there. For tests.
    #[cfg(debug_assertions)]
    #[doc(hidden)]
    pub fn cut_off_after(&self, steps: u32) {
        self.writer.health.steps().cut_off_after(steps);
    }

    #[cfg(debug_assertions)]
    #[doc(hidden)]
    pub fn is_cut_off(&self) -> bool {
        self.writer.health.steps().is_cut_off()
    }

    /// Checks that the database answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<()> {
        let mut tx = self.read().await?;
        tx.any("SELECT 1 FROM users LIMIT 1", &[]).await.map(drop)
    }

    /// Returns true if anything that was read since the start was damaged.
    pub fn has_met_damage(&self) -> bool {
        StoreError::has_met_damage()
    }

    /// Finishes the writes that wait and closes the connections.
    pub async fn close(&self) {
        self.writer.close().await;
        match &self.pools {
            Pools::Sqlite { readers, .. } => readers.close().await,
            Pools::Postgres(primary) => primary.close().await,
        }
    }

    /// Copies the SQLite database into the new file `target` while other connections go on working.
    ///
    /// # Errors
    /// On PostgreSQL, whose own `pg_dump` does this; when the file exists or cannot be written.
    pub async fn backup(&self, target: &str) -> Result<()> {
        match &self.pools {
            Pools::Sqlite { file, .. } => {
                let (file, target) = (file.path().to_owned(), target.to_owned());
                run_apart(move || {
                    sqlite::open(&file)?.execute("VACUUM INTO $1", [target])?;
                    Ok(())
                })
                .await
            }
            Pools::Postgres(_) => Err(StoreError::Url(
                "this database is PostgreSQL: back it up with its own `pg_dump`".to_owned(),
            )),
        }
    }
}

/// Runs long work on a SQLite file, on a thread for that and with a connection of its own: no query has to wait for it.
async fn run_apart<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(std::io::Error::other)?
}

//! Whether the database takes writes, as far as the last ones tell.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::{Pools, Store, StoreError, on};

/// Connections are found stale at most this often: while a server only reads, not every request opens one anew.
const RENEWAL: Duration = Duration::from_secs(1);

/// Whether the database can be worked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It can.
    Ready,
    /// The last write failed for want of space or by a fault of the disk, and another try fails as well.
    Unwritable,
    /// The server of the database only reads, as a standby does.
    ReadOnly,
    /// The SQLite file is not the one that was opened.
    Replaced,
}

/// Whether the last write failed by the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Health(Arc<AtomicBool>);

impl Health {
    pub(super) fn note<T>(&self, outcome: &Result<T, StoreError>) {
        match outcome {
            Ok(_) if self.0.load(Ordering::Relaxed) => self.0.store(false, Ordering::Relaxed),
            Err(StoreError::Full(_) | StoreError::Unwritable(_)) => self.0.store(true, Ordering::Relaxed),
            _ => {}
        }
    }

    fn has_failed(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// From when on connections of the pool lead to a server that works.
#[derive(Clone, Debug, Default)]
pub(super) struct Freshness(Arc<Mutex<Option<Instant>>>);

impl Freshness {
    /// Connections of that age are used on.
    pub(super) fn is_fresh(&self, age: Duration) -> bool {
        let since = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        since.is_none_or(|since| age <= since.elapsed())
    }

    /// All connections of this moment are stale.
    pub(super) fn renew(&self) {
        let mut since = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if since.is_none_or(|since| since.elapsed() >= RENEWAL) {
            *since = Some(Instant::now());
        }
    }
}

impl Store {
    /// Whether the database can be worked with now. After a write that the disk refused this writes, to see whether it
    /// takes writes again.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn readiness(&self) -> Result<Readiness, StoreError> {
        if !self.is_in_place() {
            return Ok(Readiness::Replaced);
        }
        self.ping().await?;
        if let Pools::Postgres(pool) = &self.pools {
            let sql =
                "SELECT pg_is_in_recovery() OR CAST(current_setting('transaction_read_only') AS BOOLEAN)";
            if sqlx::query_scalar(sql).fetch_one(pool).await? {
                return Ok(Readiness::ReadOnly);
            }
        }
        if self.writer.health.has_failed() && self.try_to_write().await.is_err() {
            return Ok(Readiness::Unwritable);
        }
        Ok(Readiness::Ready)
    }

    /// Whether the SQLite file is still the one that was opened; PostgreSQL looks after its files itself.
    pub fn is_in_place(&self) -> bool {
        match &self.pools {
            Pools::Sqlite { place, .. } => place.is_in_place(),
            Pools::Postgres(_) => true,
        }
    }

    /// Writes what is there already.
    async fn try_to_write(&self) -> Result<(), StoreError> {
        self.write_queue(|tx| {
            Box::pin(async move {
                let sql = "UPDATE duties SET alive_at = alive_at";
                on!(tx.writing().await?, c => sqlx::query(sql).execute(c).await.map(drop))?;
                Ok(())
            })
        })
        .await
    }
}

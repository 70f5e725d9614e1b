//! Whether the database takes writes, judged by the last ones.

use super::{Pools, Store};
use crate::connection::StoreError;

/// The row that is written to test for space, and its size.
const TRIAL: &str = "room";
const TRIAL_BYTES: usize = 512 * 1024;

/// Whether the database can be worked with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Readiness {
    /// It can.
    Ready,
    /// A write failed for want of space or by a fault of the disk, and another try fails as well.
    Unwritable,
    /// The server of the database only reads, as a standby does.
    ReadOnly,
    /// The SQLite file is not the one that was opened.
    Replaced,
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
        if self.writer.health.has_failed() {
            if self.try_to_write().await.is_err() {
                return Ok(Readiness::Unwritable);
            }
            self.writer.health.recover();
        }
        Ok(Readiness::Ready)
    }

    /// Whether the SQLite file is still the one that was opened; PostgreSQL looks after its files itself.
    pub fn is_in_place(&self) -> bool {
        match &self.pools {
            Pools::Sqlite { file, .. } => file.is_in_place(),
            Pools::Postgres(_) => true,
        }
    }

    /// Writes as much as a large mail takes, and deletes it again. On a full disk a small row may still fit into the
    /// free pages of the file, while no mail and no move does.
    async fn try_to_write(&self) -> Result<(), StoreError> {
        self.write_queue(|tx| {
            Box::pin(async move { tx.save_server_metadata(TRIAL, &"-".repeat(TRIAL_BYTES)).await })
        })
        .await?;
        self.write_queue(|tx| Box::pin(async move { tx.forget_server_metadata(TRIAL).await })).await
    }
}

//! Readiness of the database for writes, judged by the last ones.

use std::time::Duration;

use tokio::time::timeout;

use super::{Pools, Store};
use crate::connection::{Result, StoreError};
use crate::postgres::{Primary, Role};

/// Longest that PostgreSQL may take to answer whoever asks whether it can be worked with.
const ANSWER: Duration = Duration::from_secs(3);

/// The row that is written to test for space, and its size.
const TRIAL: &str = "room";
const TRIAL_BYTES: usize = 512 * 1024;

/// State of the database for those who want to work with it.
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
    /// Something that was read, at some time since the start, was damaged.
    Damaged,
}

impl Store {
    /// Tries the database: it can be worked with now, and one board after the other can be read. After a write that the
    /// disk refused this writes, to see whether it takes writes again.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn readiness(&self) -> Result<Readiness> {
        match self.look().await {
            // Whichever statement met it, since the start.
            _ if StoreError::has_met_damage() => Ok(Readiness::Damaged),
            found => found,
        }
    }

    async fn look(&self) -> Result<Readiness> {
        if !self.is_in_place() {
            return Ok(Readiness::Replaced);
        }
        match &self.pools {
            Pools::Sqlite { .. } => self.ping().await?,
            Pools::Postgres(primary) => {
                let asked = timeout(ANSWER, self.ask(primary)).await.unwrap_or_else(|_| Err(silent()));
                if asked.inspect_err(|error| primary.suspect(error))? != Role::Writes {
                    return Ok(Readiness::ReadOnly);
                }
            }
        }
        self.read_next_board().await?;
        if self.writer.health.has_failed() {
            if self.try_to_write().await.is_err() {
                return Ok(Readiness::Unwritable);
            }
            self.writer.health.recover();
        }
        Ok(Readiness::Ready)
    }

    /// Role of the server; one that takes writes has a schema.
    async fn ask(&self, primary: &Primary) -> Result<Role> {
        let role = primary.ask_role().await?;
        if role == Role::Writes {
            self.ping().await?;
        }
        Ok(role)
    }

    /// True if the SQLite file is still the one that was opened; PostgreSQL looks after its files itself.
    pub fn is_in_place(&self) -> bool {
        match &self.pools {
            Pools::Sqlite { file, .. } => file.is_in_place(),
            Pools::Postgres(_) => true,
        }
    }

    /// Reads a board with its moves, another one each time.
    async fn read_next_board(&self) -> Result<()> {
        let board = self.query().await?.read_board_after(self.writer.health.last_board()).await?;
        self.writer.health.note_board(board.unwrap_or_default());
        Ok(())
    }

    /// Writes as much as a large mail takes, and deletes it again. On a full disk a small row may still fit into the
    /// free pages of the file, while no mail and no move does.
    async fn try_to_write(&self) -> Result<()> {
        self.write_queue(async move |tx| tx.save_server_metadata(TRIAL, &"-".repeat(TRIAL_BYTES)).await)
            .await?;
        self.write_queue(async move |tx| tx.forget_server_metadata(TRIAL).await).await
    }
}

fn silent() -> StoreError {
    StoreError::from(sqlx::Error::Io(std::io::ErrorKind::TimedOut.into()))
}

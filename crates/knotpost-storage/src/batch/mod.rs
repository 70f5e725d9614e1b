//! Batches: several writes that share a transaction, its statements and its commit.
//!
//! On SQLite every write that waits joins the transaction that is open ([`group`]). On PostgreSQL, where the way to the
//! database costs more than what a statement does there, moves are made in batches ([`writer`]): a [`MovePlan`] says
//! beforehand what a move will need, [`Prefetched`] holds what was read for all moves of a batch by few queries, and
//! [`WriteBuffer`] holds the rows that they write until a query needs them or the transaction ends, so that one statement
//! writes them all. Any other write has a transaction of its own ([`alone`]).
//!
//! What goes in is a [`Job`](job::Job), with its plan if it is a move. What comes out is an outcome for each job; the
//! reason why a batch took no further jobs and how it ended is a [`StopReason`] and a [`BatchEnd`].
//!
//! Tables know two calls: a query asks [`ReadTx::prefetched`] first, a change offers its rows to [`WriteTx::buffer`].
//! Outside `store` only [`MovePlan`] is known, with the mail that a move came in. Nothing here knows what a move means.

pub(super) mod alone;
pub(super) mod columns;
mod connection;
mod end;
mod group;
pub(super) mod job;
mod mails;
mod plan;
mod prefetch;
mod write_buffer;
mod writer;

pub use mails::{DirectMail, StoredMail};
pub use plan::MovePlan;

pub(super) use group::begin as begin_on_sqlite;
pub(super) use write_buffer::{NewMails, NewRemark, NewResponse, Renewals};
pub(super) use writer::begin as begin_on_postgres;

use super::tx::WriteDriver;
use super::{ReadTx, StoreError, WriteTx};
use end::{BatchEnd, StopReason};
use prefetch::Prefetched;
use write_buffer::{BufferedWrite, WriteBuffer};

/// How many writes share a commit at most.
const MAX_JOBS: usize = 128;

/// What a transaction has of its batch. Outside of one nothing is prefetched; the buffer is used by every transaction on
/// PostgreSQL.
#[derive(Debug, Default)]
pub(super) struct Batch {
    prefetched: Prefetched,
    buffer: WriteBuffer,
}

impl Batch {
    /// Drops the answers that may be wrong after a statement that changes anything.
    pub(super) fn invalidate(&mut self) {
        self.prefetched.invalidate();
    }

    /// Whether rows wait to be written.
    pub(super) fn is_dirty(&self) -> bool {
        !self.buffer.is_empty()
    }

    /// Writes the rows that wait.
    ///
    /// # Errors
    /// When the database fails, or refuses one of the rows: which one is unknown.
    pub(super) async fn flush(&mut self, driver: WriteDriver<'_>) -> Result<(), StoreError> {
        self.buffer.flush(driver).await
    }

    /// Drops the rows that wait, for a transaction that is undone.
    pub(super) fn drop_buffered(&mut self) {
        self.buffer = WriteBuffer::default();
    }
}

impl ReadTx {
    /// What was read for the batch. Each answer is given once, and to the query it was read for.
    pub(super) fn prefetched(&mut self) -> &mut Prefetched {
        &mut self.batch.prefetched
    }
}

impl WriteTx {
    /// Takes rows to write them later, together with those of others. `None`: they cannot wait, and the table writes them
    /// itself. So it is on SQLite, where a statement costs no way to another process.
    ///
    /// # Errors
    /// When the database fails.
    pub(super) async fn buffer<W: BufferedWrite>(
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
}

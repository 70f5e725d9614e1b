//! What a transaction carries for the batch it belongs to.
//!
//! On PostgreSQL, where the round trip costs more than the statement itself, moves are made in batches: a [`MovePlan`]
//! states beforehand what a move will need, [`Prefetched`] holds what was read for all moves of a batch by few queries,
//! and [`WriteBuffer`] holds the rows that they write until a query needs them or the transaction ends, so that one
//! statement writes them all. The batches themselves are run by [`writer`](crate::writer).
//!
//! Tables know two calls: a query asks `ReadTx::prefetched` first, a change offers its rows to `WriteTx::buffer`. Other
//! crates know only [`MovePlan`]. Nothing here knows a transaction, a table's query, or what a move means.

mod new_mails;
mod plan;
mod prefetched;
mod write_buffer;

pub use plan::MovePlan;

pub(crate) use new_mails::{MAX_NEW_MAILS, new_mails_query, waits};
pub(crate) use plan::{distinct_requests, first_of_each_board, first_of_each_mail};
pub(crate) use prefetched::{
    Prefetched, PrefetchedMail, PrefetchedMover, PrefetchedReaders, PrefetchedResponse,
};
pub(crate) use write_buffer::{BufferedWrite, NewMails, NewRemark, NewResponse, WriteBuffer};

use crate::connection::{StoreError, WriteDriver};

/// The part of a batch that a transaction carries. Outside of a batch nothing is prefetched; the buffer is used by every transaction on
/// PostgreSQL.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(crate) prefetched: Prefetched,
    pub(crate) buffer: WriteBuffer,
}

impl Batch {
    /// Drops the prefetched rows that may be stale after a statement that changes anything.
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

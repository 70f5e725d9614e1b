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

mod new_mails;
mod plan;
mod prefetched;
mod write_buffer;

pub use plan::MovePlan;

pub(crate) use new_mails::{AT_ONCE, check_all_updated, insert, waits};
pub(crate) use plan::{distinct_requests, first_of_each_board, first_of_each_mail};
pub(crate) use prefetched::{
    Prefetched, PrefetchedMail, PrefetchedMover, PrefetchedReaders, PrefetchedResponse,
};
pub(crate) use write_buffer::{BufferedWrite, NewMails, NewRemark, NewResponse, Renewals, WriteBuffer};

use crate::connection::{StoreError, WriteDriver};

/// What a transaction has of its batch. Outside of one nothing is prefetched; the buffer is used by every transaction on
/// PostgreSQL.
#[derive(Debug, Default)]
pub(super) struct Batch {
    pub(crate) prefetched: Prefetched,
    pub(crate) buffer: WriteBuffer,
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

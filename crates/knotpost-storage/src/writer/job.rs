//! Jobs, and the queue in which they wait for the SQLite writer.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use crate::connection::{Result, StoreError};
use crate::transaction::WriteTx;

/// Work inside a transaction. It may be run more than once; only the last run counts.
pub trait Work<T>: for<'t> FnMut(&'t mut WriteTx) -> BoxFuture<'t, Result<T>> + Send + 'static {}

impl<T, W> Work<T> for W where W: for<'t> FnMut(&'t mut WriteTx) -> BoxFuture<'t, Result<T>> + Send + 'static {}

/// Work of any type, with its value and the channel to its caller.
pub(crate) trait Job: Send {
    /// Runs it inside a transaction; the value of the last run counts.
    fn run<'j>(&'j mut self, tx: &'j mut WriteTx) -> BoxFuture<'j, Result<()>>;
    /// Reports the outcome to its caller.
    fn finish(self: Box<Self>, outcome: Result<()>);
}

/// A job whose caller waits.
pub(crate) struct PendingJob<T, W> {
    work: W,
    value: Option<T>,
    caller: oneshot::Sender<Result<T>>,
}

impl<T, W> PendingJob<T, W> {
    /// The job, and where its outcome arrives.
    pub(crate) fn new(work: W) -> (Self, oneshot::Receiver<Result<T>>) {
        let (caller, outcome) = oneshot::channel();
        (Self { work, value: None, caller }, outcome)
    }
}

impl<T: Send + 'static, W: Work<T>> Job for PendingJob<T, W> {
    fn run<'j>(&'j mut self, tx: &'j mut WriteTx) -> BoxFuture<'j, Result<()>> {
        Box::pin(async move {
            self.value = None;
            // One faulty command must not take down the writer and all other writes.
            let done = AssertUnwindSafe(async { (self.work)(tx).await }).catch_unwind().await;
            self.value = Some(done.map_err(|_| StoreError::Panicked)??);
            Ok(())
        })
    }

    fn finish(self: Box<Self>, outcome: Result<()>) {
        let Self { value, caller, .. } = *self;
        // A caller that went away does not undo what is committed.
        let _ = caller.send(outcome.and_then(|()| value.ok_or(StoreError::Closed)));
    }
}

/// The same failure for each job of a group: the error itself cannot be copied.
pub(super) fn copy_of(error: &StoreError) -> StoreError {
    let text = sqlx::Error::Protocol(error.with_causes()).into();
    match error {
        StoreError::Busy(_) => StoreError::Busy(text),
        StoreError::Full(_) => StoreError::Full(text),
        StoreError::Unwritable(_) => StoreError::Unwritable(text),
        StoreError::Replaced => StoreError::Replaced,
        StoreError::Unreachable(_) => StoreError::Unreachable(text),
        StoreError::NoServer(why) => StoreError::NoServer(why.clone()),
        StoreError::Closed => StoreError::Closed,
        _ => StoreError::Database(text),
    }
}

/// An order to a writer.
pub(crate) enum Order {
    /// Run this.
    Write(Box<dyn Job>),
    /// Finish what came before this, close the connection, then say so.
    Close(oneshot::Sender<()>),
}

/// Jobs that wait, first in, first out.
pub(super) struct JobQueue {
    orders: mpsc::Receiver<Order>,
    closers: Vec<oneshot::Sender<()>>,
}

impl JobQueue {
    pub(super) fn new(orders: mpsc::Receiver<Order>) -> Self {
        Self { orders, closers: Vec::new() }
    }

    /// Replies to every caller that asked the writer to close.
    pub(super) fn report_closed(self) {
        for caller in self.closers {
            // A caller that no longer waits needs no reply.
            let _ = caller.send(());
        }
    }

    /// The next job, as soon as there is one; `None`: the writer is closed.
    pub(super) async fn next(&mut self) -> Option<Box<dyn Job>> {
        loop {
            let order = self.orders.recv().await?;
            if let Some(job) = self.accept(order) {
                return Some(job);
            }
        }
    }

    /// A job that is here already.
    pub(super) fn waiting(&mut self) -> Option<Box<dyn Job>> {
        while let Ok(order) = self.orders.try_recv() {
            if let Some(job) = self.accept(order) {
                return Some(job);
            }
        }
        None
    }

    fn accept(&mut self, order: Order) -> Option<Box<dyn Job>> {
        match order {
            Order::Write(job) => Some(job),
            Order::Close(caller) => {
                self.orders.close();
                self.closers.push(caller);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::future::BoxFuture;
    use tokio::sync::{mpsc, oneshot};

    use super::{Job, JobQueue, Order};
    use crate::connection::Result;
    use crate::transaction::WriteTx;

    struct Nothing;

    impl Job for Nothing {
        fn run<'j>(&'j mut self, _: &'j mut WriteTx) -> BoxFuture<'j, Result<()>> {
            Box::pin(async { Ok(()) })
        }

        fn finish(self: Box<Self>, _: Result<()>) {}
    }

    fn queue(jobs: usize) -> (JobQueue, mpsc::Sender<Order>) {
        let (sender, orders) = mpsc::channel(16);
        for _ in 0..jobs {
            assert!(sender.try_send(Order::Write(Box::new(Nothing))).is_ok());
        }
        (JobQueue::new(orders), sender)
    }

    #[tokio::test]
    async fn jobs_before_the_end_are_still_run_and_none_after_it() {
        let (mut queue, sender) = queue(2);
        let (caller, closed) = oneshot::channel();
        assert!(sender.try_send(Order::Close(caller)).is_ok());
        assert!(queue.next().await.is_some() && queue.waiting().is_some() && queue.waiting().is_none());
        assert!(sender.try_send(Order::Write(Box::new(Nothing))).is_err(), "the queue takes no more");
        assert!(queue.next().await.is_none());
        queue.report_closed();
        assert!(closed.await.is_ok());
    }
}

//! Jobs, and the queue in which they wait for the SQLite writer.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use futures_util::future::LocalBoxFuture;
use tokio::sync::{mpsc, oneshot};

use super::Health;
use crate::connection::{Result, StoreError};
use crate::transaction::{WriteError, WriteTx};

/// End of a job's run inside its transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ran {
    /// Its changes are to be committed.
    Done,
    /// It refused: what it wrote is undone, and it is not run again.
    Refused,
}

/// Work of any type, with its outcome and the channel to its caller.
pub(crate) trait Job: Send {
    /// Runs it inside a transaction; the outcome of the last run counts. Not `Send`: it is polled on one thread, so
    /// that nobody has to prove of all that a command calls that it may move between threads.
    fn run<'j>(&'j mut self, tx: &'j mut WriteTx) -> LocalBoxFuture<'j, Result<Ran>>;
    /// Reports to its caller: the outcome of the last run, or why that does not hold.
    fn finish(self: Box<Self>, ended: Result<()>);
}

/// A job whose caller waits.
pub(crate) struct PendingJob<T, E, W> {
    work: W,
    outcome: Option<Result<T, E>>,
    health: Health,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<T, E, W> PendingJob<T, E, W> {
    /// The job, and where its outcome arrives.
    pub(crate) fn new(work: W, health: Health) -> (Self, oneshot::Receiver<Result<T, E>>) {
        let (caller, outcome) = oneshot::channel();
        (Self { work, outcome: None, health, caller }, outcome)
    }
}

impl<T, E, W> Job for PendingJob<T, E, W>
where
    T: Send + 'static,
    E: WriteError,
    W: AsyncFn(&mut WriteTx) -> Result<T, E> + Send + 'static,
{
    fn run<'j>(&'j mut self, tx: &'j mut WriteTx) -> LocalBoxFuture<'j, Result<Ran>> {
        Box::pin(async move {
            self.outcome = None;
            #[cfg(debug_assertions)]
            tx.count_steps(self.health.steps());
            // One faulty command must not take down the writer and all other writes.
            let done = AssertUnwindSafe(async { (self.work)(tx).await }).catch_unwind().await;
            let (ran, outcome) = match done.map_err(|_| StoreError::Panicked)? {
                Ok(value) => (Ran::Done, Ok(value)),
                Err(error) => (Ran::Refused, Err(error.into_refusal()?)),
            };
            self.outcome = Some(outcome);
            Ok(ran)
        })
    }

    fn finish(self: Box<Self>, ended: Result<()>) {
        let Self { outcome, health, caller, .. } = *self;
        health.note(&ended);
        let outcome = ended.and_then(|()| outcome.ok_or(StoreError::Closed));
        let outcome = outcome.unwrap_or_else(|error| Err(error.into()));
        // A caller that went away does not undo what is committed.
        let _ = caller.send(outcome);
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
    use futures_util::future::LocalBoxFuture;
    use tokio::sync::{mpsc, oneshot};

    use super::{Job, JobQueue, Order, Ran};
    use crate::connection::Result;
    use crate::transaction::WriteTx;

    struct Nothing;

    impl Job for Nothing {
        fn run<'j>(&'j mut self, _: &'j mut WriteTx) -> LocalBoxFuture<'j, Result<Ran>> {
            Box::pin(async { Ok(Ran::Done) })
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

//! Jobs, and the queue in which they wait for a batch.

use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, oneshot};

use super::StopReason;
use crate::batch::MovePlan;
use crate::connection::StoreError;
use crate::transaction::WriteTx;

/// Work inside a transaction. It may be run more than once; only the last run counts.
pub trait Work<T>:
    for<'t> FnMut(&'t mut WriteTx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static
{
}

impl<T, W> Work<T> for W where
    W: for<'t> FnMut(&'t mut WriteTx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static
{
}

/// What a transaction on PostgreSQL is protected from. SQLite has one writer, whose transactions are in order anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// The outcome is that of some serial order of all transactions of this kind: also two that write different rows
    /// conflict when each reads what the other writes.
    Serializable,
    /// Only two that write the same row conflict. Work of this kind writes a row of everything that it decides by.
    Snapshot,
}

impl Isolation {
    pub(super) const fn begin(self) -> &'static str {
        match self {
            Self::Serializable => "BEGIN ISOLATION LEVEL SERIALIZABLE",
            Self::Snapshot => "BEGIN ISOLATION LEVEL REPEATABLE READ",
        }
    }
}

/// Work of any type, with its value and the channel to its caller.
pub(crate) trait Job: Send {
    /// What it will need, when it is a move.
    fn plan(&self) -> Option<&MovePlan>;
    /// What it has to be protected from when it has a transaction of its own.
    fn isolation(&self) -> Isolation;
    /// Runs it inside a transaction; the value of the last run counts.
    fn run<'j>(&'j mut self, tx: &'j mut WriteTx) -> BoxFuture<'j, Result<(), StoreError>>;
    /// Reports the outcome to its caller.
    fn finish(self: Box<Self>, outcome: Result<(), StoreError>);
}

/// A job whose caller waits.
pub(crate) struct PendingJob<T, W> {
    plan: Option<MovePlan>,
    isolation: Isolation,
    work: W,
    value: Option<T>,
    caller: oneshot::Sender<Result<T, StoreError>>,
}

impl<T, W> PendingJob<T, W> {
    /// The job, and where its outcome arrives.
    pub(crate) fn new(
        plan: Option<MovePlan>,
        isolation: Isolation,
        work: W,
    ) -> (Self, oneshot::Receiver<Result<T, StoreError>>) {
        let (caller, outcome) = oneshot::channel();
        (Self { plan, isolation, work, value: None, caller }, outcome)
    }
}

impl<T: Send + 'static, W: Work<T>> Job for PendingJob<T, W> {
    fn plan(&self) -> Option<&MovePlan> {
        self.plan.as_ref()
    }

    fn isolation(&self) -> Isolation {
        self.isolation
    }

    fn run<'j>(&'j mut self, tx: &'j mut WriteTx) -> BoxFuture<'j, Result<(), StoreError>> {
        Box::pin(async move {
            self.value = None;
            // One faulty command must not take down the writer and all other writes.
            let done = AssertUnwindSafe(async { (self.work)(tx).await }).catch_unwind().await;
            self.value = Some(done.map_err(|_| StoreError::Panicked)??);
            Ok(())
        })
    }

    fn finish(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { value, caller, .. } = *self;
        // A caller that went away does not undo what is committed.
        let _ = caller.send(outcome.and_then(|()| value.ok_or(StoreError::Closed)));
    }
}

/// The same failure for each job of a batch: the error itself cannot be copied.
pub(super) fn copy_of(error: &StoreError) -> StoreError {
    let text = sqlx::Error::Protocol(error.with_causes());
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

    /// The jobs of the next batch, as soon as there is one, and why it takes no more; `None`: the writer is closed.
    pub(super) async fn next_batch(&mut self, max: usize) -> Option<(Vec<Box<dyn Job>>, StopReason)> {
        let mut jobs = vec![self.next().await?];
        while jobs.len() < max {
            match self.waiting() {
                Some(job) => jobs.push(job),
                None => return Some((jobs, StopReason::QueueEmpty)),
            }
        }
        Some((jobs, StopReason::Full))
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

    use super::{Isolation, Job, JobQueue, Order};
    use crate::batch::MovePlan;
    use crate::connection::StoreError;
    use crate::transaction::WriteTx;
    use crate::writer::StopReason;

    struct Nothing;

    impl Job for Nothing {
        fn plan(&self) -> Option<&MovePlan> {
            None
        }

        fn isolation(&self) -> Isolation {
            Isolation::Snapshot
        }

        fn run<'j>(&'j mut self, _: &'j mut WriteTx) -> BoxFuture<'j, Result<(), StoreError>> {
            Box::pin(async { Ok(()) })
        }

        fn finish(self: Box<Self>, _: Result<(), StoreError>) {}
    }

    fn queue(jobs: usize) -> (JobQueue, mpsc::Sender<Order>) {
        let (sender, orders) = mpsc::channel(16);
        for _ in 0..jobs {
            assert!(sender.try_send(Order::Write(Box::new(Nothing))).is_ok());
        }
        (JobQueue::new(orders), sender)
    }

    async fn take(queue: &mut JobQueue) -> Option<(usize, StopReason)> {
        queue.next_batch(3).await.map(|(jobs, reason)| (jobs.len(), reason))
    }

    #[tokio::test]
    async fn a_batch_takes_what_waits_and_says_why_it_takes_no_more() {
        let (mut queue, _sender) = queue(5);
        assert_eq!(take(&mut queue).await, Some((3, StopReason::Full)));
        assert_eq!(take(&mut queue).await, Some((2, StopReason::QueueEmpty)));
    }

    #[tokio::test]
    async fn jobs_before_the_end_are_still_run_and_none_after_it() {
        let (mut queue, sender) = queue(2);
        let (caller, closed) = oneshot::channel();
        assert!(sender.try_send(Order::Close(caller)).is_ok());
        assert_eq!(take(&mut queue).await, Some((2, StopReason::QueueEmpty)));
        assert!(sender.try_send(Order::Write(Box::new(Nothing))).is_err(), "the queue takes no more");
        assert_eq!(take(&mut queue).await, None);
        queue.report_closed();
        assert!(closed.await.is_ok());
    }
}

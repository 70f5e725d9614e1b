//! The one door for writes: group commit, and on PostgreSQL retries.

mod clerks;
mod pen;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use sqlx::PgPool;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, oneshot};

use super::health::{Freshness, Health};
use super::inline::InlineOptions;
use super::{Foreseen, StoreError, Tx};
use pen::{Pen, Source};

/// How many writes share a commit at most.
const GROUP: usize = 128;
/// How many writes wait at most; whoever wants one more waits before that.
const WAITING: usize = 1024;
/// How often a write is tried again after a conflict with another process.
const RETRIES: u32 = 8;
/// After so many conflicts it is time that nobody new comes first.
const PATIENT_TRIES: u32 = 3;

/// Work inside a transaction. It may be run more than once; only the last run counts.
pub trait Work<T>:
    for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static
{
}

impl<T, W> Work<T> for W where
    W: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static
{
}

/// What a transaction on PostgreSQL is protected from. SQLite has one writer, whose transactions are in order anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isolation {
    /// The outcome is that of some serial order of all transactions of this kind: also two that write different rows
    /// conflict when each reads what the other writes.
    Serializable,
    /// Only two that write the same row conflict. Work of this kind writes a row of whatever it decides by.
    Snapshot,
}

impl Isolation {
    const fn begin(self) -> &'static str {
        match self {
            Self::Serializable => "BEGIN ISOLATION LEVEL SERIALIZABLE",
            Self::Snapshot => "BEGIN ISOLATION LEVEL REPEATABLE READ",
        }
    }
}

/// Work with its value and its caller's address, whatever its type.
trait Job: Send {
    /// What it is certain to ask, when it is a move.
    fn foreseen(&self) -> Option<&Foreseen>;
    /// What it has to be protected from when it runs alone.
    fn isolation(&self) -> Isolation;
    fn run<'j>(&'j mut self, tx: &'j mut Tx) -> BoxFuture<'j, Result<(), StoreError>>;
    fn settle(self: Box<Self>, outcome: Result<(), StoreError>);
}

struct Pending<T, W> {
    foreseen: Option<Foreseen>,
    isolation: Isolation,
    work: W,
    value: Option<T>,
    caller: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send + 'static, W: Work<T>> Job for Pending<T, W> {
    fn foreseen(&self) -> Option<&Foreseen> {
        self.foreseen.as_ref()
    }

    fn isolation(&self) -> Isolation {
        self.isolation
    }

    fn run<'j>(&'j mut self, tx: &'j mut Tx) -> BoxFuture<'j, Result<(), StoreError>> {
        Box::pin(async move {
            self.value = None;
            // One faulty command must not take the writer, and with it everybody's writes, along.
            let done = AssertUnwindSafe(async { (self.work)(tx).await }).catch_unwind().await;
            self.value = Some(done.map_err(|_| StoreError::Panicked)??);
            Ok(())
        })
    }

    fn settle(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { value, caller, .. } = *self;
        // A caller that went away does not undo what is committed.
        let _ = caller.send(outcome.and_then(|()| value.ok_or(StoreError::Closed)));
    }
}

/// What the writer task is told.
enum Order {
    Write(Box<dyn Job>),
    /// Finish what came before this, close the connection, then say so.
    Close(oneshot::Sender<()>),
}

/// Hands writes to the database.
#[derive(Clone)]
pub(super) struct Writer {
    way: Way,
    writes: Arc<AtomicU64>,
    pub(super) health: Health,
}

#[derive(Clone)]
enum Way {
    Sqlite(mpsc::Sender<Order>),
    /// Moves are made together; all else has a connection of the pool to itself.
    Postgres {
        moves: mpsc::Sender<Order>,
        floor: Floor,
    },
}

/// Where writes on PostgreSQL meet each other.
#[derive(Clone, Debug)]
struct Floor {
    pool: PgPool,
    fresh: Freshness,
    /// How many have met others several times. While there is one, whoever comes newly stands in line at once:
    /// otherwise those who come again and again would push him aside until he gives up.
    pushed_aside: Arc<AtomicUsize>,
}

/// One who was pushed aside, until he is dropped.
struct PushedAside(Arc<AtomicUsize>);

impl PushedAside {
    fn on(floor: &Floor) -> Self {
        floor.pushed_aside.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&floor.pushed_aside))
    }
}

impl Drop for PushedAside {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let way = if matches!(self.way, Way::Sqlite(_)) { "Sqlite" } else { "Postgres" };
        f.debug_struct("Writer").field("way", &way).field("writes", &self.writes).finish_non_exhaustive()
    }
}

impl Writer {
    /// A writer on a connection of its own, and on a thread of its own, where statements are carried out and commits
    /// waited for.
    pub(super) async fn sqlite(options: InlineOptions) -> Result<Self, StoreError> {
        let pen = Pen::new(Source::Sqlite(options)).connected().await?;
        let (orders, inbox) = mpsc::channel(WAITING);
        let runtime = Handle::current();
        let writing = move || runtime.block_on(serve(pen, inbox));
        thread::Builder::new().name("knotpost-writer".to_owned()).spawn(writing)?;
        Ok(Self::by(Way::Sqlite(orders)))
    }

    /// A writer that takes connections of a pool, and some of its own for moves.
    pub(super) fn postgres(pool: PgPool, fresh: Freshness) -> Result<Self, StoreError> {
        let (moves, inbox) = mpsc::channel(WAITING);
        let floor = Floor { pool, fresh, pushed_aside: Arc::default() };
        clerks::begin(&floor, inbox)?;
        Ok(Self::by(Way::Postgres { moves, floor }))
    }

    fn by(way: Way) -> Self {
        Self { way, writes: Arc::default(), health: Health::default() }
    }

    /// How many writes were asked for.
    pub(super) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    pub(super) async fn write<T: Send + 'static, W: Work<T>>(
        &self,
        foreseen: Option<Foreseen>,
        isolation: Isolation,
        work: W,
    ) -> Result<T, StoreError> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        let (caller, answer) = oneshot::channel();
        let is_move = foreseen.is_some();
        let job: Box<dyn Job> = Box::new(Pending { foreseen, isolation, work, value: None, caller });
        match &self.way {
            Way::Postgres { moves: orders, .. } if is_move => orders.send(Order::Write(job)).await,
            Way::Sqlite(orders) => orders.send(Order::Write(job)).await,
            // A task of its own: a caller that goes away cannot stop a commit half-way.
            Way::Postgres { floor, .. } => {
                tokio::spawn(write_alone(floor.clone(), job));
                Ok(())
            }
        }
        .map_err(|_| StoreError::Closed)?;
        let outcome = answer.await.map_err(|_| StoreError::Closed)?;
        self.health.note(&outcome);
        outcome
    }

    /// Takes no more writes and returns when those that wait are done.
    pub(super) async fn close(&self) {
        let (Way::Sqlite(orders) | Way::Postgres { moves: orders, .. }) = &self.way;
        let (caller, closed) = oneshot::channel();
        // The queue is first in, first out. A writer that is closed already has nothing waiting.
        if orders.send(Order::Close(caller)).await.is_ok() {
            let _ = closed.await;
        }
    }
}

async fn serve(mut pen: Pen, inbox: mpsc::Receiver<Order>) {
    let mut desk = Desk::new(inbox);
    while let Some(job) = desk.first().await {
        let mut jobs = vec![job];
        write_group(&mut pen, &mut jobs, &mut desk).await;
    }
    pen.put_down().await;
    desk.tell_closed();
}

/// What waits to be written.
struct Desk {
    inbox: mpsc::Receiver<Order>,
    closers: Vec<oneshot::Sender<()>>,
}

impl Desk {
    fn new(inbox: mpsc::Receiver<Order>) -> Self {
        Self { inbox, closers: Vec::new() }
    }

    fn tell_closed(self) {
        for caller in self.closers {
            // Who does not wait any more need not be told.
            let _ = caller.send(());
        }
    }

    /// The next job, as soon as there is one; `None`: there will be none any more.
    async fn first(&mut self) -> Option<Box<dyn Job>> {
        loop {
            let order = self.inbox.recv().await?;
            if let Some(job) = self.take(order) {
                return Some(job);
            }
        }
    }

    /// The next jobs, as soon as there is one; empty: there will be none any more.
    async fn all(&mut self, most: usize) -> Vec<Box<dyn Job>> {
        let mut jobs: Vec<_> = self.first().await.into_iter().collect();
        while !jobs.is_empty() && jobs.len() < most {
            match self.another() {
                Some(job) => jobs.push(job),
                None => break,
            }
        }
        jobs
    }

    /// A job that is here already.
    fn another(&mut self) -> Option<Box<dyn Job>> {
        while let Ok(order) = self.inbox.try_recv() {
            if let Some(job) = self.take(order) {
                return Some(job);
            }
        }
        None
    }

    fn take(&mut self, order: Order) -> Option<Box<dyn Job>> {
        match order {
            Order::Write(job) => Some(job),
            Order::Close(caller) => {
                self.inbox.close();
                self.closers.push(caller);
                None
            }
        }
    }
}

/// Runs the jobs, and those that come while they run, inside one transaction.
///
/// Nearly always all of them succeed, and a savepoint for each would cost more than many a job. So they first run
/// without; when one fails, the transaction is undone and all run again, each behind a savepoint.
async fn write_group(pen: &mut Pen, jobs: &mut Vec<Box<dyn Job>>, desk: &mut Desk) {
    let committed = match try_group(pen, jobs, Apart::No, desk).await {
        Ok(None) => try_group(pen, jobs, Apart::Yes, desk).await,
        tried => tried,
    };
    metrics::histogram!("knotpost_store_group").record(jobs.len() as f64);
    match committed {
        Ok(outcomes) => {
            for (job, outcome) in jobs.drain(..).zip(outcomes.unwrap_or_default()) {
                job.settle(outcome);
            }
        }
        Err(error) => {
            tracing::error!(error = %error.with_causes(), jobs = jobs.len(), "a write was not committed");
            for job in jobs.drain(..) {
                job.settle(Err(again(&error)));
            }
        }
    }
}

/// Whether each job of a group can be undone alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Apart {
    No,
    Yes,
}

/// What came of each job, committed; `None`: one must be undone alone, and nothing is done. An error means that the
/// transaction itself is lost.
async fn try_group(
    pen: &mut Pen,
    jobs: &mut Vec<Box<dyn Job>>,
    apart: Apart,
    desk: &mut Desk,
) -> Result<Option<Vec<Result<(), StoreError>>>, StoreError> {
    let mut tx = pen.begin().await?;
    let mut outcomes = Vec::with_capacity(jobs.len());
    while let Some(job) = jobs.get_mut(outcomes.len()) {
        tx.begin_work();
        let outcome = match apart {
            Apart::No => job.run(&mut tx).await,
            Apart::Yes => match run_apart(job, &mut tx).await {
                Ok(outcome) => outcome,
                Err(error) => {
                    pen.undo(tx).await;
                    return Err(error);
                }
            },
        };
        // After some errors SQLite has ended the transaction by itself; no other job may run then.
        if apart == Apart::No && (outcome.is_err() || tx.is_to_be_undone()) {
            pen.undo(tx).await;
            // With the transaction a job that is alone is undone as it should be.
            return Ok((jobs.len() == 1).then(|| vec![outcome]));
        }
        outcomes.push(outcome);
        // Who came while these were written need not wait for a commit of his own.
        if outcomes.len() == jobs.len() && jobs.len() < GROUP {
            jobs.extend(desk.another());
        }
    }
    pen.commit(tx).await?;
    Ok(Some(outcomes))
}

/// The outer error says that the transaction itself is lost, the inner one that the job is.
async fn run_apart(job: &mut Box<dyn Job>, tx: &mut Tx) -> Result<Result<(), StoreError>, StoreError> {
    tx.statement("SAVEPOINT job").await?;
    let outcome = job.run(tx).await;
    if outcome.is_err() || tx.is_to_be_undone() {
        tx.statement("ROLLBACK TO SAVEPOINT job").await?;
    }
    tx.statement("RELEASE SAVEPOINT job").await?;
    Ok(outcome)
}

/// The same failure for each of a group: the error itself cannot be copied.
fn again(error: &StoreError) -> StoreError {
    let text = sqlx::Error::Protocol(error.with_causes());
    match error {
        StoreError::Busy(_) => StoreError::Busy(text),
        StoreError::Full(_) => StoreError::Full(text),
        StoreError::Unwritable(_) => StoreError::Unwritable(text),
        StoreError::Replaced => StoreError::Replaced,
        StoreError::Unreachable(_) => StoreError::Unreachable(text),
        StoreError::Closed => StoreError::Closed,
        _ => StoreError::Database(text),
    }
}

async fn write_alone(floor: Floor, mut job: Box<dyn Job>) {
    let mut outcome = Ok(());
    let mut pushed_aside = None;
    for attempt in 0..RETRIES {
        if attempt == PATIENT_TRIES {
            pushed_aside = Some(PushedAside::on(&floor));
        }
        outcome = try_alone(&floor, &mut job, attempt > 0).await;
        match &outcome {
            Err(StoreError::Busy(_)) => {
                metrics::counter!("knotpost_store_retries").increment(1);
                tokio::time::sleep(Duration::from_millis(5 << attempt)).await;
            }
            // Whatever else is open to that server is no better: all of it is opened anew when it is wanted.
            Err(StoreError::Unreachable(_)) => {
                floor.fresh.renew();
                break;
            }
            _ => break,
        }
    }
    drop(pushed_aside);
    job.settle(outcome);
}

async fn try_alone(floor: &Floor, job: &mut Box<dyn Job>, has_met: bool) -> Result<(), StoreError> {
    let mut tx = Tx::postgres(floor.pool.begin_with(job.isolation().begin()).await?);
    // Asked when the connection is there, for which one may have waited long.
    if has_met || floor.pushed_aside.load(Ordering::Relaxed) > 0 {
        // Who has met a conflict stands in line with others who have, so that many who want one row all get
        // it. Waiting here comes before the snapshot; any table that is always there would do.
        tx.statement("LOCK TABLE rating_orders IN SHARE UPDATE EXCLUSIVE MODE").await?;
    }
    match job.run(&mut tx).await {
        Ok(()) if tx.is_to_be_undone() => tx.rollback().await,
        Ok(()) => tx.commit().await,
        Err(error) => {
            tx.rollback().await?;
            Err(error)
        }
    }
}

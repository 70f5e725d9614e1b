//! The one door for writes: group commit on SQLite, retries on PostgreSQL.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::{PgPool, SqlitePool};
use tokio::sync::{mpsc, oneshot};

use super::{StoreError, Tx};

/// How many waiting writers share a commit at most.
const GROUP: usize = 128;
/// How often a write is tried again after a conflict with another process.
const RETRIES: u32 = 8;

/// Work inside a transaction. It may be run more than once; only the last run counts.
pub trait Work<T>:
    for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static
{
}

impl<T, W> Work<T> for W where
    W: for<'t> FnMut(&'t mut Tx) -> BoxFuture<'t, Result<T, StoreError>> + Send + 'static
{
}

/// Work with its value and its caller's address, whatever its type.
pub(super) trait Job: Send {
    fn run<'j>(&'j mut self, tx: &'j mut Tx) -> BoxFuture<'j, Result<(), StoreError>>;
    fn settle(self: Box<Self>, outcome: Result<(), StoreError>);
}

struct Pending<T, W> {
    work: W,
    value: Option<T>,
    caller: oneshot::Sender<Result<T, StoreError>>,
}

impl<T: Send + 'static, W: Work<T>> Job for Pending<T, W> {
    fn run<'j>(&'j mut self, tx: &'j mut Tx) -> BoxFuture<'j, Result<(), StoreError>> {
        Box::pin(async move {
            self.value = None;
            self.value = Some((self.work)(tx).await?);
            Ok(())
        })
    }

    fn settle(self: Box<Self>, outcome: Result<(), StoreError>) {
        let Self { value, caller, .. } = *self;
        // A caller that went away does not undo what is committed.
        let _ = caller.send(outcome.and_then(|()| value.ok_or(StoreError::Closed)));
    }
}

/// Hands writes to the database.
#[derive(Clone, Debug)]
pub(super) enum Writer {
    Sqlite(mpsc::Sender<Box<dyn Job>>),
    Postgres(PgPool),
}

impl std::fmt::Debug for Box<dyn Job> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Job")
    }
}

impl Writer {
    /// A writer task on the one connection of `pool`.
    pub(super) fn sqlite(pool: SqlitePool) -> Self {
        let (jobs, inbox) = mpsc::channel(1024);
        tokio::spawn(serve(pool, inbox));
        Self::Sqlite(jobs)
    }

    pub(super) fn postgres(pool: PgPool) -> Self {
        Self::Postgres(pool)
    }

    pub(super) async fn write<T: Send + 'static, W: Work<T>>(&self, work: W) -> Result<T, StoreError> {
        let (caller, answer) = oneshot::channel();
        let job: Box<dyn Job> = Box::new(Pending { work, value: None, caller });
        match self {
            Self::Sqlite(jobs) => jobs.send(job).await.map_err(|_| StoreError::Closed)?,
            // A task of its own: a caller that goes away cannot stop a commit half-way.
            Self::Postgres(pool) => drop(tokio::spawn(write_alone(pool.clone(), job))),
        }
        answer.await.map_err(|_| StoreError::Closed)?
    }

    /// Returns when no write is waiting any more.
    pub(super) async fn close(&self) {
        if matches!(self, Self::Sqlite(_)) {
            // The queue is first in, first out: when this one is done, those before it are.
            let _ = self.write(|_| Box::pin(std::future::ready(Ok(())))).await;
        }
    }
}

async fn serve(pool: SqlitePool, mut inbox: mpsc::Receiver<Box<dyn Job>>) {
    let mut group = Vec::with_capacity(GROUP);
    while inbox.recv_many(&mut group, GROUP).await > 0 {
        metrics::histogram!("knotpost_store_group").record(group.len() as f64);
        let jobs = std::mem::take(&mut group);
        write_group(&pool, jobs).await;
    }
    pool.close().await;
}

/// Runs the jobs inside one transaction; a job that fails is undone alone.
async fn write_group(pool: &SqlitePool, mut jobs: Vec<Box<dyn Job>>) {
    let mut outcomes = Vec::with_capacity(jobs.len());
    let committed = async {
        let mut tx = Tx::Sqlite(pool.begin_with("BEGIN IMMEDIATE").await?);
        let alone = jobs.len() == 1;
        for job in &mut jobs {
            outcomes.push(if alone { job.run(&mut tx).await } else { run_apart(job, &mut tx).await? });
        }
        if alone && outcomes.iter().any(Result::is_err) { tx.rollback().await } else { tx.commit().await }
    }
    .await;
    if let Err(error) = committed {
        tracing::error!(error = %error, jobs = jobs.len(), "a write was not committed");
        let shared = Arc::new(error);
        for job in jobs {
            job.settle(Err(again(&shared)));
        }
        return;
    }
    for (job, outcome) in jobs.into_iter().zip(outcomes) {
        job.settle(outcome);
    }
}

/// The outer error says that the transaction itself is lost, the inner one that the job is.
async fn run_apart(job: &mut Box<dyn Job>, tx: &mut Tx) -> Result<Result<(), StoreError>, StoreError> {
    tx.statement("SAVEPOINT job").await?;
    let outcome = job.run(tx).await;
    if outcome.is_err() {
        tx.statement("ROLLBACK TO SAVEPOINT job").await?;
    }
    tx.statement("RELEASE SAVEPOINT job").await?;
    Ok(outcome)
}

/// The same failure for each of a group: the error itself cannot be copied.
fn again(error: &StoreError) -> StoreError {
    let text = sqlx::Error::Protocol(error.to_string());
    if error.is_transient() { StoreError::Busy(text) } else { StoreError::Database(text) }
}

async fn write_alone(pool: PgPool, mut job: Box<dyn Job>) {
    let mut outcome = Ok(());
    for attempt in 0..RETRIES {
        outcome = try_alone(&pool, &mut job).await;
        match &outcome {
            Err(error) if error.is_transient() => {
                metrics::counter!("knotpost_store_retries").increment(1);
                tokio::time::sleep(Duration::from_millis(5 << attempt)).await;
            }
            _ => break,
        }
    }
    job.settle(outcome);
}

async fn try_alone(pool: &PgPool, job: &mut Box<dyn Job>) -> Result<(), StoreError> {
    let mut tx = Tx::Postgres(pool.begin_with("BEGIN ISOLATION LEVEL REPEATABLE READ").await?);
    match job.run(&mut tx).await {
        Ok(()) => tx.commit().await,
        Err(error) => {
            tx.rollback().await?;
            Err(error)
        }
    }
}

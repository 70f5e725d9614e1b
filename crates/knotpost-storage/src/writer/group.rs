//! Group commit on SQLite: writes that wait join the open transaction and share its commit.

use std::thread;

use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::MAX_JOBS;
use super::connection::WriteConnection;
use super::job::{Job, JobQueue, Order, Ran, copy_of};
use crate::connection::{FileIdentity, Result};
use crate::transaction::WriteTx;

/// Reason for which no further job joined a group.
#[derive(Clone, Copy, Debug)]
enum StopReason {
    /// No other job was waiting.
    QueueEmpty,
    /// It had as many jobs as a group may have.
    Full,
    /// A job failed or refused after it had written, which undoes what the others wrote.
    JobUndone,
}

/// Starts the writer on a thread of its own, which runs the statements and waits for the commits.
///
/// # Errors
/// When the file cannot be opened, or no thread is available.
pub(crate) fn begin(file: FileIdentity, orders: mpsc::Receiver<Order>) -> Result<()> {
    let connection = WriteConnection::open(file)?;
    let runtime = Handle::current();
    let writing = move || runtime.block_on(run(connection, orders));
    thread::Builder::new().name("knotpost-writer".to_owned()).spawn(writing)?;
    Ok(())
}

async fn run(mut connection: WriteConnection, orders: mpsc::Receiver<Order>) {
    let mut queue = JobQueue::new(orders);
    while let Some(job) = queue.next().await {
        let mut jobs = vec![job];
        write_group(&mut connection, &mut jobs, &mut queue).await;
    }
    drop(connection);
    queue.report_closed();
}

/// Runs the jobs, and those that come while they run, inside one transaction.
///
/// Nearly always all of them succeed, and a savepoint for each would cost more than most jobs. So they first run
/// without; when one must be undone, so is the transaction, and all run again, each behind a savepoint.
async fn write_group(connection: &mut WriteConnection, jobs: &mut Vec<Box<dyn Job>>, queue: &mut JobQueue) {
    let written = match try_group(connection, jobs, Savepoints::None, queue).await {
        Ok(Tried { outcomes: None, .. }) => try_group(connection, jobs, Savepoints::ForEachJob, queue).await,
        tried => tried,
    };
    metrics::histogram!("knotpost_store_group").record(jobs.len() as f64);
    match written {
        Ok(Tried { outcomes, stopped }) => {
            tracing::debug!(jobs = jobs.len(), ?stopped, "a group of writes was committed");
            for (job, outcome) in jobs.drain(..).zip(outcomes.unwrap_or_default()) {
                job.finish(outcome);
            }
        }
        Err(error) => {
            tracing::error!(error = %error.with_causes(), jobs = jobs.len(), "a write was not committed");
            for job in jobs.drain(..) {
                job.finish(Err(copy_of(&error)));
            }
        }
    }
}

/// Means to undo each job of a group alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Savepoints {
    None,
    ForEachJob,
}

/// Outcome of a group whose transaction was not lost.
struct Tried {
    /// Of each job, committed; `None`: one must be undone alone, and nothing is written.
    outcomes: Option<Vec<Result<()>>>,
    /// Reason for which no further job joined.
    stopped: StopReason,
}

async fn try_group(
    connection: &mut WriteConnection,
    jobs: &mut Vec<Box<dyn Job>>,
    savepoints: Savepoints,
    queue: &mut JobQueue,
) -> Result<Tried> {
    let mut tx = connection.begin().await?;
    let mut outcomes = Vec::with_capacity(jobs.len());
    while let Some(job) = jobs.get_mut(outcomes.len()) {
        let Ended { outcome, is_undone } = match run_job(job, &mut tx, savepoints).await {
            Ok(ended) => ended,
            Err(error) => {
                connection.roll_back(tx).await;
                return Err(error);
            }
        };
        // After some errors SQLite has ended the transaction by itself; no other job may run then.
        if savepoints == Savepoints::None && is_undone {
            connection.roll_back(tx).await;
            // With the transaction a job that is alone is undone as it should be.
            let outcomes = (jobs.len() == 1).then(|| vec![outcome]);
            return Ok(Tried { outcomes, stopped: StopReason::JobUndone });
        }
        outcomes.push(outcome);
        // A job that came while these ran need not wait for a commit of its own.
        if outcomes.len() == jobs.len() && jobs.len() < MAX_JOBS {
            jobs.extend(queue.waiting());
        }
    }
    let stopped = if jobs.len() < MAX_JOBS { StopReason::QueueEmpty } else { StopReason::Full };
    connection.commit(tx).await?;
    Ok(Tried { outcomes: Some(outcomes), stopped })
}

/// End of a job's run in a group.
struct Ended {
    /// Reported to its caller once the group is committed.
    outcome: Result<()>,
    /// True if its changes must not be committed.
    is_undone: bool,
}

/// Runs a job; with a savepoint it is undone where it must be. On an error the transaction itself is lost.
async fn run_job(job: &mut Box<dyn Job>, tx: &mut WriteTx, savepoints: Savepoints) -> Result<Ended> {
    tx.begin_work();
    if savepoints == Savepoints::ForEachJob {
        tx.statement("SAVEPOINT job").await?;
    }
    let ran = job.run(tx).await;
    let is_undone = match ran {
        Ok(Ran::Done) => false,
        // Most refusals come before the first change.
        Ok(Ran::Refused) => tx.has_written(),
        Err(_) => true,
    };
    if savepoints == Savepoints::ForEachJob {
        if is_undone {
            tx.statement("ROLLBACK TO SAVEPOINT job").await?;
        }
        tx.statement("RELEASE SAVEPOINT job").await?;
    }
    Ok(Ended { outcome: ran.map(drop), is_undone })
}

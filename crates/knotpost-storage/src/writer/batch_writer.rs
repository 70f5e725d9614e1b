//! Batches of moves on PostgreSQL: waiting moves are made in one transaction, which reads for all of them at once, writes for
//! all of them at once, and commits once.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

use super::alone::{Contention, write_alone};
use super::connection::{Source, WriteConnection};
use super::job::{Job, JobQueue, Order, copy_of};
use super::{BatchEnd, MAX_JOBS};
use crate::batch::MovePlan;
use crate::connection::StoreError;
use crate::transaction::WriteTx;

/// While one of them waits for the database, the other one computes.
const WRITERS: usize = 2;
/// A database that begins or commits no transaction within this time is unreachable, or its connection was cut unnoticed.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(10);
/// Moves that take longer wait for another transaction. The moves queued after them need not.
const JOBS_TIMEOUT: Duration = Duration::from_secs(3);

/// Starts the writers, each on a thread of its own: nothing else wakes up a thread that waits for the database.
///
/// # Errors
/// When no thread is available.
pub(crate) fn begin(contention: &Contention, orders: mpsc::Receiver<Order>) -> std::io::Result<()> {
    let queue = Arc::new(Mutex::new(JobQueue::new(orders)));
    let runtime = Handle::current();
    for number in 1..=WRITERS {
        let (contention, queue, runtime) = (contention.clone(), Arc::clone(&queue), runtime.clone());
        let own = Builder::new_current_thread().enable_all().build()?;
        let working = move || {
            own.block_on(run(contention, Arc::clone(&queue), runtime));
            // The last writer to end reports that all have ended.
            if let Some(queue) = Arc::into_inner(queue) {
                queue.into_inner().report_closed();
            }
        };
        thread::Builder::new().name(format!("knotpost-batch{number}")).spawn(working)?;
    }
    Ok(())
}

async fn run(contention: Contention, queue: Arc<Mutex<JobQueue>>, runtime: Handle) {
    let mut connection = WriteConnection::new(Source::Postgres(contention.primary.clone()));
    loop {
        let next = queue.lock().await.next_batch(MAX_JOBS).await;
        let Some((mut jobs, stopped)) = next else { break };
        metrics::histogram!("knotpost_store_group").record(jobs.len() as f64);
        let mut end = write_batch(&mut connection, &mut jobs).await;
        tracing::debug!(jobs = jobs.len(), ?stopped, ?end, "a batch ended");
        if let BatchEnd::Conflict = end {
            metrics::counter!("knotpost_store_retries_total").increment(1);
            end = write_batch(&mut connection, &mut jobs).await;
            tracing::debug!(jobs = jobs.len(), ?end, "a batch ended that was tried again");
        }
        finish(end, jobs, &contention, &runtime);
    }
    connection.close().await;
}

/// Reports the outcome to the callers, or has each job run alone when nothing of the batch was written.
fn finish(end: BatchEnd, jobs: Vec<Box<dyn Job>>, contention: &Contention, runtime: &Handle) {
    match end {
        BatchEnd::Committed => {
            for job in jobs {
                job.finish(Ok(()));
            }
        }
        BatchEnd::NotBegun
        | BatchEnd::ConnectionLost
        | BatchEnd::Conflict
        | BatchEnd::JobFailed
        | BatchEnd::JobUndone
        | BatchEnd::TimedOut => {
            for job in jobs {
                runtime.spawn(write_alone(contention.clone(), job));
            }
        }
        BatchEnd::Unknown(error) => {
            contention.primary.suspect(&error);
            // Their callers are told to try again, and what is repeated is recognised.
            if error.is_away() {
                tracing::warn!(error = %error.with_causes(), jobs = jobs.len(), "moves may not be committed");
            } else {
                tracing::error!(error = %error.with_causes(), jobs = jobs.len(), "moves may not be committed");
            }
            for job in jobs {
                job.finish(Err(copy_of(&error)));
            }
        }
    }
}

async fn write_batch(connection: &mut WriteConnection, jobs: &mut [Box<dyn Job>]) -> BatchEnd {
    // What is wrong with the database is reported by the jobs that then run alone.
    let Ok(Ok(mut tx)) = timeout(DATABASE_TIMEOUT, connection.begin()).await else {
        return BatchEnd::NotBegun;
    };
    match timeout(JOBS_TIMEOUT, run_all(&mut tx, jobs)).await {
        Ok(Ok(())) => {}
        // A server that refuses to write goes on answering: the next connection may lead to another one.
        Ok(Err(BatchEnd::ConnectionLost)) => return BatchEnd::ConnectionLost,
        Ok(Err(end)) => {
            // Without its connection, which is dropped with it, a transaction is undone as well.
            let _ = timeout(DATABASE_TIMEOUT, connection.roll_back(tx)).await;
            return end;
        }
        Err(_) => return BatchEnd::TimedOut,
    }
    match timeout(DATABASE_TIMEOUT, connection.commit(tx)).await {
        Ok(Ok(())) => BatchEnd::Committed,
        Ok(Err(error)) => BatchEnd::at_commit(error),
        Err(_) => BatchEnd::Unknown(StoreError::Unreachable(sqlx::Error::PoolTimedOut)),
    }
}

/// Runs the jobs up to the commit; an error is why the batch ends before it.
async fn run_all(tx: &mut WriteTx, jobs: &mut [Box<dyn Job>]) -> Result<(), BatchEnd> {
    let before_commit = |error: StoreError| BatchEnd::before_commit(&error);
    let plans: Vec<MovePlan> = jobs.iter().filter_map(|job| job.plan().cloned()).collect();
    tx.prefetch(&plans).await.map_err(before_commit)?;
    for job in jobs {
        tx.begin_work();
        job.run(tx).await.map_err(before_commit)?;
        if tx.is_to_be_undone() {
            return Err(BatchEnd::JobUndone);
        }
    }
    tx.flush().await.map_err(before_commit)
}

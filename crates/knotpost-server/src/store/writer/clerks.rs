//! Moves on PostgreSQL: those that wait are made in one transaction, which asks for all of them at once, writes for all
//! of them at once, and is committed once.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use tokio::runtime::{Builder, Handle};
use tokio::sync::{Mutex, mpsc};
use tokio::time::timeout;

use super::pen::{Pen, Source};
use super::{Desk, Floor, GROUP, Job, Order, again, write_alone};
use crate::store::{Foreseen, StoreError, Tx};

/// While the database works for one, another has time to think.
const CLERKS: usize = 2;
/// A database that takes or commits no transaction within so long is not to be reached, or its connection was cut
/// unnoticed.
const PATIENCE: Duration = Duration::from_secs(10);
/// Moves that take longer wait for somebody else's transaction. Those that wait behind them need not.
const PATIENCE_AT_WORK: Duration = Duration::from_secs(3);

/// Lets the clerks work, each on a thread of its own: whoever waits for the database there is woken by nobody else.
///
/// # Errors
/// When there is no thread to be had.
pub(super) fn begin(floor: &Floor, inbox: mpsc::Receiver<Order>) -> std::io::Result<()> {
    let desk = Arc::new(Mutex::new(Desk::new(inbox)));
    let runtime = Handle::current();
    for number in 1..=CLERKS {
        let (floor, desk, runtime) = (floor.clone(), Arc::clone(&desk), runtime.clone());
        let own = Builder::new_current_thread().enable_all().build()?;
        let working = move || {
            own.block_on(work(floor, Arc::clone(&desk), runtime));
            // The last to go tells that all have gone.
            if let Some(desk) = Arc::into_inner(desk) {
                desk.into_inner().tell_closed();
            }
        };
        thread::Builder::new().name(format!("knotpost-clerk{number}")).spawn(working)?;
    }
    Ok(())
}

async fn work(floor: Floor, desk: Arc<Mutex<Desk>>, runtime: Handle) {
    let mut pen = Pen::new(Source::Postgres(floor.pool.connect_options()));
    loop {
        let mut jobs = desk.lock().await.all(GROUP).await;
        if jobs.is_empty() {
            break;
        }
        metrics::histogram!("knotpost_store_group").record(jobs.len() as f64);
        let mut written = write_together(&mut pen, &mut jobs).await;
        if let Err(Failed::Busy) = written {
            metrics::counter!("knotpost_store_retries").increment(1);
            written = write_together(&mut pen, &mut jobs).await;
        }
        match written {
            Ok(()) => {
                for job in jobs {
                    job.settle(Ok(()));
                }
            }
            Err(Failed::Busy | Failed::Undone | Failed::Cut) => {
                for job in jobs {
                    runtime.spawn(write_alone(floor.clone(), job));
                }
            }
            Err(Failed::Unknown(error)) => {
                tracing::error!(error = %error.with_causes(), jobs = jobs.len(), "moves may not be committed");
                for job in jobs {
                    job.settle(Err(again(&error)));
                }
            }
        }
    }
    pen.put_down().await;
}

/// Why jobs did not get through together.
enum Failed {
    /// One of them met a write of somebody else. Nothing is written.
    Busy,
    /// One of them failed, or is to be undone. Nothing is written.
    Undone,
    /// The connection is of no use any more. Nothing is written.
    Cut,
    /// Whether they are committed cannot be told.
    Unknown(StoreError),
}

impl Failed {
    fn before_commit(error: &StoreError) -> Self {
        match error {
            StoreError::Busy(_) => Self::Busy,
            StoreError::Unreachable(_) => Self::Cut,
            _ => Self::Undone,
        }
    }
}

async fn write_together(pen: &mut Pen, jobs: &mut [Box<dyn Job>]) -> Result<(), Failed> {
    // Whoever then writes alone tells what is wrong with the database.
    let Ok(Ok(mut tx)) = timeout(PATIENCE, pen.begin()).await else { return Err(Failed::Undone) };
    match timeout(PATIENCE_AT_WORK, run_all(&mut tx, jobs)).await {
        Ok(Ok(())) => {}
        // A server that refuses to write goes on answering: the next connection may lead to another one.
        Ok(Err(Failed::Cut)) => return Err(Failed::Cut),
        Ok(Err(failed)) => {
            // Without its connection, which is dropped with it, a transaction is undone as well.
            let _ = timeout(PATIENCE, pen.undo(tx)).await;
            return Err(failed);
        }
        Err(_) => return Err(Failed::Undone),
    }
    match timeout(PATIENCE, pen.commit(tx)).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(StoreError::Busy(_))) => Err(Failed::Busy),
        Ok(Err(error)) => Err(Failed::Unknown(error)),
        Err(_) => Err(Failed::Unknown(StoreError::Unreachable(sqlx::Error::PoolTimedOut))),
    }
}

async fn run_all(tx: &mut Tx, jobs: &mut [Box<dyn Job>]) -> Result<(), Failed> {
    let before_commit = |error: StoreError| Failed::before_commit(&error);
    let foreseen: Vec<Foreseen> = jobs.iter().filter_map(|job| job.foreseen().cloned()).collect();
    tx.read_ahead(&foreseen).await.map_err(before_commit)?;
    for job in jobs {
        tx.begin_work();
        job.run(tx).await.map_err(before_commit)?;
        if tx.is_to_be_undone() {
            return Err(Failed::Undone);
        }
    }
    tx.write_behind().await.map_err(before_commit)
}

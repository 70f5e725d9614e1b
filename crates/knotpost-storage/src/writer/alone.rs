//! Writes on PostgreSQL that have a transaction of their own, tried again after conflicts and while the
//! server of the database is away.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::time::Instant;

use super::job::Job;
use crate::connection::StoreError;
use crate::postgres::{PATIENCE, Primary};
use crate::transaction::WriteTx;

/// How often a write is tried again after a conflict with another transaction.
const MAX_TRIES: u32 = 8;
/// After this many conflicts a write takes precedence over new ones.
const TRIES_BEFORE_PRIORITY: u32 = 3;
/// How long it waits for a server of the database between two tries.
const AWAY_PAUSE: Duration = Duration::from_millis(50);

/// Where writes on PostgreSQL meet each other.
#[derive(Clone, Debug)]
pub(crate) struct Contention {
    pub(super) primary: Primary,
    /// How many writes have met conflicts several times. While there is one, newcomers queue up at once: otherwise one
    /// after the other would go first until it gives up.
    starving: Arc<AtomicUsize>,
}

impl Contention {
    pub(crate) fn new(primary: Primary) -> Self {
        Self { primary, starving: Arc::default() }
    }
}

/// Counts a write as starving until it is dropped.
struct Starving(Arc<AtomicUsize>);

impl Starving {
    fn on(contention: &Contention) -> Self {
        contention.starving.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(&contention.starving))
    }
}

impl Drop for Starving {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// How a try of a write ended.
enum Tried {
    Committed,
    /// Nothing of it is stored.
    Failed(StoreError),
    Unknown(StoreError),
}

/// Runs a job in a transaction of its own and reports the outcome to its caller. It is run again after conflicts, and
/// while the server of the database is away, as long as nothing of it can be stored.
pub(crate) async fn write_alone(contention: Contention, mut job: Box<dyn Job>) {
    let deadline = Instant::now() + PATIENCE;
    let mut starving = None;
    let mut conflicts = 0;
    let outcome = loop {
        if conflicts == TRIES_BEFORE_PRIORITY && starving.is_none() {
            starving = Some(Starving::on(&contention));
        }
        match try_alone(&contention, &mut job, conflicts > 0, deadline).await {
            Tried::Committed => break Ok(()),
            Tried::Failed(error @ StoreError::Busy(_)) => {
                metrics::counter!("knotpost_store_retries_total").increment(1);
                tokio::time::sleep(Duration::from_millis(5 << conflicts)).await;
                conflicts += 1;
                if conflicts == MAX_TRIES {
                    break Err(error);
                }
            }
            Tried::Failed(error) if error.is_away() => {
                contention.primary.suspect(&error);
                if !contention.primary.may_return(&error) || Instant::now() + AWAY_PAUSE >= deadline {
                    break Err(error);
                }
                tokio::time::sleep(AWAY_PAUSE).await;
            }
            Tried::Failed(error) => break Err(error),
            Tried::Unknown(error) => {
                contention.primary.suspect(&error);
                break Err(error);
            }
        }
    };
    drop(starving);
    job.finish(outcome);
}

async fn try_alone(
    contention: &Contention,
    job: &mut Box<dyn Job>,
    had_conflict: bool,
    deadline: Instant,
) -> Tried {
    let begun = contention.primary.begin(job.isolation().begin(), deadline).await;
    let transaction = match begun {
        Ok(begun) => begun,
        Err(error) => return Tried::Failed(error),
    };
    let mut tx = WriteTx::postgres(transaction);
    // Checked when the connection is there, for which the write may have waited long.
    if had_conflict || contention.starving.load(Ordering::Relaxed) > 0 {
        // Writes that have met a conflict queue up for this lock, so that many that want one row all get it. They wait
        // here before their snapshot is taken; any table that is always there would do.
        if let Err(error) = tx.statement("LOCK TABLE rating_orders IN SHARE UPDATE EXCLUSIVE MODE").await {
            return Tried::Failed(error);
        }
    }
    match job.run(&mut tx).await {
        Ok(()) if tx.is_to_be_undone() => {
            tx.rollback().await.map_or_else(Tried::Failed, |()| Tried::Committed)
        }
        Ok(()) => match tx.flush().await {
            Ok(()) => commit(tx).await,
            Err(error) => Tried::Failed(error),
        },
        Err(error) => match tx.rollback().await {
            // A job that failed for a reason of its own must not run again for that of its rollback.
            Err(other) if error.is_away() => Tried::Failed(other),
            _ => Tried::Failed(error),
        },
    }
}

/// A commit that failed may have been carried out, except when it met another transaction or had nothing to store.
async fn commit(tx: WriteTx) -> Tried {
    let has_written = tx.has_written();
    match tx.commit().await {
        Ok(()) => Tried::Committed,
        Err(error @ StoreError::Busy(_)) => Tried::Failed(error),
        Err(error) if !has_written => Tried::Failed(error),
        Err(error) => Tried::Unknown(error),
    }
}

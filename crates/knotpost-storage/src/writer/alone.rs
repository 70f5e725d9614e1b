//! Writes on PostgreSQL that have a transaction of their own, tried again after conflicts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sqlx_postgres::PgPool;

use super::health::Freshness;
use super::job::Job;
use crate::connection::StoreError;
use crate::transaction::WriteTx;

/// How often a write is tried again after a conflict with another transaction.
const MAX_TRIES: u32 = 8;
/// After this many conflicts a write takes precedence over new ones.
const TRIES_BEFORE_PRIORITY: u32 = 3;

/// Where writes on PostgreSQL meet each other.
#[derive(Clone, Debug)]
pub(crate) struct Contention {
    pub(super) pool: PgPool,
    fresh: Freshness,
    /// How many writes have met conflicts several times. While there is one, newcomers queue up at once: otherwise one
    /// after the other would go first until it gives up.
    starving: Arc<AtomicUsize>,
}

impl Contention {
    pub(crate) fn new(pool: PgPool, fresh: Freshness) -> Self {
        Self { pool, fresh, starving: Arc::default() }
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

/// Runs a job in a transaction of its own, again after conflicts, and reports the outcome to its caller.
pub(crate) async fn write_alone(contention: Contention, mut job: Box<dyn Job>) {
    let mut outcome = Ok(());
    let mut starving = None;
    for attempt in 0..MAX_TRIES {
        if attempt == TRIES_BEFORE_PRIORITY {
            starving = Some(Starving::on(&contention));
        }
        outcome = try_alone(&contention, &mut job, attempt > 0).await;
        match &outcome {
            Err(StoreError::Busy(_)) => {
                metrics::counter!("knotpost_store_retries").increment(1);
                tokio::time::sleep(Duration::from_millis(5 << attempt)).await;
            }
            // The other connections to that server are no better: all of them are reopened when they are needed.
            Err(StoreError::Unreachable(_)) => {
                contention.fresh.renew();
                break;
            }
            _ => break,
        }
    }
    drop(starving);
    job.finish(outcome);
}

async fn try_alone(
    contention: &Contention,
    job: &mut Box<dyn Job>,
    had_conflict: bool,
) -> Result<(), StoreError> {
    let mut tx = WriteTx::postgres(contention.pool.begin_with(job.isolation().begin()).await?);
    // Checked when the connection is there, for which the write may have waited long.
    if had_conflict || contention.starving.load(Ordering::Relaxed) > 0 {
        // Writes that have met a conflict queue up for this lock, so that many that want one row all get it. They wait
        // here before their snapshot is taken; any table that is always there would do.
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

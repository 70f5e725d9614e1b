//! Writes on PostgreSQL: each has a transaction of its own, and is tried again after conflicts and when the server
//! was away.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::Instant;

use super::job::{Job, Ran};
use crate::connection::{Connection, Result, StoreError};
use crate::postgres::{PATIENCE, Primary};
use crate::transaction::WriteTx;

/// Most tries of a write that meets other transactions.
const MAX_TRIES: u32 = 8;
/// Most tries of a write that finds a unique key taken: another transaction may have taken it since it looked.
const MAX_TRIES_OF_KEY: u32 = 3;
/// After this many conflicts a write takes precedence over new ones.
const TRIES_BEFORE_PRIORITY: u32 = 3;
/// Pause between two tries while the server of the database is away.
const AWAY_PAUSE: Duration = Duration::from_millis(50);

/// Isolation of a transaction on PostgreSQL. SQLite has one writer, whose transactions are in order anyway.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isolation {
    /// The outcome is that of some serial order of all transactions of this kind: also two that write different rows
    /// conflict when each reads what the other writes.
    Serializable,
    /// Only two that write the same row conflict. Work of this kind writes a row of everything that it decides by.
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

/// The place at which writes on PostgreSQL meet each other.
#[derive(Clone, Debug)]
pub(crate) struct Contention {
    pub(super) primary: Primary,
    /// Number of writes that have met conflicts several times. While there is one, newcomers queue up at once: otherwise one
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

/// End of a try of a write.
enum Tried {
    /// Committed; or it refused, and was rolled back.
    Done,
    /// Nothing of it is stored.
    Failed(StoreError),
    Unknown(StoreError),
}

/// Runs a job in a transaction of its own and reports the outcome to its caller. It is run again after conflicts, and
/// while the server of the database is away, as long as nothing of it can be stored.
pub(super) async fn write_alone(contention: Contention, isolation: Isolation, mut job: Box<dyn Job>) {
    let deadline = Instant::now() + PATIENCE;
    let mut starving = None;
    let mut conflicts = 0;
    let outcome = loop {
        if conflicts == TRIES_BEFORE_PRIORITY && starving.is_none() {
            starving = Some(Starving::on(&contention));
        }
        let tried = try_alone(&contention, isolation, job, conflicts > 0, deadline).await;
        // The program ends; with the job its caller's channel is closed.
        let Some((returned, tried)) = tried else { return };
        job = returned;
        match tried {
            Tried::Done => break Ok(()),
            Tried::Failed(error @ (StoreError::Busy(_) | StoreError::Conflict(_))) => {
                conflicts += 1;
                let most =
                    if matches!(error, StoreError::Conflict(_)) { MAX_TRIES_OF_KEY } else { MAX_TRIES };
                if conflicts >= most {
                    break Err(error);
                }
                metrics::counter!("knotpost_store_retries_total").increment(1);
                tokio::time::sleep(pause_after(conflicts)).await;
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

/// Doubles with each conflict. Half of it is by chance, so that two that met do not meet again.
fn pause_after(conflicts: u32) -> Duration {
    let whole = 5_000 << conflicts;
    Duration::from_micros(whole / 2 + RandomState::new().hash_one(conflicts) % (whole / 2))
}

async fn try_alone(
    contention: &Contention,
    isolation: Isolation,
    job: Box<dyn Job>,
    had_conflict: bool,
    deadline: Instant,
) -> Option<(Box<dyn Job>, Tried)> {
    let begun = contention.primary.begin(isolation.begin(), deadline).await;
    let mut tx = match begun {
        Ok(transaction) => WriteTx::on(Connection::Postgres(transaction)),
        Err(error) => return Some((job, Tried::Failed(error))),
    };
    // Checked when the connection is there, for which the write may have waited long.
    if had_conflict || contention.starving.load(Ordering::Relaxed) > 0 {
        // Writes that have met a conflict queue up for this lock, so that many that want one row all get it. They wait
        // here before their snapshot is taken; any table that is always there would do.
        if let Err(error) = tx.statement("LOCK TABLE rating_orders IN SHARE UPDATE EXCLUSIVE MODE").await {
            return Some((job, Tried::Failed(error)));
        }
    }
    let (job, tx, ran) = run_on_thread(job, tx).await?;
    let tried = match ran {
        Ok(Ran::Done) => commit(tx).await,
        Ok(Ran::Refused) => tx.rollback().await.map_or_else(Tried::Failed, |()| Tried::Done),
        Err(error) => match tx.rollback().await {
            // A job that failed for a reason of its own must not run again for that of its rollback.
            Err(other) if error.is_away() => Tried::Failed(other),
            _ => Tried::Failed(error),
        },
    };
    Some((job, tried))
}

/// Runs a job on one thread: it need not be `Send`. There are as many such threads as connections at most, since each has
/// one already. `None`: the program ends.
async fn run_on_thread(
    mut job: Box<dyn Job>,
    mut tx: WriteTx,
) -> Option<(Box<dyn Job>, WriteTx, Result<Ran>)> {
    let runtime = Handle::current();
    let running = tokio::task::spawn_blocking(move || {
        let ran = runtime.block_on(job.run(&mut tx));
        (job, tx, ran)
    });
    running.await.ok()
}

/// A commit that failed may have been carried out, except when it met another transaction or had nothing to store.
async fn commit(tx: WriteTx) -> Tried {
    let has_written = tx.has_written();
    match tx.commit().await {
        Ok(()) => Tried::Done,
        Err(error @ StoreError::Busy(_)) => Tried::Failed(error),
        Err(error) if !has_written => Tried::Failed(error),
        Err(error) => Tried::Unknown(error),
    }
}

#[cfg(test)]
mod tests {
    use super::{Duration, MAX_TRIES, pause_after};

    #[test]
    fn pauses_double_and_are_by_chance() {
        for conflicts in 1..MAX_TRIES {
            let whole = Duration::from_millis(5 << conflicts);
            let pauses: Vec<Duration> = (0..20).map(|_| pause_after(conflicts)).collect();
            assert!(pauses.iter().all(|pause| *pause >= whole / 2 && *pause < whole), "{pauses:?}");
            assert!(pauses.iter().any(|pause| *pause != pauses[0]), "{pauses:?}");
        }
    }
}

//! Steps of tournaments, taken by the process that runs the clock. The pairing of many players takes seconds, in which the
//! other tournaments go on.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::{JoinError, JoinHandle};
use tokio::time::timeout;

use crate::app::App;
use crate::boards::ServiceError;
use crate::clock::clock_leader::may_judge;
use crate::tournaments::swiss::{Draw, store_round};
use crate::tournaments::telling::{FinalTables, final_tables};
use crate::tournaments::work::{Step, step};
use knotpost_model::TournamentName;
use knotpost_storage::StoreError;
use knotpost_tournaments::{NoPairing, Pairing};

/// Time for which a tournament is left alone in which something failed.
const SET_ASIDE_MS: i64 = 3_600_000;

/// Time in which most rounds are paired: nothing else is done meanwhile.
const SHORTLY: Duration = Duration::from_millis(100);
/// Transactions that tell of the same final tables before they are made again.
const MOST_TOLD: usize = 20;
/// Longest time without a look at the other tournaments.
const TICK: Duration = Duration::from_secs(1);

/// The round that is being paired, one at a time.
#[derive(Debug, Default)]
pub(crate) struct PairingUnderWay(Mutex<Option<(TournamentName, Work)>>);

/// `None`: it panicked.
type Work = JoinHandle<Option<Arc<Paired>>>;

/// End of a step.
enum Taken {
    /// There may be another one.
    Step,
    /// Another round is being paired, and this one waits for it.
    Waits,
    /// Another process runs the clock.
    NotOurs,
}

/// Takes a step in each tournament where something is to be done, if this process runs the clock; true if there may be
/// more. On hold nobody runs it.
pub async fn work_tournaments(app: &Arc<App>, holder: &str) -> Result<bool, StoreError> {
    let now = app.clock.now();
    if app.hold.is_some() {
        return Ok(false);
    }
    let waiting = app.store.query().await?.tournaments_to_work(now).await?;
    let paired = app.pairing.0.lock().await.as_ref().map(|(name, _)| *name);
    let mut has_worked = false;
    for name in waiting.into_iter().filter(|name| Some(*name) != paired) {
        match take_step(app, holder, name).await? {
            Taken::Step => has_worked = true,
            Taken::Waits => {}
            Taken::NotOurs => return Ok(false),
        }
    }
    let patience = if has_worked { Duration::ZERO } else { TICK };
    let mut under_way = app.pairing.0.lock().await;
    let Some((name, work)) = under_way.as_mut() else { return Ok(has_worked) };
    let Ok(paired) = timeout(patience, work).await else { return Ok(true) };
    let name = *name;
    *under_way = None;
    drop(under_way);
    Ok(matches!(store_paired(app, holder, name, paired).await?, Taken::Step))
}

async fn take_step(app: &Arc<App>, holder: &str, name: TournamentName) -> Result<Taken, StoreError> {
    let mut done = work_on(app, holder, name, Made::Nothing).await;
    if let Ok(Some(Step::ToTable)) = done {
        let tables = match final_tables(app, name).await {
            Ok(tables) => Arc::new(tables),
            Err(error) => return conclude(app, name, Err(store_error(error))).await,
        };
        for _ in 0..MOST_TOLD {
            done = work_on(app, holder, name, Made::Tables(Arc::clone(&tables))).await;
            if !matches!(done, Ok(Some(Step::Told))) {
                break;
            }
        }
    }
    let Ok(Some(Step::ToPair(draw))) = done else { return conclude(app, name, done).await };
    let mut under_way = app.pairing.0.lock().await;
    if under_way.is_some() {
        return Ok(Taken::Waits);
    }
    let pairing = async move { draw.pair().await.map(|pairing| Arc::new((draw, pairing))) };
    let mut work = tokio::spawn(pairing);
    let Ok(paired) = timeout(SHORTLY, &mut work).await else {
        *under_way = Some((name, work));
        return Ok(Taken::Step);
    };
    drop(under_way);
    store_paired(app, holder, name, paired).await
}

async fn store_paired(
    app: &Arc<App>,
    holder: &str,
    name: TournamentName,
    paired: Result<Option<Arc<Paired>>, JoinError>,
) -> Result<Taken, StoreError> {
    let done = match paired {
        Ok(Some(paired)) => work_on(app, holder, name, Made::Round(paired)).await,
        Ok(None) | Err(_) => Err(StoreError::Corrupt("the pairing of the next round panicked".to_owned())),
    };
    conclude(app, name, done).await
}

/// Tells what a step has changed. A tournament in which it failed is set aside.
async fn conclude(
    app: &Arc<App>,
    name: TournamentName,
    done: Result<Option<Step>, StoreError>,
) -> Result<Taken, StoreError> {
    match done {
        Ok(None) => Ok(Taken::NotOurs),
        Ok(Some(done)) => {
            app.signals.outbox.notify_one();
            if let Step::Ended(boards) = done {
                app.signals.tell_boards(&boards);
            }
            Ok(Taken::Step)
        }
        Err(error) if error.is_transient() => Err(error),
        Err(error) => {
            tracing::error!(
                tournament = %name,
                error = error.with_causes(),
                "this tournament cannot go on; it is set aside for an hour"
            );
            let later = app.clock.now().plus(SET_ASIDE_MS);
            app.store.write_queue(async move |tx| tx.rest_tournament(name, later).await).await?;
            Ok(Taken::Step)
        }
    }
}

/// A round with its pairing.
type Paired = (Arc<Draw>, Result<Pairing, NoPairing>);

/// Work done for a step outside of its transaction.
enum Made {
    Nothing,
    Round(Arc<Paired>),
    Tables(Arc<FinalTables>),
}

/// Takes a step, or stores the round that was paired for one, in a transaction. `None`: another process runs the clock.
async fn work_on(
    app: &Arc<App>,
    holder: &str,
    name: TournamentName,
    made: Made,
) -> Result<Option<Step>, StoreError> {
    let holder = holder.to_owned();
    app.write(async move |tx, app| {
        let now = app.clock.now();
        if !may_judge(tx, &holder, now).await? {
            return Ok(None);
        }
        let done = match &made {
            Made::Nothing => Box::pin(step(tx, app, name, None, now)).await,
            Made::Tables(tables) => Box::pin(step(tx, app, name, Some(tables), now)).await,
            Made::Round(round) => {
                let (draw, pairing) = round.as_ref();
                let stored = Box::pin(store_round(tx, app, name, (draw.as_ref(), pairing), now)).await;
                stored.map(|()| Step::Ended(Vec::new()))
            }
        };
        done.map(Some).map_err(store_error)
    })
    .await
}

fn store_error(error: ServiceError) -> StoreError {
    match error {
        ServiceError::Store(error) => error,
        ServiceError::Refused(refusal) => StoreError::Corrupt(refusal.message),
    }
}

//! Steps of tournaments, taken by the process that runs the clock.

use std::sync::Arc;

use crate::app::App;
use crate::boards::ServiceError;
use crate::clock::clock_leader::may_judge;
use crate::tournaments::swiss::{Draw, store_round};
use crate::tournaments::work::{Step, step};
use knotpost_model::TournamentName;
use knotpost_storage::StoreError;
use knotpost_tournaments::{NoPairing, Pairing};

/// Time for which a tournament is left alone in which something failed.
const SET_ASIDE_MS: i64 = 3_600_000;

/// Takes a step in each tournament where something is to be done, if this process runs the clock; true if there may be
/// more. On hold nobody runs it.
pub async fn work_tournaments(app: &Arc<App>, holder: &str) -> Result<bool, StoreError> {
    let now = app.clock.now();
    if app.hold.is_some() {
        return Ok(false);
    }
    let waiting = app.store.query().await?.tournaments_to_work(now).await?;
    for name in &waiting {
        if !take_step(app, holder, *name).await? {
            return Ok(false);
        }
    }
    Ok(!waiting.is_empty())
}

/// False: another process runs the clock.
async fn take_step(app: &Arc<App>, holder: &str, name: TournamentName) -> Result<bool, StoreError> {
    let done = match work_on(app, holder, name, None).await {
        Ok(Some(Step::ToPair(draw))) => match draw.pair().await {
            Some(pairing) => work_on(app, holder, name, Some(Arc::new((draw, pairing)))).await,
            None => Err(StoreError::Corrupt("the pairing of the next round panicked".to_owned())),
        },
        done => done,
    };
    match done {
        Ok(None) => Ok(false),
        Ok(Some(done)) => {
            app.signals.outbox.notify_one();
            if let Step::Ended(boards) = done {
                app.signals.tell_boards(&boards);
            }
            Ok(true)
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
            Ok(true)
        }
    }
}

/// A round with its pairing.
type Paired = (Arc<Draw>, Result<Pairing, NoPairing>);

/// Takes a step, or stores the round that was paired for one, in a transaction. `None`: another process runs the clock.
async fn work_on(
    app: &Arc<App>,
    holder: &str,
    name: TournamentName,
    paired: Option<Arc<Paired>>,
) -> Result<Option<Step>, StoreError> {
    let holder = holder.to_owned();
    app.write(async move |tx, app| {
        let now = app.clock.now();
        if !may_judge(tx, &holder, now).await? {
            return Ok(None);
        }
        let done = match paired.as_deref() {
            None => Box::pin(step(tx, app, name, now)).await,
            Some((draw, pairing)) => {
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

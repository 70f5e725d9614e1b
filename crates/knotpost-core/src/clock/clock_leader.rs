//! Election of the process that runs the clock, by a lease. Time without a holder is recorded as an outage.

use std::sync::Arc;

use crate::app::App;
use crate::clock::leader_watch::Seen;
use knotpost_model::{Millis, Period};
use knotpost_storage::{LeaderLease, ReadTx, StoreError, WriteTx};

pub const CLOCK_DUTY: &str = "clock";
const BEAT_MS: i64 = 30_000;
/// Lifetime without renewal.
const LEASE_MS: i64 = 90_000;
/// Interval in which a running process renews or checks the lease; a longer silence was an outage.
const CONFIRM_MS: i64 = 45_000;
/// Jump back from which the clock counts as set.
const GAP_MS: i64 = 5 * 60_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    Ours,
    Theirs,
}

/// Takes, renews or leaves the lease. After a silence, records the outage before any board is judged.
///
/// Another process counts as silent while its row does not change, by this process's clock; at start, by the
/// times in the row. Restart, suspend and a clock set forward are treated alike. A clock set back ends
/// outages that reach into the future and reschedules every board.
pub async fn keep_watch(app: &Arc<App>, holder: &str) -> Result<Watch, StoreError> {
    let now = app.clock.now();
    let known = app.store.query().await?.leader_lease(CLOCK_DUTY).await?;
    let mut stale = None;
    if let Some(duty) = known {
        let silence = now.0 - duty.alive_at.0;
        if duty.holder == holder && is_held(&duty, now) && (0..BEAT_MS).contains(&silence) {
            return Ok(Watch::Ours);
        }
        if duty.holder != holder {
            let seen = app.leader_watch.look(holder, &duty, now, CONFIRM_MS);
            if !is_silent(&seen, now) {
                return Ok(Watch::Theirs);
            }
            stale = Some(seen);
        }
    }
    let (holder, clock) = (holder.to_owned(), Arc::clone(&app.clock));
    app.store.write_queue(async move |tx| take_over(tx, &holder, stale.as_ref(), clock.now()).await).await
}

fn is_silent(seen: &Seen, now: Millis) -> bool {
    let Seen { duty, at, has_changed, .. } = seen;
    let waited = now.0 - at.0;
    let lease = (duty.until_at.0 - duty.alive_at.0).clamp(0, LEASE_MS);
    let is_given_back = duty.until_at <= duty.alive_at;
    // Expired by its own times; a different clock would show within the confirmation time.
    let is_over = !has_changed && !is_held(duty, now) && waited >= CONFIRM_MS;
    is_given_back || is_over || waited >= lease.max(CONFIRM_MS)
}

async fn take_over(
    tx: &mut WriteTx,
    holder: &str,
    stale: Option<&Seen>,
    now: Millis,
) -> Result<Watch, StoreError> {
    let known = tx.leader_lease(CLOCK_DUTY).await?;
    // Gap without any process, by this machine's clock: from the last sign of life to this process's first.
    // Time spent waiting for another's lease is no gap.
    let silence = match (&known, stale) {
        // Another process was faster.
        (Some(duty), None) if duty.holder != holder => return Ok(Watch::Theirs),
        (Some(duty), Some(seen)) if duty.holder != holder && *duty != seen.duty => return Ok(Watch::Theirs),
        (Some(duty), Some(seen)) if duty.holder != holder => {
            let alive_at = if seen.has_changed { seen.at } else { duty.alive_at };
            Some((alive_at, seen.running_since))
        }
        (Some(duty), _) if (0..=CONFIRM_MS).contains(&(now.0 - duty.alive_at.0)) => Some((now, now)),
        (Some(duty), _) => Some((duty.alive_at, now)),
        (None, _) => None,
    };
    match silence {
        Some((alive_at, back_at)) if back_at > alive_at => {
            let outage = Period::new(alive_at, back_at);
            tracing::info!(from = %outage.from.to_readable(), until = %outage.until.to_readable(),
                "no server kept the clock; that time is counted for nobody");
            tx.insert_outage(outage).await?;
        }
        Some((alive_at, _)) if alive_at.0 - now.0 > GAP_MS => {
            tracing::warn!(before = %alive_at.to_readable(), now = %now.to_readable(),
                "the machine's clock went back; all boards are looked at again");
            tx.trim_outages(now).await?;
            tx.make_all_due(now).await?;
        }
        Some(_) => {}
        // First start: existing boards get their full time.
        None => tx.insert_outage(Period::new(Millis(0), now)).await?,
    }
    let lease = LeaderLease { holder: holder.to_owned(), until_at: now.plus(LEASE_MS), alive_at: now };
    tx.put_leader_lease(CLOCK_DUTY, &lease).await?;
    Ok(Watch::Ours)
}

/// Releases our lease, so that another process need not wait for its expiry.
pub async fn leave_watch(app: &Arc<App>, holder: &str) -> Result<(), StoreError> {
    let (holder, now) = (holder.to_owned(), app.clock.now());
    app.store
        .write_queue(async move |tx| {
            if may_judge(tx, &holder, now).await? {
                let gone = LeaderLease { holder: holder.clone(), until_at: now, alive_at: now };
                tx.put_leader_lease(CLOCK_DUTY, &gone).await?;
            }
            Ok(())
        })
        .await
}

/// A lease that ends too far in the future was taken under another clock.
fn is_held(duty: &LeaderLease, now: Millis) -> bool {
    now < duty.until_at && duty.until_at.0 - now.0 <= LEASE_MS + GAP_MS
}

/// True if `holder` holds the lease and renewed it without a gap.
pub(crate) async fn may_judge(tx: &mut ReadTx, holder: &str, now: Millis) -> Result<bool, StoreError> {
    let duty = tx.leader_lease(CLOCK_DUTY).await?;
    Ok(duty.is_some_and(|duty| {
        duty.holder == holder && is_held(&duty, now) && now.0 - duty.alive_at.0 <= CONFIRM_MS
    }))
}

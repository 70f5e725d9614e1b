//! Who keeps the clock of all boards, and the time when nobody did. One process at a time holds
//! the duty; when it falls silent another takes over. Silence of all is an outage.

use std::sync::Arc;

use crate::app::App;
use crate::domain::{Millis, Period};
use crate::store::{DutyRow, StoreError, Tx};

/// The name of the duty to keep the clock.
pub const CLOCK_DUTY: &str = "clock";
/// The holder says this often that he is there.
const BEAT_MS: i64 = 30_000;
/// A holder who has been silent for so long loses the duty.
const LEASE_MS: i64 = 90_000;
/// A silence that is longer was an outage; a clock that goes back further was set.
const GAP_MS: i64 = 5 * 60_000;

/// Who watches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// This process.
    Ours,
    /// Another one.
    Theirs,
}

/// Takes the duty, or keeps it, or leaves it to who has it. Whoever takes it after a silence first
/// notes the outage, before any board is looked at.
///
/// A silence is measured by the machine's clock: a restart, a machine that was suspended and a
/// clock that was set forward look the same, and are treated the same. A clock that was set back
/// ends outages that reach into the future, and has every board looked at again.
///
/// # Errors
/// When the database fails.
pub async fn keep_watch(app: &Arc<App>, holder: &str) -> Result<Watch, StoreError> {
    let now = app.clock.now();
    let known = app.store.glance().await?.duty(CLOCK_DUTY).await?;
    if let Some(duty) = &known {
        let silence = now.0 - duty.alive_at.0;
        if duty.holder == holder && is_held(duty, now) && (0..BEAT_MS).contains(&silence) {
            return Ok(Watch::Ours);
        }
        if duty.holder != holder && is_held(duty, now) {
            return Ok(Watch::Theirs);
        }
    }
    let (holder, clock) = (holder.to_owned(), Arc::clone(&app.clock));
    app.store
        .write(move |tx| {
            let (holder, now) = (holder.clone(), clock.now());
            Box::pin(async move { take_over(tx, holder, now).await })
        })
        .await
}

async fn take_over(tx: &mut Tx, holder: String, now: Millis) -> Result<Watch, StoreError> {
    let known = tx.duty(CLOCK_DUTY).await?;
    match &known {
        Some(duty) if duty.holder != holder && is_held(duty, now) => return Ok(Watch::Theirs),
        Some(duty) if now.0 - duty.alive_at.0 > GAP_MS => {
            let outage = Period::new(duty.alive_at, now);
            tracing::info!(from = %outage.from.to_readable(), until = %outage.until.to_readable(),
                "no server kept the clock; that time is counted for nobody");
            tx.insert_outage(outage).await?;
        }
        Some(duty) if duty.alive_at.0 - now.0 > GAP_MS => {
            tracing::warn!(before = %duty.alive_at.to_readable(), now = %now.to_readable(),
                "the machine's clock went back; all boards are looked at again");
            tx.trim_outages(now).await?;
            tx.make_all_due(now).await?;
        }
        Some(_) => {}
        // Boards from before anybody kept a clock start with all their time.
        None => tx.insert_outage(Period::new(Millis(0), now)).await?,
    }
    tx.hold_duty(CLOCK_DUTY, &DutyRow { holder, until_at: now.plus(LEASE_MS), alive_at: now }).await?;
    Ok(Watch::Ours)
}

/// Gives the duty back, if it is ours: nobody has to wait until the lease is over.
///
/// # Errors
/// When the database fails.
pub async fn leave_watch(app: &Arc<App>, holder: &str) -> Result<(), StoreError> {
    let (holder, now) = (holder.to_owned(), app.clock.now());
    app.store
        .write(move |tx| {
            let holder = holder.clone();
            Box::pin(async move {
                if may_judge(tx, &holder, now).await? {
                    let gone = DutyRow { holder, until_at: now, alive_at: now };
                    tx.hold_duty(CLOCK_DUTY, &gone).await?;
                }
                Ok(())
            })
        })
        .await
}

/// Whether somebody holds the duty; a lease that reaches too far was given under another time.
fn is_held(duty: &DutyRow, now: Millis) -> bool {
    now < duty.until_at && duty.until_at.0 - now.0 <= LEASE_MS + GAP_MS
}

/// Whether `holder` may judge boards at `now`: he holds the duty, and there was no silence since
/// he last said so.
pub(super) async fn may_judge(tx: &mut Tx, holder: &str, now: Millis) -> Result<bool, StoreError> {
    let duty = tx.duty(CLOCK_DUTY).await?;
    Ok(duty.is_some_and(|duty| {
        duty.holder == holder && is_held(&duty, now) && now.0 - duty.alive_at.0 <= GAP_MS
    }))
}

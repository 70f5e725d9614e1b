//! Who keeps the clock of all boards, and the time when nobody did. One process at a time holds
//! the duty; when it falls silent another takes over. Silence of all is an outage.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::app::App;
use knotpost_model::{Millis, Period};
use knotpost_storage::{LeaderLease, ReadTx, StoreError, WriteTx};

/// The name of the duty to keep the clock.
pub const CLOCK_DUTY: &str = "clock";
/// The holder says this often that he is there.
const BEAT_MS: i64 = 30_000;
/// A holder who has been silent for so long loses the duty.
const LEASE_MS: i64 = 90_000;
/// A holder that goes on says so within this time.
const CONFIRM_MS: i64 = 45_000;
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

/// What this process has seen of the duty while another one had it. Clocks of two machines may be far apart, so that the
/// times in the row say nothing about now: whether its holder goes on is told by the row changing.
#[derive(Debug, Default)]
pub struct Lookout(Mutex<HashMap<String, Seen>>);

/// A row as somebody saw it who waits for the duty.
#[derive(Clone, Debug)]
struct Seen {
    duty: LeaderLease,
    /// When it was first seen like this.
    at: Millis,
    /// Whether it had been seen before, and has changed: its holder went on at that moment.
    has_changed: bool,
}

impl Lookout {
    /// Notes the row as it is, and says since when it has been like this.
    fn look(&self, watcher: &str, duty: &LeaderLease, now: Millis) -> Seen {
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = seen.get(watcher);
        match known {
            Some(known) if known.duty == *duty && known.at <= now => known.clone(),
            _ => {
                let fresh = Seen { duty: duty.clone(), at: now, has_changed: known.is_some() };
                seen.insert(watcher.to_owned(), fresh.clone());
                fresh
            }
        }
    }
}

/// Takes the duty, or keeps it, or leaves it to who has it. Whoever takes it after a silence first
/// notes the outage, before any board is looked at.
///
/// The silence of another process is the time in which its row has not changed, by this process's clock alone. One
/// that was never seen going on, since this process has just started, is measured by the times in its row. A restart, a
/// machine that was suspended and a clock that was set forward look the same, and are treated the same. A clock that was
/// set back ends outages that reach into the future, and has every board looked at again.
///
/// # Errors
/// When the database fails.
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
            let seen = app.lookout.look(holder, &duty, now);
            if !is_silent(&seen, now) {
                return Ok(Watch::Theirs);
            }
            stale = Some(seen);
        }
    }
    let (holder, clock) = (holder.to_owned(), Arc::clone(&app.clock));
    app.store
        .write_queue(move |tx| {
            let (holder, stale, now) = (holder.clone(), stale.clone(), clock.now());
            Box::pin(async move { take_over(tx, holder, stale, now).await })
        })
        .await
}

/// Whether the holder of a row is gone: it gave the duty back, or it has not said for longer than it may that it is there.
fn is_silent(seen: &Seen, now: Millis) -> bool {
    let Seen { duty, at, has_changed } = seen;
    let waited = now.0 - at.0;
    let lease = (duty.until_at.0 - duty.alive_at.0).clamp(0, LEASE_MS);
    let is_given_back = duty.until_at <= duty.alive_at;
    // By its own times it is over; whether that is due to another clock shows when it should have said something.
    let is_over = !has_changed && !is_held(duty, now) && waited >= CONFIRM_MS;
    is_given_back || is_over || waited >= lease.max(CONFIRM_MS)
}

async fn take_over(
    tx: &mut WriteTx,
    holder: String,
    stale: Option<Seen>,
    now: Millis,
) -> Result<Watch, StoreError> {
    let known = tx.leader_lease(CLOCK_DUTY).await?;
    // Since when nobody has kept the clock, by this clock.
    let alive_at = match (&known, &stale) {
        // Somebody was faster.
        (Some(duty), None) if duty.holder != holder => return Ok(Watch::Theirs),
        (Some(duty), Some(seen)) if duty.holder != holder && *duty != seen.duty => return Ok(Watch::Theirs),
        (Some(duty), Some(seen)) if duty.holder != holder && seen.has_changed => Some(seen.at),
        (Some(duty), _) => Some(duty.alive_at),
        (None, _) => None,
    };
    match alive_at {
        Some(alive_at) if now.0 - alive_at.0 > GAP_MS => {
            let outage = Period::new(alive_at, now);
            tracing::info!(from = %outage.from.to_readable(), until = %outage.until.to_readable(),
                "no server kept the clock; that time is counted for nobody");
            tx.insert_outage(outage).await?;
        }
        Some(alive_at) if alive_at.0 - now.0 > GAP_MS => {
            tracing::warn!(before = %alive_at.to_readable(), now = %now.to_readable(),
                "the machine's clock went back; all boards are looked at again");
            tx.trim_outages(now).await?;
            tx.make_all_due(now).await?;
        }
        Some(_) => {}
        // Boards from before anybody kept a clock start with all their time.
        None => tx.insert_outage(Period::new(Millis(0), now)).await?,
    }
    tx.put_leader_lease(CLOCK_DUTY, &LeaderLease { holder, until_at: now.plus(LEASE_MS), alive_at: now })
        .await?;
    Ok(Watch::Ours)
}

/// Gives the duty back, if it is ours: nobody has to wait until the lease is over.
///
/// # Errors
/// When the database fails.
pub async fn leave_watch(app: &Arc<App>, holder: &str) -> Result<(), StoreError> {
    let (holder, now) = (holder.to_owned(), app.clock.now());
    app.store
        .write_queue(move |tx| {
            let holder = holder.clone();
            Box::pin(async move {
                if may_judge(tx, &holder, now).await? {
                    let gone = LeaderLease { holder, until_at: now, alive_at: now };
                    tx.put_leader_lease(CLOCK_DUTY, &gone).await?;
                }
                Ok(())
            })
        })
        .await
}

/// Whether somebody holds the duty; a lease that reaches too far was given under another time.
fn is_held(duty: &LeaderLease, now: Millis) -> bool {
    now < duty.until_at && duty.until_at.0 - now.0 <= LEASE_MS + GAP_MS
}

/// Whether `holder` may judge boards at `now`: he holds the duty, and there was no silence since
/// he last said so.
pub(crate) async fn may_judge(tx: &mut ReadTx, holder: &str, now: Millis) -> Result<bool, StoreError> {
    let duty = tx.leader_lease(CLOCK_DUTY).await?;
    Ok(duty.is_some_and(|duty| {
        duty.holder == holder && is_held(&duty, now) && now.0 - duty.alive_at.0 <= GAP_MS
    }))
}

//! Leased mails that wait in memory until a worker sends them, one at a time to each recipient, so that they arrive in
//! order.
//!
//! Leases several mails in one write before the buffer runs empty, and prefetches in one transaction what they are
//! built from. Knows neither the transport nor what becomes of a mail that was taken out.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::Notify;

use super::pacing::{Pacing, is_prefetch_valid};
use knotpost_core::StoreError;
use knotpost_core::app::App;
use knotpost_core::mailing::{
    LeaseTerms, LeasedMail, LoadedMail, count_writes, give_back_leases, lease_mails, load_mails,
    next_mail_due,
};
use knotpost_model::Millis;

/// How long a lease lasts. No other process sends the mail before it ends.
const LEASE_MS: i64 = 5 * 60_000;
/// A leased mail whose sending has not begun within this time is left to the next lease. Together with the timeouts
/// for sending and acknowledging a mail this is less than the lease.
const START_WITHIN_MS: i64 = 30_000;

/// A leased mail, and what was prefetched for it.
#[derive(Debug)]
pub(super) struct BufferedMail {
    pub(super) leased: LeasedMail,
    /// What it is built from, and when that was read.
    pub(super) loaded: Option<(LoadedMail, Millis)>,
}

impl BufferedMail {
    /// Whether it can be sent and acknowledged before the lease ends.
    pub(super) fn has_time(&self, now: Millis) -> bool {
        now.plus(LEASE_MS - START_WITHIN_MS) <= self.leased.until
    }

    /// Whether it can be built without a query.
    fn is_prefetched(&self, now: Millis) -> bool {
        let is_current =
            |(loaded, at): &(LoadedMail, Millis)| !loaded.may_coalesce() && is_prefetch_valid(*at, now);
        self.has_time(now) && self.loaded.as_ref().is_some_and(is_current)
    }
}

/// A mail that was taken out to be sent. While it is there no other worker takes one to the same recipient.
#[derive(Debug)]
pub(super) struct TakenMail {
    pub(super) mail: BufferedMail,
    pub(super) turn: Turn,
}

/// The turn of a recipient, which ends with this value.
#[derive(Debug)]
pub(super) struct Turn {
    recipient: String,
    buffered: Arc<Mutex<Buffered>>,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut buffered = lock(&self.buffered);
        let written_to = &mut buffered.written_to;
        if let Some(index) = written_to.iter().position(|recipient| *recipient == self.recipient) {
            written_to.swap_remove(index);
        }
    }
}

#[derive(Debug, Default)]
struct Buffered {
    mails: VecDeque<BufferedMail>,
    /// The recipients of the mails that were taken out and are being sent.
    written_to: Vec<String>,
}

impl Buffered {
    /// Takes out the first mail that may be sent now.
    fn take(&mut self, is_wanted: impl Fn(&BufferedMail) -> bool) -> Option<BufferedMail> {
        let written_to = &self.written_to;
        let is_free = |mail: &BufferedMail| !written_to.iter().any(|other| other == mail.leased.recipient());
        let index = self.mails.iter().position(is_free)?;
        let mail = self.mails.get(index).filter(|mail| is_wanted(mail))?;
        self.written_to.push(mail.leased.recipient().to_owned());
        self.mails.remove(index)
    }
}

fn lock(buffered: &Mutex<Buffered>) -> MutexGuard<'_, Buffered> {
    buffered.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The leased mails of a process, shared by its workers.
pub(super) struct LeaseBuffer {
    app: Arc<App>,
    buffered: Arc<Mutex<Buffered>>,
    /// Held by the worker that refills the buffer.
    refill: tokio::sync::Mutex<Pacing>,
    /// Notified when the largest number of mails was leased.
    backlog: Notify,
}

impl LeaseBuffer {
    pub(super) fn new(app: Arc<App>) -> Self {
        let (buffered, refill) = (Arc::default(), tokio::sync::Mutex::default());
        Self { app, buffered, refill, backlog: Notify::new() }
    }

    /// How many mails are leased and not taken.
    pub(super) fn len(&self) -> usize {
        lock(&self.buffered).mails.len()
    }

    /// Returns when the largest number of mails was leased: the outbox holds more than a few workers send.
    pub(super) async fn wait_for_backlog(&self) {
        self.backlog.notified().await;
    }

    /// The mail that has been due longest, leasing more when few are left; `None`: none is due, or other workers are
    /// sending to the recipients of all that are.
    pub(super) async fn take(&self) -> Result<Option<TakenMail>, StoreError> {
        loop {
            self.give_back_late().await?;
            let buffered = self.len();
            let turn = match buffered {
                0 => Some(self.refill.lock().await),
                _ => self.refill.try_lock().ok().filter(|pacing| buffered < pacing.lease_size.refill_below()),
            };
            let mut is_none_due = false;
            // The worker before this one may have refilled the buffer.
            if let Some(mut pacing) = turn
                && self.len() <= buffered
            {
                is_none_due = !self.refill(&mut pacing).await?;
            }
            let taken = self.pop();
            // Other workers may have emptied the buffer again.
            if taken.is_some() || is_none_due || self.len() > 0 {
                return Ok(taken);
            }
        }
    }

    /// The next mail, without leasing more, if more than `reserve` are buffered.
    pub(super) fn take_beyond(&self, reserve: usize) -> Option<TakenMail> {
        if self.len() > reserve { self.pop() } else { None }
    }

    /// The next mail, if it can be built without a query, more than `reserve` are buffered and none have to be leased
    /// now.
    pub(super) fn take_prefetched(&self, reserve: usize) -> Option<TakenMail> {
        // While another worker refills the buffer, no others have to.
        let refill_below = self.refill.try_lock().map_or(0, |pacing| pacing.lease_size.refill_below());
        let now = self.app.clock.now();
        let is_enough = self.len() > reserve && self.len() >= refill_below;
        if is_enough { self.take_if(|mail| mail.is_prefetched(now)) } else { None }
    }

    /// Returns a mail that was taken and not sent.
    pub(super) fn put_back(&self, mail: BufferedMail) {
        lock(&self.buffered).mails.push_front(mail);
    }

    /// Ends the leases of all buffered mails.
    pub(super) async fn give_back(&self) -> Result<(), StoreError> {
        let leased = lock(&self.buffered).mails.drain(..).collect();
        self.end_leases(leased).await
    }

    /// Ends the leases of the mails that do not last long enough any more, and leaves them to the next lease.
    async fn give_back_late(&self) -> Result<(), StoreError> {
        let now = self.app.clock.now();
        let late = {
            let mut buffered = lock(&self.buffered);
            let (in_time, late) = buffered.mails.drain(..).partition(|mail| mail.has_time(now));
            buffered.mails = in_time;
            late
        };
        self.end_leases(late).await
    }

    async fn end_leases(&self, mut mails: VecDeque<BufferedMail>) -> Result<(), StoreError> {
        while let Some(until) = mails.front().map(|mail| mail.leased.until) {
            let (of_lease, rest) = mails.into_iter().partition(|mail| mail.leased.until == until);
            mails = rest;
            let of_lease: VecDeque<BufferedMail> = of_lease;
            let keys = of_lease.iter().map(|mail| mail.leased.key()).collect();
            give_back_leases(&self.app, keys, until).await?;
        }
        Ok(())
    }

    /// Leases the mails that have been due longest; `false`: none is due, or no more may leave in this hour.
    async fn refill(&self, Pacing { hourly, load, lease_size }: &mut Pacing) -> Result<bool, StoreError> {
        let now = self.app.clock.now();
        let per_hour = self.app.config.mail.per_hour;
        if hourly.grant(1, per_hour, START_WITHIN_MS, now) == 0 {
            return Ok(false);
        }
        // A query first: an idle server does not write.
        let Some(due) = next_mail_due(&self.app).await?.filter(|due| *due <= now) else { return Ok(false) };
        load.sample(now, count_writes(&self.app));
        let hold = load.hold_ms();
        let rest = hold.saturating_sub(now.since(due).0).max(0);
        tokio::time::sleep(Duration::from_millis(rest.unsigned_abs())).await;
        let now = self.app.clock.now();
        let terms = LeaseTerms {
            due_by: now.plus(-hold),
            until: now.plus(LEASE_MS),
            max_mails: hourly.grant(lease_size.next(now), per_hour, START_WITHIN_MS, now),
        };
        let lease = lease_mails(&self.app, terms, now).await?;
        let is_any = !lease.is_empty();
        // The lease itself may have waited for other writes.
        let read_at = self.app.clock.now();
        lease_size.record(lease.len(), read_at);
        hourly.record(lease.len(), read_at);
        let mut loaded = load_mails(&self.app, &lease).await.into_iter();
        let buffered = lease.into_mails().map(|leased| {
            let loaded = loaded.next().map(|loaded| (loaded, read_at));
            BufferedMail { leased, loaded }
        });
        lock(&self.buffered).mails.extend(buffered);
        if lease_size.is_max() {
            self.backlog.notify_waiters();
        }
        Ok(is_any)
    }

    /// The next mail whose lease lasts long enough.
    fn pop(&self) -> Option<TakenMail> {
        let now = self.app.clock.now();
        self.take_if(|mail| mail.has_time(now))
    }

    fn take_if(&self, is_wanted: impl Fn(&BufferedMail) -> bool) -> Option<TakenMail> {
        let mail = lock(&self.buffered).take(is_wanted)?;
        let turn =
            Turn { recipient: mail.leased.recipient().to_owned(), buffered: Arc::clone(&self.buffered) };
        Some(TakenMail { mail, turn })
    }
}

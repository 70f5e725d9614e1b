//! Workers that empty the outbox together: what one leases the others send as well, and who comes to it notes what has
//! left for all.

use std::collections::VecDeque;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::making::{Made, Prepared, prepare, prepare_all, write};
use super::queue::{defer, finish, send};
use super::transport::Transport;
use crate::app::App;
use crate::domain::{Millis, OutboxKey};
use crate::service::{give_way, give_way_among};
use crate::store::{OutboxRow, StoreError, Tx};

/// Nobody else sends a leased mail before this time is over.
const LEASE_MS: i64 = 5 * 60_000;
/// So long it is tried to note that a mail was sent, while the database is away or its disk is full.
const NOTING: Duration = Duration::from_mins(2);
/// … and between two tries.
const NOTE_PAUSE: Duration = Duration::from_secs(1);
/// A leased mail whose sending has not begun by then is left to whoever leases it next: together with the two
/// patiences this is less than the lease.
const FRESH_MS: i64 = 30_000;
/// So many mails are leased at once,
const LEAST: i64 = 16;
/// … and while these leave sooner than they have to be looked up again, twice as many each time, up to this. A relay
/// that is slow is not given more than it takes: what is leased waits longest when the server is killed.
const MOST: i64 = 64;
/// While more than this is in hand, there is work for more than those who are always at it.
const MUCH: usize = 16;
/// Fewer than this are not noted at once while there is more in hand, but after a moment, in which others leave too.
const WORTH_NOTING: usize = 8;
/// The moment.
const MOMENT: Duration = Duration::from_millis(2);
/// What a mail says is asked anew when it was not sent within this time, which handing it over may take as well.
const STILL_TRUE_MS: i64 = 250;
/// So long a mail lies before it is sent while the server is busy. Where moves follow each other in a moment, their
/// readers then get one mail instead of many, and nobody waits for a move because mail is being written.
const SETTLING_MS: i64 = 1_000;
/// A server that writes more often than this in a second is busy.
const BUSY: u64 = 200;

/// How often the database was written to when somebody looked last, and whether that was often.
#[derive(Clone, Copy, Debug, Default)]
struct Pace {
    at: Millis,
    writes: u64,
    is_busy: bool,
}

impl Pace {
    /// Looks again, once in a second or less.
    fn look(&mut self, now: Millis, writes: u64) {
        let passed = now.since(self.at).0.unsigned_abs();
        if passed < 1_000 {
            return;
        }
        let often = writes.saturating_sub(self.writes).saturating_mul(1_000) / passed;
        *self = Self { at: now, writes, is_busy: often > BUSY };
    }
}

/// How many mails are leased at once.
#[derive(Clone, Copy, Debug)]
struct Portion {
    size: i64,
    /// Whether there were about as many the last time, and when that was.
    was_filled: bool,
    at: Millis,
}

impl Default for Portion {
    fn default() -> Self {
        Self { size: LEAST, was_filled: false, at: Millis(0) }
    }
}

impl Portion {
    /// How many to lease now.
    fn next(&mut self, now: Millis) -> i64 {
        let have_left_soon = self.was_filled && now.since(self.at).0 < STILL_TRUE_MS;
        self.size = if have_left_soon { MOST.min(self.size * 2) } else { LEAST };
        self.size
    }

    fn note(&mut self, leased: usize, now: Millis) {
        self.was_filled = leased > self.few();
        self.at = now;
    }

    /// Whether there were as many as ever are leased.
    fn is_largest(self) -> bool {
        self.was_filled && self.size == MOST
    }

    /// With fewer than this in hand the next are leased, so that nobody has to wait for it.
    fn few(self) -> usize {
        usize::try_from(self.size / 2).unwrap_or_default()
    }
}

/// What whoever fills the tray goes by.
#[derive(Clone, Copy, Debug, Default)]
struct Measure {
    pace: Pace,
    portion: Portion,
}

/// A mail that nobody else has.
#[derive(Debug)]
struct Leased {
    row: OutboxRow,
    until: Millis,
    /// What it says, and when that was asked.
    prepared: Option<(Prepared, Millis)>,
}

/// Sends what the outbox holds, by as many workers as share it.
///
/// A lease is a write, and so is the note that a mail has left; writes wait for each other and for the disk. So several
/// mails are taken at once and noted at once, while other workers go on sending. Of a server that is killed, those that
/// have left and are not noted leave once more, with the same Message-ID: as many as leave during a commit and a moment.
pub struct Sender {
    app: Arc<App>,
    transport: Arc<Transport>,
    tray: Mutex<VecDeque<Leased>>,
    /// Held by whoever fills the tray.
    filling: tokio::sync::Mutex<Measure>,
    /// What has left and is not noted.
    left: Mutex<Vec<OutboxKey>>,
    /// Held by whoever notes it.
    noting: tokio::sync::Mutex<()>,
    /// There is more in hand than those who work all the time get done.
    plenty: Notify,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("transport", &self.transport)
            .field("in_hand", &self.tray().len())
            .field("left", &self.left().len())
            .finish_non_exhaustive()
    }
}

impl Sender {
    /// A sender with nothing in hand.
    pub fn new(app: Arc<App>, transport: Arc<Transport>) -> Self {
        Self {
            app,
            transport,
            tray: Mutex::default(),
            filling: tokio::sync::Mutex::default(),
            left: Mutex::default(),
            noting: tokio::sync::Mutex::default(),
            plenty: Notify::new(),
        }
    }

    /// Sends the mail that is due longest; `false`: none is due, and all that have left are noted.
    ///
    /// # Errors
    /// When the database fails. A mail that cannot be rendered or sent is no error: its row says so.
    pub async fn send_next(&self) -> Result<bool, StoreError> {
        let Some(leased) = self.take().await? else {
            self.note_all().await?;
            return Ok(false);
        };
        self.send_leased(leased).await?;
        Ok(true)
    }

    /// Returns when there is more in hand than those who work all the time get done.
    pub async fn plenty(&self) {
        self.plenty.notified().await;
    }

    /// Sends of what others have leased, while there is much of it.
    ///
    /// # Errors
    /// As [`Sender::send_next`].
    pub async fn help(&self) -> Result<(), StoreError> {
        while self.tray().len() > MUCH
            && let Some(leased) = self.take_from_tray()
        {
            self.send_leased(leased).await?;
        }
        Ok(())
    }

    async fn send_leased(&self, Leased { row, until, prepared }: Leased) -> Result<(), StoreError> {
        let app = &*self.app;
        let row = &row;
        // A mail that makes the program stumble must not take the sender along.
        let made = AssertUnwindSafe(make(app, row, until, prepared))
            .catch_unwind()
            .await
            .unwrap_or(Err(StoreError::Panicked));
        match made {
            Ok(Some(Made::Message(bytes))) => match app.composer.sign(&bytes, row.date) {
                Ok(signed) => {
                    if send(app, &self.transport, row, signed.as_deref().unwrap_or(&bytes)).await? {
                        self.left().push(row.id);
                        self.note_unless_somebody_does().await?;
                    }
                }
                // Unsigned it would be taken for a forgery.
                Err(error) => defer(app, row, error).await?,
            },
            Ok(Some(Made::Dropped(why))) => finish(app, row, "dropped", why.to_owned()).await?,
            Ok(None) => {}
            Err(error) if error.is_transient() => defer(app, row, error.with_causes()).await?,
            Err(error) => {
                tracing::error!(
                    outbox = row.id.0,
                    error = error.with_causes(),
                    "a mail could not be written; it is set aside"
                );
                finish(app, row, "failed", error.with_causes()).await?;
            }
        }
        Ok(())
    }

    /// Notes what has left, and leaves what is in hand to whoever comes next.
    ///
    /// # Errors
    /// When the database fails; then that has to wait until the leases are over.
    pub async fn give_back(&self) -> Result<(), StoreError> {
        self.note_all().await?;
        let leased: Vec<Leased> = self.tray().drain(..).collect();
        let Some(until) = leased.iter().map(|leased| leased.until).max() else { return Ok(()) };
        let keys: Vec<OutboxKey> = leased.iter().map(|leased| leased.row.id).collect();
        let now = self.app.clock.now();
        self.app
            .store
            .write(move |tx| {
                let keys = keys.clone();
                Box::pin(async move { tx.give_back_outbox(&keys, until, now).await })
            })
            .await
    }

    async fn take(&self) -> Result<Option<Leased>, StoreError> {
        loop {
            let in_hand = self.tray().len();
            let turn = match in_hand {
                0 => Some(self.filling.lock().await),
                _ => self.filling.try_lock().ok().filter(|measure| in_hand < measure.portion.few()),
            };
            let mut is_all = false;
            // Whoever held it may have filled the tray.
            if let Some(mut measure) = turn
                && self.tray().len() <= in_hand
            {
                is_all = !self.fill(&mut measure).await?;
            }
            let leased = self.take_from_tray();
            // Others may have been faster.
            if leased.is_some() || is_all {
                return Ok(leased);
            }
        }
    }

    /// Leases those that are due longest; `false`: none is.
    async fn fill(&self, Measure { pace, portion }: &mut Measure) -> Result<bool, StoreError> {
        let now = self.app.clock.now();
        // A look without the writer's lock first: idle servers do not write.
        let Some(due) = self.app.store.glance().await?.next_outbox_due().await?.filter(|due| *due <= now.0)
        else {
            return Ok(false);
        };
        pace.look(now, self.app.store.writes());
        let settling = if pace.is_busy { SETTLING_MS } else { 0 };
        let rest = settling.saturating_sub(now.since(Millis(due)).0).max(0);
        tokio::time::sleep(Duration::from_millis(rest.unsigned_abs())).await;
        let now = self.app.clock.now();
        let settled = now.plus(-settling);
        let until = now.plus(LEASE_MS);
        let most = portion.next(now);
        let rows = self.app.store.write(move |tx| Box::pin(lease(tx, now, (settled, until), most))).await?;
        let is_any = !rows.is_empty();
        // The lease itself may have waited for others.
        let asked = self.app.clock.now();
        portion.note(rows.len(), asked);
        let mut prepared = prepare_all(&self.app, &rows, until).await.into_iter();
        let leased = rows.into_iter().map(|row| {
            let prepared = prepared.next().map(|prepared| (prepared, asked));
            Leased { row, until, prepared }
        });
        self.tray().extend(leased);
        if portion.is_largest() {
            self.plenty.notify_waiters();
        }
        Ok(is_any)
    }

    fn take_from_tray(&self) -> Option<Leased> {
        let now = self.app.clock.now();
        let mut tray = self.tray();
        loop {
            let leased = tray.pop_front()?;
            if now.plus(LEASE_MS - FRESH_MS) <= leased.until {
                return Some(leased);
            }
        }
    }

    async fn note_unless_somebody_does(&self) -> Result<(), StoreError> {
        // Who is at it looks again after he has let go, so that nothing is left behind.
        while !self.left().is_empty()
            && let Ok(turn) = self.noting.try_lock()
        {
            if self.left().len() < WORTH_NOTING && !self.tray().is_empty() {
                tokio::time::sleep(MOMENT).await;
            }
            self.note().await?;
            drop(turn);
        }
        Ok(())
    }

    async fn note_all(&self) -> Result<(), StoreError> {
        while !self.left().is_empty() {
            let _turn = self.noting.lock().await;
            self.note().await?;
        }
        Ok(())
    }

    /// A mail that has left must not leave again because the database was away for a moment: it is noted as soon as
    /// that is back, and before the lease is over.
    async fn note(&self) -> Result<(), StoreError> {
        let keys = self.left().clone();
        if keys.is_empty() {
            return Ok(());
        }
        let begun = Instant::now();
        loop {
            let (now, noted) = (self.app.clock.now(), keys.clone());
            let write = self.app.store.write(move |tx| {
                let keys = noted.clone();
                Box::pin(async move { tx.note_sent_outbox(&keys, now).await })
            });
            match write.await {
                Err(StoreError::Unreachable(_) | StoreError::Full(_) | StoreError::Busy(_))
                    if begun.elapsed() < NOTING =>
                {
                    tokio::time::sleep(NOTE_PAUSE).await;
                }
                done => {
                    done?;
                    break;
                }
            }
        }
        self.left().retain(|key| !keys.contains(key));
        Ok(())
    }

    fn tray(&self) -> MutexGuard<'_, VecDeque<Leased>> {
        self.tray.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn left(&self) -> MutexGuard<'_, Vec<OutboxKey>> {
        self.left.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What becomes of a mail that is sent now; `None`: it has ended, or somebody else has it.
async fn make(
    app: &App,
    row: &OutboxRow,
    until: Millis,
    prepared: Option<(Prepared, Millis)>,
) -> Result<Option<Made>, StoreError> {
    let prepared = match prepared {
        Some((prepared, at)) if app.clock.now().since(at).0 < STILL_TRUE_MS => prepared,
        _ => prepare(app, row, until).await?,
    };
    match prepared {
        Prepared::Gone => Ok(None),
        Prepared::Ready { has_newer: true, .. } if give_way(app, row).await? => Ok(None),
        Prepared::Ready { content, .. } => write(app, row, content).await.map(Some),
    }
}

async fn lease(
    tx: &mut Tx,
    now: Millis,
    (settled, until): (Millis, Millis),
    most: i64,
) -> Result<Vec<OutboxRow>, StoreError> {
    let rows = tx.lease_outbox(settled, until, most).await?;
    give_way_among(tx, rows, now).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn portions_grow_while_they_leave_soon() {
        let mut portion = Portion::default();
        let mut lease = |at: i64, due: i64| {
            let size = portion.next(Millis(at));
            portion.note(usize::try_from(size.min(due)).unwrap(), Millis(at));
            size
        };
        assert_eq!([0, 9, 19, 29, 39].map(|at| lease(1_000_000 + at, 500)), [16, 32, 64, 64, 64]);
        assert_eq!(lease(1_000_050, 20), 64);
        assert_eq!(lease(1_000_060, 500), 16, "there were few");
        assert_eq!(lease(1_000_070, 500), 32);
        assert_eq!(lease(1_000_070 + STILL_TRUE_MS, 500), 16, "they took their time");
    }

    #[test]
    fn a_server_is_busy_when_it_writes_often_for_a_second() {
        let mut pace = Pace::default();
        pace.look(Millis(1_000_000), 50);
        assert!(!pace.is_busy);
        // A burst shorter than a second is none.
        pace.look(Millis(1_000_999), 900);
        assert!(!pace.is_busy);
        pace.look(Millis(1_001_000), 251);
        assert!(pace.is_busy);
        pace.look(Millis(1_003_000), 651);
        assert!(!pace.is_busy, "exactly as often as a quiet one may");
        pace.look(Millis(1_002_000), 9_000);
        assert!(!pace.is_busy, "the clock was put back");
    }
}

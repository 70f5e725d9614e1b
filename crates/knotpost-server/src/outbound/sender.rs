//! Workers that empty the outbox together: what one leases the others send as well, and who comes to it notes what has
//! left for all.

use std::collections::VecDeque;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::Notify;
use tokio::time::Instant;

use super::making::{Made, Prepared, prepare, prepare_all, write};
use super::measure::{Measure, is_still_true};
use super::queue::{Ready, defer, finish, judge, send};
use super::transport::{Beginning, Transport};
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
/// While more than this is in hand, there is work for more than those who are always at it.
const MUCH: usize = 16;
/// Fewer than this are not noted at once while there is more in hand, but after a moment, in which others leave too.
const WORTH_NOTING: usize = 8;
/// The moment.
const MOMENT: Duration = Duration::from_millis(2);
/// So many mails follow each other at most before whoever sends them looks whether he should stop.
const RUN: usize = 16;
/// To a relay that takes longer for a mail the next is not announced: what it says might have to be asked anew.
const SOON: Duration = Duration::from_millis(100);
/// A mail that nobody else has.
#[derive(Debug)]
struct Leased {
    row: OutboxRow,
    until: Millis,
    /// What it says, and when that was asked.
    prepared: Option<(Prepared, Millis)>,
}

impl Leased {
    /// Whether it can be sent before somebody else may lease it.
    fn has_time(&self, now: Millis) -> bool {
        now.plus(LEASE_MS - FRESH_MS) <= self.until
    }

    /// Whether nobody has to be asked to write it.
    fn is_at_hand(&self, now: Millis) -> bool {
        let known = |(prepared, at): &(Prepared, Millis)| !prepared.gives_way() && is_still_true(*at, now);
        self.has_time(now) && self.prepared.as_ref().is_some_and(known)
    }
}

/// A leased mail, ready to leave.
#[derive(Debug)]
struct Written {
    mail: Ready,
    until: Millis,
    at: Millis,
}

impl Written {
    /// As it was before it was written.
    fn unwritten(self) -> Leased {
        Leased { row: self.mail.row, until: self.until, prepared: None }
    }
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
    /// Whether the last mail was sent in a moment.
    is_fast: AtomicBool,
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
            is_fast: AtomicBool::new(false),
        }
    }

    /// Sends the mail that is due longest, and to a relay that is told about the next in the same breath a few more;
    /// `false`: none is due, and all that have left are noted.
    ///
    /// # Errors
    /// When the database fails. A mail that cannot be rendered or sent is no error: its row says so.
    pub async fn send_next(&self) -> Result<bool, StoreError> {
        let Some(leased) = self.take().await? else {
            self.note_all().await?;
            return Ok(false);
        };
        self.send_run(leased, 0).await?;
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
            self.send_run(leased, MUCH).await?;
        }
        Ok(())
    }

    /// Sends a mail, and those behind it that a relay is told about in the same breath, while more than `rest` are in
    /// hand.
    async fn send_run(&self, first: Leased, rest: usize) -> Result<(), StoreError> {
        let (mut turn, mut begun) = (self.write(first).await?, Beginning::default());
        for follow in (0..RUN).rev() {
            let Some(written) = turn else { break };
            let next = match (follow > 0).then(|| self.take_follower(rest)).flatten() {
                Some(next) => self.write(next).await,
                None => Ok(None),
            };
            let announced = next.as_ref().ok().and_then(Option::as_ref);
            let handed = self.hand_over(written.mail, begun, announced.map(|next| &next.mail)).await;
            begun = match handed {
                Ok(begun) => begun,
                Err(error) => {
                    self.tray().extend(next.ok().flatten().map(Written::unwritten));
                    return Err(error);
                }
            };
            turn = match next? {
                Some(next) if !is_still_true(next.at, self.app.clock.now()) => {
                    // Who has kept the relay waiting hangs up: it has taken nothing.
                    begun = Beginning::default();
                    self.write_again(next).await?
                }
                next => next,
            };
        }
        Ok(())
    }

    /// A mail that may follow on the one that is being sent, if more than `rest` are in hand.
    fn take_follower(&self, rest: usize) -> Option<Leased> {
        if !self.transport.takes_next() || !self.is_fast.load(Ordering::Relaxed) {
            return None;
        }
        // Who sends one after the other must not forget to lease the next in time, unless somebody is at it.
        let few = self.filling.try_lock().map_or(0, |measure| measure.portion.few());
        let now = self.app.clock.now();
        let mut tray = self.tray();
        let may = tray.len() > rest && tray.len() >= few;
        may.then(|| tray.pop_front_if(|leased| leased.is_at_hand(now))).flatten()
    }

    /// What is to be sent; `None`: nothing, and that is noted.
    async fn write(&self, leased: Leased) -> Result<Option<Written>, StoreError> {
        let app = &*self.app;
        let Leased { row, until, prepared } = leased;
        // A mail that makes the program stumble must not take the sender along. Boxed: it is written in several places.
        let made = AssertUnwindSafe(Box::pin(make(app, &row, until, prepared)))
            .catch_unwind()
            .await
            .unwrap_or(Err(StoreError::Panicked));
        match made {
            Ok(Some((Made::Message(bytes), at))) => match app.composer.sign(&bytes, row.date) {
                Ok(signed) => {
                    let mail = Ready::new(app, row, signed.unwrap_or(bytes));
                    return Ok(Some(Written { mail, until, at }));
                }
                // Unsigned it would be taken for a forgery.
                Err(error) => defer(app, &row, error).await?,
            },
            Ok(Some((Made::Dropped(why), _))) => finish(app, &row, "dropped", why.to_owned()).await?,
            Ok(None) => {}
            Err(error) if error.is_transient() => defer(app, &row, error.with_causes()).await?,
            Err(error) => {
                tracing::error!(
                    outbox = row.id.0,
                    error = error.with_causes(),
                    "a mail could not be written; it is set aside"
                );
                finish(app, &row, "failed", error.with_causes()).await?;
            }
        }
        Ok(None)
    }

    /// As it is to be sent now; `None`: not any more, or by somebody else.
    async fn write_again(&self, written: Written) -> Result<Option<Written>, StoreError> {
        let leased = written.unwritten();
        if leased.has_time(self.app.clock.now()) { self.write(leased).await } else { Ok(None) }
    }

    /// Sends a mail and notes what became of it.
    async fn hand_over(
        &self,
        mail: Ready,
        begun: Beginning,
        next: Option<&Ready>,
    ) -> Result<Beginning, StoreError> {
        let began = Instant::now();
        let (outcome, begun) = send(&self.transport, &mail, begun, next).await;
        self.is_fast.store(began.elapsed() < SOON, Ordering::Relaxed);
        if judge(&self.app, &mail.row, outcome).await? {
            self.left().push(mail.row.id);
            self.note_unless_somebody_does().await?;
        }
        Ok(begun)
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
            .write_queue(move |tx| {
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
        let settling = pace.settling();
        let rest = settling.saturating_sub(now.since(Millis(due)).0).max(0);
        tokio::time::sleep(Duration::from_millis(rest.unsigned_abs())).await;
        let now = self.app.clock.now();
        let settled = now.plus(-settling);
        let until = now.plus(LEASE_MS);
        let most = portion.next(now);
        let rows =
            self.app.store.write_queue(move |tx| Box::pin(lease(tx, now, (settled, until), most))).await?;
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
            if leased.has_time(now) {
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
            let write = self.app.store.write_queue(move |tx| {
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

/// What becomes of a mail that is sent now, and when what it says was asked; `None`: it has ended, or somebody else has
/// it.
async fn make(
    app: &App,
    row: &OutboxRow,
    until: Millis,
    prepared: Option<(Prepared, Millis)>,
) -> Result<Option<(Made, Millis)>, StoreError> {
    let now = app.clock.now();
    let (prepared, at) = match prepared {
        Some((prepared, at)) if is_still_true(at, now) => (prepared, at),
        _ => (prepare(app, row, until).await?, now),
    };
    match prepared {
        Prepared::Gone => Ok(None),
        Prepared::Ready { has_newer: true, .. } if give_way(app, row).await? => Ok(None),
        Prepared::Ready { content, .. } => Ok(Some((write(app, row, content).await?, at))),
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

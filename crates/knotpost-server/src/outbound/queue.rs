//! Sending what the outbox holds: lease, render, send, mark. No transaction is open meanwhile.

use std::collections::VecDeque;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::FutureExt as _;
use knotpost_rules::View;
use tokio::time::Instant;

use super::backoff::{Retry, after_failure};
use super::post::{board_envelope, plain_envelope};
use super::transport::{SendError, Transport};
use crate::app::App;
use crate::clock::random_bytes;
use crate::domain::{BoardKey, BoardRef, Millis, OutboxKey, Trouble};
use crate::gallery::Look;
use crate::service::{
    BoardFacts, BoardLetter, CONFIRMATION_KIND, Drawn, Envelope, Referred, Reply, STOPPED, StoredDraft,
    give_way, give_way_among, letter_by_reference, record_trouble, referred_to, view_again,
};
use crate::store::{OutboxRow, StoreError, Tx};

/// Nobody else sends a leased mail before this time is over.
const LEASE_MS: i64 = 5 * 60_000;
/// A mail server that takes longer for one mail is left.
const PATIENCE: Duration = Duration::from_mins(2);
/// So long it is tried to note that a mail was sent, while the database is away or its disk is full.
const NOTING: Duration = Duration::from_mins(2);
/// … and between two tries.
const NOTE_PAUSE: Duration = Duration::from_secs(1);
/// A leased mail whose sending has not begun by then is left to whoever leases it next: together with the two
/// patiences this is less than the lease.
const FRESH_MS: i64 = 30_000;
/// So many mails are leased at once.
const MOST: i64 = 16;
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

/// A mail that nobody else has.
#[derive(Clone, Debug)]
struct Leased {
    row: OutboxRow,
    until: Millis,
}

/// What a mail became before it is sent.
#[derive(Clone, Debug)]
pub enum Made {
    /// The message.
    Message(Vec<u8>),
    /// Nothing to send any more, and why.
    Dropped(&'static str),
}

/// Sends what the outbox holds, by as many workers as share it.
///
/// A lease is a write, and writes wait for each other: so several mails are taken at once, and what one worker has
/// taken the others send as well.
pub struct Sender {
    app: Arc<App>,
    transport: Arc<Transport>,
    tray: Mutex<VecDeque<Leased>>,
    /// Held by whoever fills the tray.
    filling: tokio::sync::Mutex<Pace>,
}

impl fmt::Debug for Sender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sender")
            .field("transport", &self.transport)
            .field("in_hand", &self.tray().len())
            .finish_non_exhaustive()
    }
}

impl Sender {
    /// A sender with nothing in hand.
    pub fn new(app: Arc<App>, transport: Arc<Transport>) -> Self {
        Self { app, transport, tray: Mutex::default(), filling: tokio::sync::Mutex::default() }
    }

    /// Sends the mail that is due longest; `false`: none is due.
    ///
    /// # Errors
    /// When the database fails. A mail that cannot be rendered or sent is no error: its row says so.
    pub async fn send_next(&self) -> Result<bool, StoreError> {
        let app = &*self.app;
        let Some(leased) = self.take().await? else { return Ok(false) };
        let row = &leased.row;
        // A mail that makes the program stumble must not take the sender along.
        let made = AssertUnwindSafe(make_unless_stopped(app, &leased))
            .catch_unwind()
            .await
            .unwrap_or(Err(StoreError::Panicked));
        match made {
            Ok(Some(Made::Message(bytes))) => match app.composer.sign(&bytes, row.date) {
                Ok(signed) => send(app, &self.transport, row, signed.as_deref().unwrap_or(&bytes)).await?,
                // Unsigned it would be taken for a forgery.
                Err(error) => defer(app, row, error).await?,
            },
            Ok(Some(Made::Dropped(why))) => finish(app, row, "dropped", Some(why.to_owned())).await?,
            Ok(None) => {}
            Err(error) if error.is_transient() => defer(app, row, error.with_causes()).await?,
            Err(error) => {
                tracing::error!(
                    outbox = row.id.0,
                    error = error.with_causes(),
                    "a mail could not be written; it is set aside"
                );
                finish(app, row, "failed", Some(error.with_causes())).await?;
            }
        }
        Ok(true)
    }

    /// Leaves what is in hand to whoever comes next.
    ///
    /// # Errors
    /// When the database fails; then that has to wait until the leases are over.
    pub async fn give_back(&self) -> Result<(), StoreError> {
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
        if let Some(leased) = self.take_from_tray() {
            return Ok(Some(leased));
        }
        let mut pace = self.filling.lock().await;
        // Whoever held it may have filled the tray.
        if let Some(leased) = self.take_from_tray() {
            return Ok(Some(leased));
        }
        let now = self.app.clock.now();
        // A look without the writer's lock first: idle servers do not write.
        let Some(due) = self.app.store.glance().await?.next_outbox_due().await?.filter(|due| *due <= now.0)
        else {
            return Ok(None);
        };
        pace.look(now, self.app.store.writes());
        let settling = if pace.is_busy { SETTLING_MS } else { 0 };
        let rest = settling.saturating_sub(now.since(Millis(due)).0).max(0);
        tokio::time::sleep(Duration::from_millis(rest.unsigned_abs())).await;
        let now = self.app.clock.now();
        let settled = now.plus(-settling);
        let until = now.plus(LEASE_MS);
        let rows = self.app.store.write(move |tx| Box::pin(lease(tx, now, settled, until))).await?;
        self.tray().extend(rows.into_iter().map(|row| Leased { row, until }));
        Ok(self.take_from_tray())
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

    fn tray(&self) -> MutexGuard<'_, VecDeque<Leased>> {
        self.tray.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn lease(
    tx: &mut Tx,
    now: Millis,
    settled: Millis,
    until: Millis,
) -> Result<Vec<OutboxRow>, StoreError> {
    let rows = tx.lease_outbox(settled, until, MOST).await?;
    give_way_among(tx, rows, now).await
}

/// `None`: it has ended, or somebody else has it.
async fn make_unless_stopped(app: &App, leased: &Leased) -> Result<Option<Made>, StoreError> {
    let row = &leased.row;
    let mut tx = app.store.read().await?;
    let Some(outlook) = tx.outlook(row.id, leased.until, &row.recipient.to_lowercase()).await? else {
        return Ok(None);
    };
    if outlook.is_stopped && row.kind != CONFIRMATION_KIND {
        return Ok(Some(Made::Dropped(STOPPED)));
    }
    if outlook.has_newer {
        drop(tx);
        if give_way(app, row).await? {
            return Ok(None);
        }
        tx = app.store.read().await?;
    }
    make(tx, app, row).await.map(Some)
}

/// The message of a row as it is sent now.
///
/// # Errors
/// When the database fails, or the row cannot be read.
pub async fn make(mut tx: Tx, app: &App, row: &OutboxRow) -> Result<Made, StoreError> {
    if let Some(bytes) = &row.rendered {
        return Ok(Made::Message(bytes.clone()));
    }
    if let (None, Some(facts)) = (row.board_id, &row.facts) {
        return make_by_reference(tx, app, row, facts).await;
    }
    let (Some(board), Some(ply), Some(facts)) = (row.board_id, row.ply, &row.facts) else {
        return Err(StoreError::Corrupt("an outgoing mail has neither text nor facts".to_owned()));
    };
    let facts: BoardFacts =
        serde_json::from_str(facts).map_err(|error| StoreError::Corrupt(error.to_string()))?;
    let reader = match row.user_id {
        Some(user) => tx.user(user.into()).await?,
        None => None,
    };
    let letter = letter_by_reference(
        &mut tx,
        app,
        (BoardKey(board), ply),
        &facts,
        reader.as_ref(),
        &row.recipient,
        row.date,
    )
    .await?;
    drop(tx);
    let Some(BoardLetter { sheet, reply_to, unsubscribe }) = letter else {
        return Ok(Made::Dropped("superseded"));
    };
    let name = BoardRef { game: sheet.game.clone(), number: sheet.number.unwrap_or(0) };
    let envelope = board_envelope(&row.recipient, &row.message_id, row.date, name, reply_to);
    let envelope = Envelope { form: facts.style.form, unsubscribe, ..envelope };
    write(app, &Reply::Board(Box::new(sheet)), &envelope).await.map(Made::Message)
}

/// A mail that names something stored which is no board.
async fn make_by_reference(mut tx: Tx, app: &App, row: &OutboxRow, facts: &str) -> Result<Made, StoreError> {
    let now = app.clock.now();
    match referred_to(&mut tx, app, facts, row.user_id, now).await? {
        None => Ok(Made::Dropped("of no use any more")),
        Some(Referred::Reply { reply, unsubscribe, form }) => {
            drop(tx);
            let plain = plain_envelope(&row.recipient, &row.message_id, row.date);
            let envelope = Envelope { unsubscribe, form, ..plain };
            write(app, &reply, &envelope).await.map(Made::Message)
        }
        Some(Referred::Letter(stored)) => {
            let StoredDraft { letter, pictures } = *stored;
            let mut views = Vec::with_capacity(pictures.len());
            for (content_id, basis) in pictures {
                // A picture that cannot be had any more must not keep the words back.
                match view_again(&mut tx, app, &basis, now).await {
                    Ok(view) => views.extend(view.map(|view| (content_id, view))),
                    Err(error) if error.is_transient() => return Err(error),
                    Err(error) => tracing::error!(
                        outbox = row.id.0,
                        error = error.with_causes(),
                        "a picture is left out of a mail"
                    ),
                }
            }
            drop(tx);
            let drawn = draw(app, views).await;
            app.composer.write(&letter, &drawn).map(Made::Message).map_err(StoreError::Corrupt)
        }
    }
}

/// The whole message, its pictures drawn.
async fn write(app: &App, reply: &Reply, envelope: &Envelope) -> Result<Vec<u8>, StoreError> {
    let draft = app.composer.draft(reply, envelope).map_err(StoreError::Corrupt)?;
    let views = draft.pictures.into_iter().map(|picture| (picture.content_id, picture.view)).collect();
    let drawn = draw(app, views).await;
    app.composer.write(&draft.letter, &drawn).map_err(StoreError::Corrupt)
}

async fn draw(app: &App, views: Vec<(String, View)>) -> Vec<Drawn> {
    let mut drawn = Vec::with_capacity(views.len());
    for (content_id, view) in views {
        if let Some(png) = app.gallery.draw(view, Look::MAIL).await {
            drawn.push(Drawn { content_id, png });
        }
    }
    drawn
}

async fn send(app: &App, transport: &Transport, row: &OutboxRow, bytes: &[u8]) -> Result<(), StoreError> {
    let return_path =
        app.own.bounce(&row.id.0.to_string(), &app.links.bounce_signature(row.id.0, &row.recipient));
    let sending = transport.send(Some(&return_path), &row.recipient, bytes);
    let outcome = tokio::time::timeout(PATIENCE, sending)
        .await
        .unwrap_or_else(|_| Err(SendError::Transient("the mail server did not answer in time".to_owned())));
    let kind = row.kind.clone();
    match outcome {
        Ok(()) => {
            metrics::counter!("knotpost_mails_sent", "kind" => kind).increment(1);
            note_sent(app, row).await
        }
        Err(SendError::Permanent(why)) => {
            tracing::warn!(outbox = row.id.0, error = %why, "a mail was refused");
            finish(app, row, "failed", Some(why)).await
        }
        Err(SendError::Recipient(why)) => {
            tracing::warn!(outbox = row.id.0, error = %why, "the recipient of a mail was refused");
            finish_refused(app, row, why).await
        }
        Err(SendError::Transient(why)) => defer(app, row, why).await,
    }
}

/// A mail that has left must not leave again because the database was away for a moment: it is noted
/// as soon as that is back, and before the lease is over.
async fn note_sent(app: &App, row: &OutboxRow) -> Result<(), StoreError> {
    let begun = Instant::now();
    loop {
        match finish(app, row, "sent", None).await {
            Err(StoreError::Unreachable(_) | StoreError::Full(_) | StoreError::Busy(_))
                if begun.elapsed() < NOTING =>
            {
                tokio::time::sleep(NOTE_PAUSE).await;
            }
            noted => return noted,
        }
    }
}

async fn finish(
    app: &App,
    row: &OutboxRow,
    state: &'static str,
    error: Option<String>,
) -> Result<(), StoreError> {
    let (key, now) = (row.id, app.clock.now());
    app.store
        .write(move |tx| {
            let error = error.clone();
            Box::pin(async move { tx.finish_outbox(key, state, error.as_deref(), now).await })
        })
        .await
}

/// A recipient that is refused for good counts as a mail that came back.
async fn finish_refused(app: &App, row: &OutboxRow, why: String) -> Result<(), StoreError> {
    let (key, now, recipient) = (row.id, app.clock.now(), row.recipient.clone());
    // Without words of its own a refusal for good says that there is nobody.
    let trouble = Trouble::from_words(&why).or_else(|| Trouble::judge("5.0.0", &why));
    app.store
        .write(move |tx| {
            let (why, recipient, trouble) = (why.clone(), recipient.clone(), trouble.clone());
            Box::pin(async move {
                if let Some(trouble) = &trouble {
                    record_trouble(tx, key, &recipient, trouble, now).await?;
                }
                tx.finish_outbox(key, "failed", Some(&why), now).await
            })
        })
        .await
}

async fn defer(app: &App, row: &OutboxRow, why: String) -> Result<(), StoreError> {
    let now = app.clock.now();
    let random = u64::from_le_bytes(random_bytes(app.entropy.as_ref())?);
    let attempts = u32::try_from(row.attempts).unwrap_or(u32::MAX);
    match after_failure(attempts, now.since(row.date).0, random) {
        Retry::GiveUp => {
            tracing::warn!(outbox = row.id.0, error = %why, "a mail could not be sent for days; it is given up");
            finish(app, row, "failed", Some(why)).await
        }
        Retry::In(pause) => {
            tracing::info!(outbox = row.id.0, error = %why, pause_ms = pause, "a mail is put off");
            let (key, due): (_, Millis) = (row.id, now.plus(pause));
            app.store
                .write(move |tx| {
                    let why = why.clone();
                    Box::pin(async move { tx.defer_outbox(key, Some(&why), due).await })
                })
                .await
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

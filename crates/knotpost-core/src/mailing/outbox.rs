//! The outbox as its senders see it: mails are leased several at a time, acknowledged when they were sent, or given
//! back.
//!
//! The number of leased mails and the time of their lease are not decided here. Knows nothing of how a mail
//! is built or sent.

mod backoff;
mod delivery;
mod loading;

pub use delivery::{DeliveryOutcome, record_delivery};
pub use loading::{MailContent, load_mail, load_unleased};

use crate::app::App;
use crate::config::Config;
use crate::mailing::coalesce::coalesce_leased;
use knotpost_model::{Millis, OutboxKey};
use knotpost_platform::clock::Clock;
pub use knotpost_storage::MAIL_LEASE_MS;
use knotpost_storage::{OutboxRow, Store, StoreError};

/// A mail that no other process sends until its lease ends.
#[derive(Debug)]
pub struct LeasedMail {
    pub row: OutboxRow,
    /// Time at which the lease ends.
    pub until: Millis,
}

/// The moment at which the next mail is or was due; `None`: none waits, or the server is on hold.
///
/// # Errors
/// The database fails.
pub async fn next_mail_due(app: &App) -> Result<Option<Millis>, StoreError> {
    if app.hold.is_some() {
        return Ok(None);
    }
    Ok(app.store.query().await?.next_outbox_due().await?.map(Millis))
}

/// Leases at most `most` of the mails that have been due longest for [`MAIL_LEASE_MS`], and those that were queued for
/// their recipients before them, and coalesces those that are about the same board. They come in the order in which they
/// were queued.
pub async fn lease_mails(
    store: &Store,
    config: &Config,
    most: i64,
    now: Millis,
) -> Result<Vec<LeasedMail>, StoreError> {
    let until = now.plus(MAIL_LEASE_MS);
    let is_limited = config.mail.per_hour > 0;
    let leased = store.write_queue(async move |tx| {
        let mut rows = tx.lease_outbox(now, until, most).await?;
        let boards: Vec<OutboxKey> =
            rows.iter().filter(|row| row.board_id.is_some()).map(|row| row.id).collect();
        rows.extend(tx.lease_newer_outbox(&boards, now, until).await?);
        let mut rows = coalesce_leased(tx, rows, now).await?;
        if is_limited {
            let most = usize::try_from(most).unwrap_or_default().min(rows.len());
            let late: Vec<OutboxKey> = rows.split_off(most).iter().map(|row| row.id).collect();
            tx.give_back_outbox(&late, until, now).await?;
        }
        Ok::<_, StoreError>(rows)
    });
    Ok(leased.await?.into_iter().map(|row| LeasedMail { row, until }).collect())
}

/// Ends the leases, lasting until then, of mails that were not sent.
///
/// # Errors
/// When the database fails; then the mails wait until their leases end.
pub async fn give_back_leases(
    store: &Store,
    clock: &dyn Clock,
    mails: Vec<OutboxKey>,
    until: Millis,
) -> Result<(), StoreError> {
    let now = clock.now();
    store.write_queue(async move |tx| tx.give_back_outbox(&mails, until, now).await).await
}

/// Acknowledges mails as sent, in one write.
pub async fn acknowledge_sent(
    store: &Store,
    clock: &dyn Clock,
    mails: Vec<OutboxKey>,
) -> Result<(), StoreError> {
    let now = clock.now();
    store.write_queue(async move |tx| tx.note_sent_outbox(&mails, now).await).await
}

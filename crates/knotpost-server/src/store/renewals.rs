//! Board mails that wait while their board goes on: the mail stays, and shows a newer board.

use super::dialect::among;
use super::outbox::waits;
use super::readers::key_list;
use super::tx::Driver;
use super::{StoreError, Tx};
use crate::domain::{BoardKey, Millis, OutboxKey};

/// A board mail that nobody has begun to send, and what it shows from now on beside the board, as JSON.
#[derive(Clone, Debug)]
pub struct Renewal {
    /// The row.
    pub mail: OutboxKey,
    /// Its new facts.
    pub facts: String,
}

/// Neither the Message-ID changes, which nobody has seen, nor when the mail is due: its reader waits no longer for it.
/// So no index is touched.
const RENEW: &str = concat!(
    "UPDATE outbox SET ply = $1, date = $2, facts = $4 WHERE id = $3 AND attempts = 0 AND ",
    waits!()
);

/// Whoever took one of them meanwhile sends the older board, and the newer one needs a mail of its own.
pub(super) fn check_all_renewed(renewed: u64, wanted: usize) -> Result<(), StoreError> {
    if renewed == wanted as u64 { Ok(()) } else { Err(StoreError::Busy(sqlx::Error::RowNotFound)) }
}

impl Tx {
    /// Has mails about a board that were found waiting in this transaction show it as it is after `ply` moves.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn renew_outboxes(
        &mut self,
        renewals: &[Renewal],
        (board, ply): (BoardKey, i64),
        date: Millis,
    ) -> Result<(), StoreError> {
        if renewals.is_empty() {
            return Ok(());
        }
        if self.is_postgres() {
            return self.hold_renewals(renewals, (board, ply), date).await;
        }
        let mut renewed = 0;
        if let Driver::Sqlite(connection) = self.writing().await?.driver().await? {
            for Renewal { mail, facts } in renewals {
                let query = sqlx::query(RENEW).bind(ply).bind(date.0).bind(mail.0).bind(facts);
                renewed += query.execute(&mut *connection).await?.rows_affected();
            }
        }
        check_all_renewed(renewed, renewals.len())
    }

    /// Drops mails for newer ones, unless somebody has begun to send them.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn drop_superseded(&mut self, mails: &[OutboxKey], now: Millis) -> Result<(), StoreError> {
        if mails.is_empty() {
            return Ok(());
        }
        among!(
            self.writing().await?,
            concat!(
                "UPDATE outbox SET state = 'dropped', error = 'superseded', done_at = $2 WHERE ",
                waits!(),
                " AND attempts = 0 AND id"
            ),
            "",
            q => sqlx::query(q.0).bind(key_list(mails)).bind(now.0).execute(q.1).await.map(drop)
        )?;
        Ok(())
    }
}

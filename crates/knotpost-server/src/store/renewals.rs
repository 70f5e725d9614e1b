//! Board mails that wait while their board goes on: the mail stays, and shows a newer board.

use super::dialect::among;
use super::readers::key_list;
use super::tx::Driver;
use super::{StoreError, Tx};
use crate::domain::{Millis, OutboxKey};

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
const ON_SQLITE: &str = "UPDATE outbox SET ply = $1, date = $2, facts = $4 \
     WHERE id = $3 AND state = 'queued' AND attempts = 0";
const ON_POSTGRES: &str = "UPDATE outbox SET ply = $1, date = $2, facts = renewal.facts \
     FROM UNNEST($3, $4) AS renewal (id, facts) \
     WHERE outbox.id = renewal.id AND state = 'queued' AND attempts = 0";

impl Tx {
    /// Has board mails that were found waiting in this transaction show their board as it is after `ply` moves.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn renew_outboxes(
        &mut self,
        renewals: &[Renewal],
        ply: i64,
        date: Millis,
    ) -> Result<(), StoreError> {
        if renewals.is_empty() {
            return Ok(());
        }
        let mut renewed = 0;
        match self.writing().await?.connection.driver() {
            Driver::Sqlite(connection) => {
                for Renewal { mail, facts } in renewals {
                    let query = sqlx::query(ON_SQLITE).bind(ply).bind(date.0).bind(mail.0).bind(facts);
                    renewed += query.execute(&mut *connection).await?.rows_affected();
                }
            }
            Driver::Postgres(connection) => {
                let (keys, facts): (Vec<i64>, Vec<&str>) =
                    renewals.iter().map(|renewal| (renewal.mail.0, renewal.facts.as_str())).unzip();
                let query = sqlx::query(ON_POSTGRES).bind(ply).bind(date.0).bind(keys).bind(facts);
                renewed = query.execute(connection).await?.rows_affected();
            }
        }
        // Whoever took one of them meanwhile sends the older board, and the newer one needs a mail of its own.
        if renewed == renewals.len() as u64 {
            Ok(())
        } else {
            Err(StoreError::Busy(sqlx::Error::RowNotFound))
        }
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
            "UPDATE outbox SET state = 'dropped', error = 'superseded', done_at = $2 \
             WHERE state = 'queued' AND attempts = 0 AND id",
            "",
            q => sqlx::query(q.0).bind(key_list(mails)).bind(now.0).execute(q.1).await.map(drop)
        )?;
        Ok(())
    }
}

//! Mails that are carried out as they are stored, in the same transaction.

use sqlx::FromRow;

use super::ahead::MailAhead;
use super::behind::column;
use super::tx::Driver;
use super::{NewInbox, StoreError, Tx};
use crate::domain::{InboxKey, Millis};

/// A mail that is carried out as it is stored.
#[derive(Clone, Debug)]
pub struct DirectMail {
    /// The mail, done from the beginning.
    pub row: NewInbox,
    /// The address in From, as addresses are looked up.
    pub sender_key: String,
    /// What tells it from other mails.
    pub dedupe_key: String,
    /// One that was acted on after this under the same key is the same mail.
    pub since: Millis,
}

/// A mail that is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeptMail {
    /// Its row.
    pub key: InboxKey,
    /// Whether it came for the first time, so that it is to be acted on.
    pub is_first: bool,
}

#[derive(Debug, FromRow)]
struct Line {
    #[sqlx(try_from = "i64")]
    id: InboxKey,
    dedupe_key: String,
    sender_key: String,
    is_first: bool,
    has_trouble: bool,
}

/// One row for each mail, in the order in which the rows of `inbox_seen` are locked.
const KEEP: &str = "WITH mail AS (SELECT nextval(pg_get_serial_sequence('inbox', 'id')) AS id, given.* FROM \
     UNNEST($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) AS given (received_at, way, peer, \
     mail_from, recipients, size, sender, message_id, subject, text, raw, reason, verdicts, sender_key, dedupe_key, since)), \
     kept AS (INSERT INTO inbox (id, received_at, way, peer, mail_from, recipients, size, sender, message_id, subject, \
     text, raw, state, reason, attempts, due_at, done_at, verdicts) \
     SELECT id, received_at, way, peer, mail_from, recipients, size, sender, message_id, subject, \
     text, raw, 'done', reason, 0, received_at, received_at, verdicts FROM mail), \
     claimed AS (INSERT INTO inbox_seen (dedupe_key, inbox_id, at) SELECT dedupe_key, id, received_at FROM mail \
     ORDER BY dedupe_key ON CONFLICT (dedupe_key) DO UPDATE SET inbox_id = excluded.inbox_id, at = excluded.at \
     WHERE inbox_seen.at <= (SELECT since FROM mail WHERE mail.dedupe_key = inbox_seen.dedupe_key) RETURNING dedupe_key) \
     SELECT id, dedupe_key, sender_key, dedupe_key IN (SELECT dedupe_key FROM claimed) AS is_first, \
     EXISTS (SELECT 1 FROM failing_addresses WHERE address_key = sender_key) AS has_trouble FROM mail";

impl Tx {
    /// Stores a mail and notes that it is acted on.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn keep_mail(&mut self, mail: &DirectMail) -> Result<KeptMail, StoreError> {
        if let Some(kept) = self.ahead.take_mail(&mail.dedupe_key) {
            self.holding().await?;
            return Ok(kept);
        }
        let key = self.insert_inbox(&mail.row).await?;
        let is_first = self.claim_mail(&mail.dedupe_key, key, mail.since, mail.row.received_at).await?;
        Ok(KeptMail { key, is_first })
    }

    /// As [`Tx::keep_mail`] for many, all with another key. PostgreSQL only.
    pub(super) async fn keep_mails(&mut self, mails: &[&DirectMail]) -> Result<Vec<MailAhead>, StoreError> {
        if mails.is_empty() {
            return Ok(Vec::new());
        }
        let Driver::Postgres(connection) = self.driver().await? else { return Ok(Vec::new()) };
        let lines: Vec<Line> = sqlx::query_as(KEEP)
            .bind(column(mails, |mail| mail.row.received_at.0))
            .bind(column(mails, |mail| mail.row.way))
            .bind(column(mails, |mail| mail.row.peer.as_deref()))
            .bind(column(mails, |mail| mail.row.mail_from.as_deref()))
            .bind(column(mails, |mail| mail.row.recipients.as_str()))
            .bind(column(mails, |mail| mail.row.size))
            .bind(column(mails, |mail| mail.row.sender.as_deref()))
            .bind(column(mails, |mail| mail.row.message_id.as_deref()))
            .bind(column(mails, |mail| mail.row.subject.as_deref()))
            .bind(column(mails, |mail| mail.row.text.as_deref()))
            .bind(column(mails, |mail| mail.row.raw.as_deref()))
            .bind(column(mails, |mail| mail.row.reason))
            .bind(column(mails, |mail| mail.row.verdicts.as_deref()))
            .bind(column(mails, |mail| mail.sender_key.as_str()))
            .bind(column(mails, |mail| mail.dedupe_key.as_str()))
            .bind(column(mails, |mail| mail.since.0))
            .fetch_all(connection)
            .await?;
        let mails = lines.into_iter().map(|line| MailAhead {
            dedupe_key: line.dedupe_key,
            sound: (!line.has_trouble).then_some(line.sender_key),
            kept: KeptMail { key: line.id, is_first: line.is_first },
        });
        Ok(mails.collect())
    }
}

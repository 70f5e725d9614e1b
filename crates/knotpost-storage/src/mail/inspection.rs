//! Received and outgoing mail as an administrator sees it: listed newest first, tried again, ended.
//!
//! No index serves these queries: each of them scans a window of row numbers, and the caller moves the window on. Mail
//! is written far more often than it is inspected.

use sqlx::FromRow;

use super::outbox::OutboxRow;
use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{InboxKey, Millis, OutboxKey};

/// The most addresses that one query can filter by: as many as a user may have.
pub const MOST_ASKED: usize = 10;

/// A received mail and what became of it.
#[derive(Clone, Debug, FromRow)]
pub struct InboxEntry {
    /// Its number.
    pub id: i64,
    /// When it came.
    pub received_at: i64,
    /// The way it came.
    pub way: String,
    /// The peer's network address.
    pub peer: Option<String>,
    /// Envelope sender; `None`: the null sender.
    pub mail_from: Option<String>,
    /// Envelope recipients, one a line.
    pub recipients: String,
    /// Bytes of the message.
    pub size: i64,
    /// Address in From.
    pub sender: Option<String>,
    pub message_id: Option<String>,
    /// Subject with passwords masked.
    pub subject: Option<String>,
    /// Text with passwords masked.
    pub text: Option<String>,
    /// What is known of its sender's proof, as JSON.
    pub verdicts: Option<String>,
    /// Bytes of the sealed message, 0 when it is not stored.
    pub kept: i64,
    /// `new`, `done` or `failed`.
    pub state: String,
    /// The named outcome.
    pub reason: Option<String>,
    /// How often its processing began.
    pub attempts: i64,
    /// When a worker may take it.
    pub due_at: i64,
    /// When it ended.
    pub done_at: Option<i64>,
}

/// An outgoing mail and what became of it.
#[derive(Clone, Debug, FromRow)]
pub struct OutboxEntry {
    /// Its number.
    pub id: i64,
    /// What kind of mail it is.
    pub kind: String,
    pub recipient: String,
    pub userid: Option<String>,
    /// The game of the board it shows.
    pub game: Option<String>,
    /// That board's number.
    pub number: Option<i64>,
    /// The number of the move after which it shows the board.
    pub ply: Option<i64>,
    pub message_id: String,
    /// The Date it carries.
    pub date: i64,
    /// `queued`, `sent`, `failed` or `dropped`.
    pub state: String,
    /// How often it was tried.
    pub attempts: i64,
    /// When it is tried next.
    pub due_at: i64,
    /// When it ended.
    pub done_at: Option<i64>,
    /// Why it was not sent, the last time.
    pub error: Option<String>,
}

/// A filter for mails. Empty texts and lists match every mail.
#[derive(Clone, Debug, Default)]
pub struct MailFilter {
    pub state: String,
    /// With this outcome: a received mail's named reason, or a piece of an outgoing mail's error.
    pub reason: String,
    /// Not older than this.
    pub since: i64,
    /// From or to one of these addresses, in lower case; at most [`MOST_ASKED`].
    pub addresses: Vec<String>,
}

/// Row numbers that a query scans: from `low` up to but not including `high`.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// The lowest number.
    pub low: i64,
    /// One more than the highest.
    pub high: i64,
}

/// One of the two queues.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailQueue {
    /// Received mail.
    Inbox,
    /// Outgoing mail.
    Outbox,
}

/// Why a mail was not changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailState {
    pub state: String,
    /// Its outcome or last error.
    pub reason: Option<String>,
}

macro_rules! inbox_entry {
    ($rest:literal) => {
        concat!(
            "SELECT id, received_at, way, peer, mail_from, recipients, size, sender, message_id, subject, text, verdicts, \
             CAST(COALESCE(LENGTH(raw), 0) AS BIGINT) AS kept, state, reason, attempts, due_at, done_at FROM inbox ",
            $rest
        )
    };
}

macro_rules! outbox_entry {
    ($rest:literal) => {
        concat!(
            "SELECT o.id, o.kind, o.recipient, u.userid, b.game, b.number, o.ply, o.message_id, o.date, o.state, \
             o.attempts, o.due_at, o.done_at, o.error FROM outbox o LEFT JOIN users u ON u.id = o.user_id \
             LEFT JOIN boards b ON b.id = o.board_id ",
            $rest
        )
    };
}

impl ReadTx {
    pub async fn mail_numbers(&mut self, queue: MailQueue) -> Result<Option<Window>, StoreError> {
        let sql = match queue {
            MailQueue::Inbox => "SELECT (SELECT MIN(id) FROM inbox), (SELECT MAX(id) FROM inbox)",
            MailQueue::Outbox => "SELECT (SELECT MIN(id) FROM outbox), (SELECT MAX(id) FROM outbox)",
        };
        let ends: (Option<i64>, Option<i64>) = on!(self, c => sqlx::query_as(sql).fetch_one(c).await)?;
        Ok(ends.0.zip(ends.1).map(|(low, high)| Window { low, high: high + 1 }))
    }

    /// When the first mail at or above this number came or was written.
    pub async fn mail_time(&mut self, queue: MailQueue, low: i64) -> Result<Option<i64>, StoreError> {
        let sql = match queue {
            MailQueue::Inbox => "SELECT received_at FROM inbox WHERE id >= $1 ORDER BY id LIMIT 1",
            MailQueue::Outbox => "SELECT date FROM outbox WHERE id >= $1 ORDER BY id LIMIT 1",
        };
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(low).fetch_optional(c).await)?)
    }

    /// Received mails of a window, the newest first, at most `limit`.
    pub async fn list_inbox(
        &mut self,
        filter: &MailFilter,
        window: Window,
        limit: i64,
    ) -> Result<Vec<InboxEntry>, StoreError> {
        let sql = inbox_entry!(
            "WHERE id >= $1 AND id < $2 AND received_at >= $3 AND ($4 = '' OR state = $4) \
             AND ($5 = '' OR reason = $5) AND ($6 = '' OR LOWER(sender) IN ($6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
             OR LOWER(mail_from) IN ($6, $7, $8, $9, $10, $11, $12, $13, $14, $15)) ORDER BY id DESC LIMIT $16"
        );
        Ok(on!(self, c => {
            let mut query = sqlx::query_as::<_, InboxEntry>(sql)
                .bind(window.low)
                .bind(window.high)
                .bind(filter.since)
                .bind(&filter.state)
                .bind(&filter.reason);
            for place in 0..MOST_ASKED {
                query = query.bind(filter.addresses.get(place).map_or("", String::as_str));
            }
            query.bind(limit).fetch_all(c).await
        })?)
    }

    /// Outgoing mails of a window, the newest first, at most `limit`.
    pub async fn list_outbox(
        &mut self,
        filter: &MailFilter,
        window: Window,
        limit: i64,
    ) -> Result<Vec<OutboxEntry>, StoreError> {
        let sql = outbox_entry!(
            "WHERE o.id >= $1 AND o.id < $2 AND o.date >= $3 AND ($4 = '' OR o.state = $4) \
             AND ($5 = '' OR LOWER(o.error) LIKE $16) \
             AND ($6 = '' OR LOWER(o.recipient) IN ($6, $7, $8, $9, $10, $11, $12, $13, $14, $15)) \
             ORDER BY o.id DESC LIMIT $17"
        );
        Ok(on!(self, c => {
            let mut query = sqlx::query_as::<_, OutboxEntry>(sql)
                .bind(window.low)
                .bind(window.high)
                .bind(filter.since)
                .bind(&filter.state)
                .bind(&filter.reason);
            for place in 0..MOST_ASKED {
                query = query.bind(filter.addresses.get(place).map_or("", String::as_str));
            }
            query.bind(format!("%{}%", filter.reason.to_lowercase())).bind(limit).fetch_all(c).await
        })?)
    }

    /// One received mail.
    pub async fn inbox_entry(&mut self, key: InboxKey) -> Result<Option<InboxEntry>, StoreError> {
        let sql = inbox_entry!("WHERE id = $1");
        Ok(on!(self, c => sqlx::query_as::<_, InboxEntry>(sql).bind(key.0).fetch_optional(c).await)?)
    }

    /// The sealed message of a received mail, when it is stored.
    pub async fn inbox_raw(&mut self, key: InboxKey) -> Result<Option<Vec<u8>>, StoreError> {
        let sql = "SELECT raw FROM inbox WHERE id = $1";
        let row: Option<Option<Vec<u8>>> =
            on!(self, c => sqlx::query_scalar(sql).bind(key.0).fetch_optional(c).await)?;
        Ok(row.flatten())
    }

    /// One outgoing mail, with what it is made from.
    pub async fn outbox_entry(
        &mut self,
        key: OutboxKey,
    ) -> Result<Option<(OutboxEntry, OutboxRow)>, StoreError> {
        let sql = outbox_entry!("WHERE o.id = $1");
        let entry =
            on!(self, c => sqlx::query_as::<_, OutboxEntry>(sql).bind(key.0).fetch_optional(c).await)?;
        let sql = "SELECT id, kind, recipient, user_id, board_id, ply, facts, rendered, message_id, date, attempts, \
                   unsure_attempts FROM outbox WHERE id = $1";
        let row = on!(self, c => sqlx::query_as::<_, OutboxRow>(sql).bind(key.0).fetch_optional(c).await)?;
        Ok(entry.zip(row))
    }

    /// What state a mail is in; `None`: there is no such mail.
    pub async fn mail_state(&mut self, queue: MailQueue, id: i64) -> Result<Option<MailState>, StoreError> {
        let sql = match queue {
            MailQueue::Inbox => "SELECT state, reason FROM inbox WHERE id = $1",
            MailQueue::Outbox => "SELECT state, error FROM outbox WHERE id = $1",
        };
        let row: Option<(String, Option<String>)> =
            on!(self, c => sqlx::query_as(sql).bind(id).fetch_optional(c).await)?;
        Ok(row.map(|(state, reason)| MailState { state, reason }))
    }
}

impl WriteTx {
    /// Makes a mail due once more. A received one must have failed and be stored; an outgoing one must have failed, or
    /// been dropped for one of these reasons. `false`: it is not in such a state.
    pub async fn retry_mail(
        &mut self,
        queue: MailQueue,
        id: i64,
        dropped_for: [&'static str; 2],
        now: Millis,
    ) -> Result<bool, StoreError> {
        let [one, other] = dropped_for;
        let sql = match queue {
            MailQueue::Inbox => {
                "UPDATE inbox SET state = 'new', reason = NULL, attempts = 0, due_at = $2, done_at = NULL \
                 WHERE id = $1 AND state = 'failed' AND raw IS NOT NULL AND $3 <> $4 RETURNING id"
            }
            MailQueue::Outbox => {
                "UPDATE outbox SET state = 'queued', error = NULL, attempts = 0, due_at = $2, done_at = NULL \
                 WHERE id = $1 AND (state = 'failed' OR state = 'dropped' AND error IN ($3, $4)) RETURNING id"
            }
        };
        let row: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(id)
            .bind(now.0)
            .bind(one)
            .bind(other)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }

    /// Ends a mail that waits or has failed. `false`: it has ended otherwise, or a worker has leased it.
    pub async fn drop_mail(
        &mut self,
        queue: MailQueue,
        id: i64,
        reason: &'static str,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let sql = match queue {
            MailQueue::Inbox => {
                "UPDATE inbox SET state = 'done', reason = $3, done_at = $2, raw = NULL \
                 WHERE id = $1 AND (state = 'failed' OR state = 'new' AND (attempts = 0 OR due_at <= $2)) RETURNING id"
            }
            // A leased mail has been tried, is due later, and has no error yet.
            MailQueue::Outbox => {
                "UPDATE outbox SET state = 'dropped', error = $3, done_at = $2 WHERE id = $1 AND (state = 'failed' \
                 OR state = 'queued' AND (attempts = 0 OR due_at <= $2 OR error IS NOT NULL)) RETURNING id"
            }
        };
        let row: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(id)
            .bind(now.0)
            .bind(reason)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }
}

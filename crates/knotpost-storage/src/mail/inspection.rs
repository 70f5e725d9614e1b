//! The administrators' view of both queues: listing newest first, retrying, dropping.
//!
//! No index serves these queries: each scans a window of row numbers, advanced by the caller. Mail is written
//! far more often than it is inspected.

use std::array;

use super::outbox::OutboxRow;
use crate::connection::{Argument, Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{InboxKey, Millis, OutboxKey};

pub const MOST_ASKED: usize = 10;

row! {
    #[derive(Clone, Debug)]
    pub struct InboxEntry {
        pub id: i64,
        pub received_at: i64,
        pub way: String,
        pub peer: Option<String>,
        pub mail_from: Option<String>,
        pub recipients: String,
        pub size: i64,
        pub sender: Option<String>,
        pub message_id: Option<String>,
        pub subject: Option<String>,
        pub text: Option<String>,
        /// As JSON.
        pub verdicts: Option<String>,
        /// Bytes of the sealed message; 0: not stored.
        pub kept: i64,
        /// `new`, `done` or `failed`.
        pub state: String,
        pub reason: Option<String>,
        pub attempts: i64,
        pub due_at: i64,
        pub done_at: Option<i64>,
    }
}

row! {
    #[derive(Clone, Debug)]
    pub struct OutboxEntry {
        pub id: i64,
        pub kind: String,
        pub recipient: String,
        pub userid: Option<String>,
        pub game: Option<String>,
        pub number: Option<i64>,
        pub ply: Option<i64>,
        pub message_id: String,
        pub date: i64,
        pub state: String,
        pub attempts: i64,
        pub due_at: i64,
        pub done_at: Option<i64>,
        pub error: Option<String>,
    }
}

/// Empty texts and lists match every mail.
#[derive(Clone, Debug, Default)]
pub struct MailFilter {
    pub state: String,
    /// A received mail's named reason, or a part of an outgoing mail's error.
    pub reason: String,
    pub since: i64,
    /// Sender or recipient, in lower case; at most [`MOST_ASKED`].
    pub addresses: Vec<String>,
}

impl MailFilter {
    fn asked(&self) -> [&str; MOST_ASKED] {
        array::from_fn(|place| self.addresses.get(place).map_or("", String::as_str))
    }

    /// The first arguments of both lists.
    fn arguments<'a>(&'a self, window: &'a Window, asked: &'a [&str; MOST_ASKED]) -> Vec<&'a dyn Argument> {
        let mut arguments: Vec<&dyn Argument> =
            vec![&window.low, &window.high, &self.since, &self.state, &self.reason];
        arguments.extend(asked.iter().map(|address| address as &dyn Argument));
        arguments
    }
}

/// Half-open range of row numbers scanned by a query.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// Included.
    pub low: i64,
    /// Excluded.
    pub high: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MailQueue {
    Inbox,
    Outbox,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MailState {
    pub state: String,
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
    pub async fn mail_numbers(&mut self, queue: MailQueue) -> Result<Option<Window>> {
        let sql = match queue {
            MailQueue::Inbox => "SELECT (SELECT MIN(id) FROM inbox), (SELECT MAX(id) FROM inbox)",
            MailQueue::Outbox => "SELECT (SELECT MIN(id) FROM outbox), (SELECT MAX(id) FROM outbox)",
        };
        let ends: (Option<i64>, Option<i64>) = self.fetch_one(sql, &[]).await?;
        Ok(ends.0.zip(ends.1).map(|(low, high)| Window { low, high: high + 1 }))
    }

    /// Time of the first mail from this number on.
    pub async fn mail_time(&mut self, queue: MailQueue, low: i64) -> Result<Option<i64>> {
        let sql = match queue {
            MailQueue::Inbox => "SELECT received_at FROM inbox WHERE id >= $1 ORDER BY id LIMIT 1",
            MailQueue::Outbox => "SELECT date FROM outbox WHERE id >= $1 ORDER BY id LIMIT 1",
        };
        self.fetch_optional(sql, &[&low]).await
    }

    /// Newest first.
    pub async fn list_inbox(
        &mut self,
        filter: &MailFilter,
        window: Window,
        limit: i64,
    ) -> Result<Vec<InboxEntry>> {
        let sql = inbox_entry!(
            "WHERE id >= $1 AND id < $2 AND received_at >= $3 AND ($4 = '' OR state = $4) \
             AND ($5 = '' OR reason = $5) AND ($6 = '' OR LOWER(sender) IN ($6, $7, $8, $9, $10, $11, $12, $13, $14, $15) \
             OR LOWER(mail_from) IN ($6, $7, $8, $9, $10, $11, $12, $13, $14, $15)) ORDER BY id DESC LIMIT $16"
        );
        let asked = filter.asked();
        let mut arguments = filter.arguments(&window, &asked);
        arguments.push(&limit);
        self.fetch_all(sql, &arguments).await
    }

    /// Newest first.
    pub async fn list_outbox(
        &mut self,
        filter: &MailFilter,
        window: Window,
        limit: i64,
    ) -> Result<Vec<OutboxEntry>> {
        let sql = outbox_entry!(
            "WHERE o.id >= $1 AND o.id < $2 AND o.date >= $3 AND ($4 = '' OR o.state = $4) \
             AND ($5 = '' OR LOWER(o.error) LIKE $16) \
             AND ($6 = '' OR LOWER(o.recipient) IN ($6, $7, $8, $9, $10, $11, $12, $13, $14, $15)) \
             ORDER BY o.id DESC LIMIT $17"
        );
        let asked = filter.asked();
        let mut arguments = filter.arguments(&window, &asked);
        let error = format!("%{}%", filter.reason.to_lowercase());
        arguments.extend([&error as &dyn Argument, &limit]);
        self.fetch_all(sql, &arguments).await
    }

    pub async fn inbox_entry(&mut self, key: InboxKey) -> Result<Option<InboxEntry>> {
        let sql = inbox_entry!("WHERE id = $1");
        self.fetch_optional(sql, &[&key]).await
    }

    pub async fn inbox_raw(&mut self, key: InboxKey) -> Result<Option<Vec<u8>>> {
        let sql = "SELECT raw FROM inbox WHERE id = $1";
        let row: Option<Option<Vec<u8>>> = self.fetch_optional(sql, &[&key]).await?;
        Ok(row.flatten())
    }

    pub async fn outbox_entry(&mut self, key: OutboxKey) -> Result<Option<(OutboxEntry, OutboxRow)>> {
        let sql = outbox_entry!("WHERE o.id = $1");
        let entry = self.fetch_optional::<OutboxEntry>(sql, &[&key]).await?;
        let sql = "SELECT id, kind, recipient, user_id, board_id, ply, facts, message_id, date, attempts, \
                   unsure_attempts FROM outbox WHERE id = $1";
        let row = self.fetch_optional::<OutboxRow>(sql, &[&key]).await?;
        Ok(entry.zip(row))
    }

    pub async fn mail_state(&mut self, queue: MailQueue, id: i64) -> Result<Option<MailState>> {
        let sql = match queue {
            MailQueue::Inbox => "SELECT state, reason FROM inbox WHERE id = $1",
            MailQueue::Outbox => "SELECT state, error FROM outbox WHERE id = $1",
        };
        let row: Option<(String, Option<String>)> = self.fetch_optional(sql, &[&id]).await?;
        Ok(row.map(|(state, reason)| MailState { state, reason }))
    }
}

impl WriteTx {
    /// Makes a mail due again. A received one must have failed and be stored; an outgoing one must have
    /// failed, or been dropped for one of these reasons. `false`: in another state.
    pub async fn retry_mail(
        &mut self,
        queue: MailQueue,
        id: i64,
        dropped_for: [&'static str; 2],
        now: Millis,
    ) -> Result<bool> {
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
        self.any(sql, &[&id, &now, &one, &other]).await
    }

    /// Ends a waiting or failed mail. `false`: ended otherwise, or leased.
    pub async fn drop_mail(
        &mut self,
        queue: MailQueue,
        id: i64,
        reason: &'static str,
        now: Millis,
    ) -> Result<bool> {
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
        self.any(sql, &[&id, &now, &reason]).await
    }
}

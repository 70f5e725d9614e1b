//! Received mail, from its acknowledgement to its outcome.

use crate::connection::{Result, claim, row};
use crate::rows::NewInbox;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{InboxKey, Millis};

row! {
    #[derive(Clone, Debug)]
    pub struct InboxRow {
        pub id: InboxKey,
        pub received_at: Millis,
        /// Envelope sender; `None`: the null sender.
        pub mail_from: Option<String>,
        /// Envelope recipients, one a line.
        pub recipients: String,
        /// Sealed message.
        pub raw: Option<Vec<u8>>,
        pub attempts: i64,
        /// Verdicts as JSON; `None`: not checked.
        pub verdicts: Option<String>,
        pub host: Option<String>,
    }
}

impl ReadTx {
    /// Outcome of the first mail with this key.
    pub async fn reason_of_first(&mut self, dedupe_key: &str) -> Result<Option<String>> {
        let sql = "SELECT inbox.reason FROM inbox_seen JOIN inbox ON inbox.id = inbox_seen.inbox_id WHERE dedupe_key = $1";
        let row: Option<Option<String>> = self.fetch_optional(sql, &[&dedupe_key]).await?;
        Ok(row.flatten())
    }

    pub async fn next_inbox_due(&mut self) -> Result<Option<i64>> {
        self.fetch_one("SELECT MIN(due_at) FROM inbox WHERE state = 'new'", &[]).await
    }

    pub async fn count_waiting_inbox(&mut self) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM inbox WHERE state = 'new'", &[]).await
    }

    pub async fn count_late_inbox(&mut self, before: Millis) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM inbox WHERE state = 'new' AND due_at > 0 AND received_at < $1";
        self.fetch_one(sql, &[&before]).await
    }

    /// True if a mail received up to then still waits.
    pub async fn is_mail_waiting(&mut self, until: Millis) -> Result<bool> {
        // The due time keeps the search among the rows that wait.
        let sql = "SELECT id FROM inbox WHERE state = 'new' AND due_at > 0 AND received_at <= $1 LIMIT 1";
        self.any(sql, &[&until]).await
    }
}

impl WriteTx {
    /// With a reason it is stored as done, otherwise it waits for a worker.
    pub async fn insert_inbox(&mut self, mail: &NewInbox) -> Result<InboxKey> {
        let sql = "INSERT INTO inbox (received_at, way, peer, mail_from, recipients, size, sender, message_id, subject, \
                   text, raw, state, reason, attempts, due_at, done_at, verdicts, host) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $1, $14, $15, $16) RETURNING id";
        let done = mail.reason.is_some();
        self.fetch_one(
            sql,
            &[
                &mail.received_at,
                &mail.way,
                &mail.peer,
                &mail.mail_from,
                &mail.recipients,
                &mail.size,
                &mail.sender,
                &mail.message_id,
                &mail.subject,
                &mail.text,
                &mail.raw,
                &(if done { "done" } else { "new" }),
                &mail.reason,
                &done.then_some(mail.received_at.0),
                &mail.verdicts,
                &mail.host,
            ],
        )
        .await
    }

    /// Leases the next mail in the order of `mail::waiting`; no other worker gets it before `lease_until`.
    pub async fn lease_inbox(&mut self, now: Millis, lease_until: Millis) -> Result<Option<InboxRow>> {
        let sql = claim!(
            self,
            "UPDATE inbox SET attempts = attempts + 1, due_at = $2 WHERE id = (SELECT id FROM inbox \
             WHERE state = 'new' AND +due_at <= $1 ORDER BY turn, id LIMIT 1",
            ") RETURNING id, received_at, mail_from, recipients, raw, attempts, verdicts, host"
        );
        self.fetch_optional(sql, &[&now, &lease_until]).await
    }

    /// Makes every waiting mail due, leased or not.
    pub async fn release_inbox(&mut self, now: Millis) -> Result<()> {
        self.exec("UPDATE inbox SET due_at = $1 WHERE state = 'new' AND due_at > $1", &[&now]).await
    }

    /// Stores the outcome; `false`: there is one already, and the caller must undo its work. `keep_raw` keeps
    /// the sealed message for an administrator.
    pub async fn finish_inbox(
        &mut self,
        key: InboxKey,
        state: &'static str,
        reason: &'static str,
        keep_raw: bool,
        now: Millis,
    ) -> Result<bool> {
        let sql = "UPDATE inbox SET state = $2, reason = $3, done_at = $4, raw = CASE WHEN $5 THEN raw ELSE NULL END \
                   WHERE id = $1 AND state = 'new' RETURNING id";
        self.any(sql, &[&key, &state, &reason, &now, &keep_raw]).await
    }

    /// Refines the outcome of a finished mail, and sets its texts for administrators.
    pub async fn describe_inbox(
        &mut self,
        key: InboxKey,
        reason: &'static str,
        subject: Option<&str>,
        text: Option<&str>,
    ) -> Result<()> {
        let sql = "UPDATE inbox SET reason = $2, subject = $3, text = $4 WHERE id = $1";
        self.exec(sql, &[&key, &reason, &subject, &text]).await
    }

    pub async fn replace_recipients(&mut self, key: InboxKey, recipients: &str) -> Result<()> {
        let sql = "UPDATE inbox SET recipients = $2 WHERE id = $1 AND recipients <> $2";
        self.exec(sql, &[&key, &recipients]).await
    }

    /// Claims a mail before acting on it; `false`: claimed before, after `since`.
    pub async fn claim_mail(
        &mut self,
        dedupe_key: &str,
        inbox: InboxKey,
        since: Millis,
        now: Millis,
    ) -> Result<bool> {
        let sql = "INSERT INTO inbox_seen (dedupe_key, inbox_id, at) VALUES ($1, $2, $3) \
                   ON CONFLICT (dedupe_key) DO UPDATE SET inbox_id = $2, at = $3 WHERE inbox_seen.at <= $4 RETURNING at";
        self.any(sql, &[&dedupe_key, &inbox, &now, &since]).await
    }

    /// Deletes messages of mails that ended before `raw_before`, outcomes and claims older than
    /// `rows_before`, and counters of hours before `hour`; at most a batch of each, to keep other writes
    /// waiting briefly. Returns the number of outcomes deleted, and true if there may be more.
    pub async fn prune_inbox(
        &mut self,
        raw_before: Millis,
        rows_before: Millis,
        hour: i64,
    ) -> Result<(u64, bool)> {
        let raw = "UPDATE inbox SET raw = NULL WHERE id IN (SELECT id FROM inbox WHERE raw IS NOT NULL AND state <> 'new' \
                   AND done_at < $1 LIMIT 1000)";
        let mut most = self.exec_count(raw, &[&raw_before]).await?;
        // Rows are numbered as they come: only the oldest are read.
        let rows = "DELETE FROM inbox WHERE id IN (SELECT id FROM (SELECT id, state, done_at FROM inbox ORDER BY id LIMIT 1000) \
                    AS oldest WHERE state <> 'new' AND done_at < $1)";
        let seen = "DELETE FROM inbox_seen WHERE dedupe_key IN (SELECT dedupe_key FROM inbox_seen WHERE at < $1 LIMIT 1000)";
        let mut deleted = 0;
        for sql in [seen, rows] {
            deleted = self.exec_count(sql, &[&rows_before]).await?;
            most = most.max(deleted);
        }
        let budgets = "DELETE FROM answer_budget WHERE address_key IN (SELECT address_key FROM answer_budget WHERE hour < $1 LIMIT 1000)";
        most = most.max(self.exec_count(budgets, &[&hour]).await?);
        Ok((deleted, most >= 1000))
    }
}

//! Received mail, from its acknowledgement to its outcome.

use sqlx::FromRow;

use crate::connection::{StoreError, claim, on};
use crate::rows::NewInbox;
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{InboxKey, Millis};

#[derive(Clone, Debug, FromRow)]
pub struct InboxRow {
    #[sqlx(try_from = "i64")]
    pub id: InboxKey,
    #[sqlx(try_from = "i64")]
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

impl ReadTx {
    /// Outcome of the first mail with this key.
    pub async fn reason_of_first(&mut self, dedupe_key: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT inbox.reason FROM inbox_seen JOIN inbox ON inbox.id = inbox_seen.inbox_id WHERE dedupe_key = $1";
        let row: Option<Option<String>> =
            on!(self, c => sqlx::query_scalar(sql).bind(dedupe_key).fetch_optional(c).await)?;
        Ok(row.flatten())
    }

    pub async fn next_inbox_due(&mut self) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT MIN(due_at) FROM inbox WHERE state = 'new'";
        Ok(on!(self, c => sqlx::query_scalar::<_, Option<i64>>(sql).fetch_one(c).await)?)
    }

    pub async fn count_waiting_inbox(&mut self) -> Result<i64, StoreError> {
        Ok(
            on!(self, c => sqlx::query_scalar("SELECT COUNT(*) FROM inbox WHERE state = 'new'").fetch_one(c).await)?,
        )
    }

    pub async fn count_late_inbox(&mut self, before: Millis) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) FROM inbox WHERE state = 'new' AND due_at > 0 AND received_at < $1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(before.0).fetch_one(c).await)?)
    }

    /// True if a mail received up to then still waits.
    pub async fn is_mail_waiting(&mut self, until: Millis) -> Result<bool, StoreError> {
        // The due time keeps the search among the rows that wait.
        let sql = "SELECT id FROM inbox WHERE state = 'new' AND due_at > 0 AND received_at <= $1 LIMIT 1";
        let waiting: Option<i64> =
            on!(self, c => sqlx::query_scalar(sql).bind(until.0).fetch_optional(c).await)?;
        Ok(waiting.is_some())
    }
}

impl WriteTx {
    /// With a reason it is stored as done, otherwise it waits for a worker.
    pub async fn insert_inbox(&mut self, mail: &NewInbox) -> Result<InboxKey, StoreError> {
        let sql = "INSERT INTO inbox (received_at, way, peer, mail_from, recipients, size, sender, message_id, subject, \
                   text, raw, state, reason, attempts, due_at, done_at, verdicts, host) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, 0, $1, $14, $15, $16) RETURNING id";
        let done = mail.reason.is_some();
        let key: i64 = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(mail.received_at.0)
            .bind(mail.way)
            .bind(&mail.peer)
            .bind(&mail.mail_from)
            .bind(&mail.recipients)
            .bind(mail.size)
            .bind(&mail.sender)
            .bind(&mail.message_id)
            .bind(&mail.subject)
            .bind(&mail.text)
            .bind(&mail.raw)
            .bind(if done { "done" } else { "new" })
            .bind(mail.reason)
            .bind(done.then_some(mail.received_at.0))
            .bind(&mail.verdicts)
            .bind(&mail.host)
            .fetch_one(c)
            .await)?;
        Ok(InboxKey(key))
    }

    /// Leases the next mail in the order of `mail::waiting`; no other worker gets it before `lease_until`.
    pub async fn lease_inbox(
        &mut self,
        now: Millis,
        lease_until: Millis,
    ) -> Result<Option<InboxRow>, StoreError> {
        let row = claim!(
            self.writing(),
            "UPDATE inbox SET attempts = attempts + 1, due_at = $2 WHERE id = (SELECT id FROM inbox \
             WHERE state = 'new' AND +due_at <= $1 ORDER BY turn, id LIMIT 1",
            ") RETURNING id, received_at, mail_from, recipients, raw, attempts, verdicts, host",
            q => sqlx::query_as::<_, InboxRow>(q.0).bind(now.0).bind(lease_until.0).fetch_optional(q.1).await
        )?;
        Ok(row)
    }

    /// Makes every waiting mail due, leased or not.
    pub async fn release_inbox(&mut self, now: Millis) -> Result<(), StoreError> {
        let sql = "UPDATE inbox SET due_at = $1 WHERE state = 'new' AND due_at > $1";
        on!(self.writing(), c => sqlx::query(sql).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
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
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE inbox SET state = $2, reason = $3, done_at = $4, raw = CASE WHEN $5 THEN raw ELSE NULL END \
                   WHERE id = $1 AND state = 'new' RETURNING id";
        let row: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(key.0)
            .bind(state)
            .bind(reason)
            .bind(now.0)
            .bind(keep_raw)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }

    /// Refines the outcome of a finished mail, and sets its texts for administrators.
    pub async fn describe_inbox(
        &mut self,
        key: InboxKey,
        reason: &'static str,
        subject: Option<&str>,
        text: Option<&str>,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE inbox SET reason = $2, subject = $3, text = $4 WHERE id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(key.0).bind(reason).bind(subject).bind(text).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn replace_recipients(&mut self, key: InboxKey, recipients: &str) -> Result<(), StoreError> {
        let sql = "UPDATE inbox SET recipients = $2 WHERE id = $1 AND recipients <> $2";
        on!(self.writing(), c => sqlx::query(sql).bind(key.0).bind(recipients).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Claims a mail before acting on it; `false`: claimed before, after `since`.
    pub async fn claim_mail(
        &mut self,
        dedupe_key: &str,
        inbox: InboxKey,
        since: Millis,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let sql = "INSERT INTO inbox_seen (dedupe_key, inbox_id, at) VALUES ($1, $2, $3) \
                   ON CONFLICT (dedupe_key) DO UPDATE SET inbox_id = $2, at = $3 WHERE inbox_seen.at <= $4 RETURNING at";
        let row: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(dedupe_key)
            .bind(inbox.0)
            .bind(now.0)
            .bind(since.0)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }

    /// Deletes messages of mails that ended before `raw_before`, outcomes and claims older than
    /// `rows_before`, and counters of hours before `hour`; at most a batch of each, to keep other writes
    /// waiting briefly. Returns the number of outcomes deleted, and true if there may be more.
    pub async fn prune_inbox(
        &mut self,
        raw_before: Millis,
        rows_before: Millis,
        hour: i64,
    ) -> Result<(u64, bool), StoreError> {
        let raw = "UPDATE inbox SET raw = NULL WHERE id IN (SELECT id FROM inbox WHERE raw IS NOT NULL AND state <> 'new' \
                   AND done_at < $1 LIMIT 1000)";
        let mut most = on!(self.writing(), c => sqlx::query(raw).bind(raw_before.0).execute(c).await.map(|done| done.rows_affected()))?;
        // Rows are numbered as they come: only the oldest are read.
        let rows = "DELETE FROM inbox WHERE id IN (SELECT id FROM (SELECT id, state, done_at FROM inbox ORDER BY id LIMIT 1000) \
                    AS oldest WHERE state <> 'new' AND done_at < $1)";
        let seen = "DELETE FROM inbox_seen WHERE dedupe_key IN (SELECT dedupe_key FROM inbox_seen WHERE at < $1 LIMIT 1000)";
        let mut deleted = 0;
        for sql in [seen, rows] {
            deleted = on!(self.writing(), c => sqlx::query(sql).bind(rows_before.0).execute(c).await.map(|done| done.rows_affected()))?;
            most = most.max(deleted);
        }
        let budgets = "DELETE FROM answer_budget WHERE address_key IN (SELECT address_key FROM answer_budget WHERE hour < $1 LIMIT 1000)";
        most = most.max(on!(self.writing(), c => sqlx::query(budgets).bind(hour).execute(c).await.map(|done| done.rows_affected()))?);
        Ok((deleted, most >= 1000))
    }
}

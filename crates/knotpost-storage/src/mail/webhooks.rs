//! Webhooks and their events: rows of the outbox that mail workers ignore.

use crate::connection::{Result, among, claim, key_list, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, OutboxKey, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct WebhookRow {
        pub id: i64,
        pub user_id: UserKey,
        pub url: String,
        /// Comma-separated.
        pub events: String,
        /// Signing or encryption secret, sealed.
        pub secret: Vec<u8>,
        pub form: String,
        /// Owner's label, if not the URL.
        pub label: Option<String>,
        /// Digest of the session that added a browser.
        pub session: Option<String>,
        pub created_at: Millis,
        pub sent_at: Option<i64>,
        pub failures: i64,
        pub failing_since: Option<i64>,
        pub stopped_at: Option<i64>,
        pub error: Option<String>,
    }
}

#[derive(Clone, Debug)]
pub struct NewWebhook {
    pub url: String,
    /// Comma-separated.
    pub events: String,
    /// Signing or encryption secret, sealed.
    pub secret: Vec<u8>,
    pub form: &'static str,
    pub label: Option<String>,
    /// Digest of the session that adds a browser, which ends with it.
    pub session: Option<String>,
}

row! {
    #[derive(Clone, Debug)]
    pub struct HookReader {
        pub id: i64,
        pub user_id: UserKey,
        pub userid: String,
        pub url: String,
        /// Comma-separated.
        pub events: String,
        pub waiting: i64,
    }
}

#[derive(Clone, Debug)]
pub struct NewHookEvent {
    pub webhook: i64,
    pub user: UserKey,
    pub recipient: String,
    /// Message id, the same in every attempt.
    pub id: String,
    pub body: String,
    pub at: Millis,
}

row! {
    #[derive(Clone, Debug)]
    pub struct HookEventRow {
        pub id: OutboxKey,
        pub webhook_id: i64,
        pub user_id: Option<i64>,
        pub facts: Option<String>,
        pub message_id: String,
        pub date: Millis,
        /// Attempts, this one included.
        pub attempts: i64,
    }
}

macro_rules! select_webhook {
    ($rest:literal) => {
        concat!(
            "SELECT id, user_id, url, events, secret, form, label, session, created_at, sent_at, failures, failing_since, stopped_at, error \
             FROM webhooks ",
            $rest
        )
    };
}

impl ReadTx {
    /// Oldest first.
    pub async fn webhooks_of(&mut self, user: UserKey) -> Result<Vec<WebhookRow>> {
        let sql = select_webhook!("WHERE user_id = $1 ORDER BY id");
        self.fetch_all(sql, &[&user]).await
    }

    pub async fn webhook(&mut self, id: i64) -> Result<Option<WebhookRow>> {
        let sql = select_webhook!("WHERE id = $1");
        self.fetch_optional(sql, &[&id]).await
    }

    /// Active webhooks of these users, with pending events counted up to `most`.
    pub async fn hooks_of_readers(&mut self, users: &[UserKey], most: i64) -> Result<Vec<HookReader>> {
        let sql = among!(
            self,
            "SELECT w.id, w.user_id, u.userid, w.url, w.events, (SELECT COUNT(*) FROM (SELECT 1 FROM outbox o \
             WHERE o.webhook_id = w.id AND o.state = 'queued' LIMIT $2) AS queued) AS waiting \
             FROM webhooks w JOIN users u ON u.id = w.user_id AND u.state = 'active' \
             WHERE w.stopped_at IS NULL AND w.user_id",
            " ORDER BY w.id"
        );
        self.fetch_all(sql, &[&key_list(users), &most]).await
    }

    pub async fn next_hook_due(&mut self) -> Result<Option<i64>> {
        let sql = "SELECT MIN(due_at) FROM outbox WHERE state = 'queued' AND webhook_id IS NOT NULL";
        self.fetch_one(sql, &[]).await
    }

    pub async fn count_waiting_hook_events(&mut self) -> Result<i64> {
        let sql = "SELECT COUNT(*) FROM outbox WHERE state = 'queued' AND webhook_id IS NOT NULL";
        self.fetch_one(sql, &[]).await
    }
}

impl WriteTx {
    pub async fn insert_webhook(&mut self, user: UserKey, hook: &NewWebhook, now: Millis) -> Result<i64> {
        let sql = "INSERT INTO webhooks (user_id, url, events, secret, form, label, session, created_at, failures) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 0) RETURNING id";
        self.fetch_one(
            sql,
            &[&user, &hook.url, &hook.events, &hook.secret, &hook.form, &hook.label, &hook.session, &now],
        )
        .await
    }

    /// Deletes browsers with this push service URL, of any user; returns their numbers.
    pub async fn drop_browsers_at(&mut self, url: &str) -> Result<Vec<i64>> {
        self.fetch_all("DELETE FROM webhooks WHERE url = $1 AND form = 'push' RETURNING id", &[&url]).await
    }

    /// `false`: no such webhook of this user.
    pub async fn drop_webhook(&mut self, user: UserKey, id: i64) -> Result<bool> {
        self.any("DELETE FROM webhooks WHERE id = $1 AND user_id = $2 RETURNING id", &[&id, &user]).await
    }

    pub async fn set_webhook_secret(&mut self, id: i64, secret: &[u8]) -> Result<()> {
        self.exec("UPDATE webhooks SET secret = $2 WHERE id = $1", &[&id, &secret]).await
    }

    /// Records an accepted event. A webhook stopped meanwhile stays so.
    pub async fn note_hook_well(&mut self, id: i64, now: Millis) -> Result<()> {
        let sql = "UPDATE webhooks SET failures = 0, failing_since = NULL, sent_at = $2, \
                   error = CASE WHEN stopped_at IS NULL THEN NULL ELSE error END WHERE id = $1";
        self.exec(sql, &[&id, &now]).await
    }

    /// Activates a webhook and clears its failures.
    pub async fn start_webhook(&mut self, id: i64) -> Result<()> {
        let sql = "UPDATE webhooks SET failures = 0, failing_since = NULL, stopped_at = NULL, error = NULL WHERE id = $1";
        self.exec(sql, &[&id]).await
    }

    /// Records a failure; returns the number in a row, and the time of the first.
    pub async fn note_hook_failure(&mut self, id: i64, why: &str, now: Millis) -> Result<Option<(i64, i64)>> {
        let sql = "UPDATE webhooks SET failures = failures + 1, failing_since = COALESCE(failing_since, $3), error = $2 \
                   WHERE id = $1 RETURNING failures, failing_since";
        self.fetch_optional(sql, &[&id, &why, &now]).await
    }

    /// `false`: stopped already.
    pub async fn stop_webhook(&mut self, id: i64, why: &str, now: Millis) -> Result<bool> {
        let sql = "UPDATE webhooks SET stopped_at = $3, error = $2 WHERE id = $1 AND stopped_at IS NULL RETURNING id";
        self.any(sql, &[&id, &why, &now]).await
    }

    pub async fn insert_hook_event(&mut self, event: &NewHookEvent) -> Result<()> {
        let sql = "INSERT INTO outbox (kind, recipient, user_id, facts, message_id, date, state, attempts, due_at, \
                   webhook_id) VALUES ('webhook', $1, $2, $3, $4, $5, 'queued', 0, $5, $6)";
        self.exec(sql, &[&event.recipient, &event.user, &event.body, &event.id, &event.at, &event.webhook])
            .await
    }

    /// Leases the longest due event among the oldest of each webhook: a slow host occupies one worker, and
    /// gets events in order, even after failures.
    pub async fn lease_hook_event(
        &mut self,
        now: Millis,
        lease_until: Millis,
    ) -> Result<Option<HookEventRow>> {
        let sql = claim!(
            self,
            "UPDATE outbox SET attempts = attempts + 1, due_at = $2, error = NULL WHERE id = (SELECT id FROM outbox \
             WHERE state = 'queued' AND webhook_id IS NOT NULL AND due_at <= $1 AND id IN (SELECT MIN(id) FROM outbox \
             WHERE state = 'queued' AND webhook_id IS NOT NULL GROUP BY webhook_id) ORDER BY due_at, id LIMIT 1",
            ") RETURNING id, webhook_id, user_id, facts, message_id, date, attempts"
        );
        let leased: Option<HookEventRow> = self.fetch_optional(sql, &[&now, &lease_until]).await?;
        if let Some(HookEventRow { webhook_id, .. }) = leased
            && self.is_postgres()
        {
            // A concurrent lease of another event of this webhook would not see this one: it writes this row
            // too, fails, and looks again.
            self.exec("UPDATE webhooks SET failures = failures WHERE id = $1", &[&webhook_id]).await?;
        }
        Ok(leased)
    }

    /// Drops a batch of events unsent since before `before`.
    pub async fn drop_stale_hook_events(&mut self, before: Millis, why: &str, now: Millis) -> Result<()> {
        let sql = "UPDATE outbox SET state = 'dropped', error = $2, done_at = $3 WHERE id IN (SELECT id FROM outbox \
                   WHERE state = 'queued' AND webhook_id IS NOT NULL AND due_at < $1 ORDER BY due_at LIMIT 1000)";
        self.exec(sql, &[&before, &why, &now]).await
    }

    /// Postpones all events of a webhook after one failed.
    pub async fn put_hook_off(&mut self, webhook: i64, due: Millis, now: Millis) -> Result<()> {
        let sql = "UPDATE outbox SET due_at = $2 WHERE webhook_id = $1 AND state = 'queued' AND due_at < $2 \
                   AND (due_at <= $3 OR attempts = 0 OR error IS NOT NULL)";
        self.exec(sql, &[&webhook, &due, &now]).await
    }

    /// Makes the events of a webhook due after one succeeded.
    pub async fn hurry_hook(&mut self, webhook: i64, now: Millis) -> Result<()> {
        let sql = "UPDATE outbox SET due_at = $2 WHERE webhook_id = $1 AND state = 'queued' AND due_at > $2";
        self.exec(sql, &[&webhook, &now]).await
    }

    pub async fn drop_hook_events(&mut self, webhook: i64, why: &str, now: Millis) -> Result<()> {
        let sql = "UPDATE outbox SET state = 'dropped', error = $2, done_at = $3 \
                   WHERE webhook_id = $1 AND state = 'queued'";
        self.exec(sql, &[&webhook, &why, &now]).await
    }
}

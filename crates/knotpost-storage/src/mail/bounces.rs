//! Bounces, and addresses stopped because of them.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{BounceKind, Millis, OutboxKey, Trouble, UserKey};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct StoppedAddress {
        pub address_key: String,
        pub stopped_at: i64,
        /// Last reason given by a mail server.
        pub why: String,
        /// Time of the notice to its user; `None`: not yet, or no user.
        pub told_at: Option<i64>,
    }
}

impl ReadTx {
    /// Days with hard bounces, and days with any bounces, since the given times.
    pub async fn count_bounce_days(
        &mut self,
        address_key: &str,
        hard_since: Millis,
        since: Millis,
    ) -> Result<(i64, i64)> {
        let sql = "SELECT COUNT(DISTINCT CASE WHEN kind = $4 AND at > $2 THEN at / 86400000 END), \
                   COUNT(DISTINCT CASE WHEN at > $3 THEN at / 86400000 END) FROM bounces WHERE address_key = $1";
        self.fetch_one(sql, &[&address_key, &hard_since, &since, &BounceKind::Hard]).await
    }

    /// Time of the last handover to this address in the interval that has not bounced.
    pub async fn last_arrival(
        &mut self,
        address_key: &str,
        (since, before): (Millis, Millis),
    ) -> Result<Option<Millis>> {
        let sql = "SELECT MAX(done_at) FROM outbox WHERE state = 'sent' AND done_at > $2 AND done_at <= $3 \
                   AND LOWER(recipient) = $1 \
                   AND NOT EXISTS (SELECT 1 FROM bounces b WHERE b.outbox_id = outbox.id)";
        self.fetch_one(sql, &[&address_key, &since, &before]).await
    }

    /// `None`: no bounces; `Some(None)`: bounces, but not stopped.
    pub async fn address_trouble(&mut self, address_key: &str) -> Result<Option<Option<i64>>> {
        let sql = "SELECT stopped_at FROM failing_addresses WHERE address_key = $1";
        self.fetch_optional(sql, &[&address_key]).await
    }

    pub async fn stopped_addresses_of(&mut self, user: UserKey) -> Result<Vec<StoppedAddress>> {
        let sql = "SELECT f.address_key, f.stopped_at, COALESCE(f.why, '') AS why, a.stop_told_at AS told_at \
                   FROM addresses a JOIN failing_addresses f ON f.address_key = a.address_key \
                   WHERE a.user_id = $1 AND f.stopped_at IS NOT NULL ORDER BY a.id";
        self.fetch_all(sql, &[&user]).await
    }

    pub async fn stopped_addresses(&mut self, after: &str, limit: i64) -> Result<Vec<StoppedAddress>> {
        let sql = "SELECT address_key, stopped_at, COALESCE(why, '') AS why, CAST(NULL AS BIGINT) AS told_at \
                   FROM failing_addresses WHERE address_key > $1 AND stopped_at IS NOT NULL \
                   ORDER BY address_key LIMIT $2";
        self.fetch_all(sql, &[&after, &limit]).await
    }

    pub async fn count_stopped_addresses(&mut self) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM failing_addresses WHERE stopped_at IS NOT NULL", &[]).await
    }

    /// `None`: its row is gone.
    pub async fn outbox_recipient(&mut self, mail: OutboxKey) -> Result<Option<String>> {
        self.fetch_optional("SELECT recipient FROM outbox WHERE id = $1", &[&mail]).await
    }

    pub async fn administrators(&mut self, limit: i64) -> Result<Vec<UserKey>> {
        let sql = "SELECT id FROM users WHERE role = 'admin' AND state = 'active' ORDER BY id LIMIT $1";
        self.fetch_all(sql, &[&limit]).await
    }
}

impl WriteTx {
    /// Counts a bounce, once per mail and kind; true if new.
    pub async fn insert_bounce(
        &mut self,
        mail: OutboxKey,
        address_key: &str,
        trouble: &Trouble,
        now: Millis,
    ) -> Result<bool> {
        // Locks the row of the address first: two reports about it are counted one after the other.
        let lock = "INSERT INTO failing_addresses (address_key, last_at) VALUES ($1, $2) \
                    ON CONFLICT (address_key) DO UPDATE SET last_at = $2";
        self.exec(lock, &[&address_key, &now]).await?;
        let sql = "INSERT INTO bounces (outbox_id, kind, address_key, status, said, at) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (outbox_id, kind) DO NOTHING RETURNING outbox_id";
        self.any(sql, &[&mail, &trouble.kind, &address_key, &trouble.status, &trouble.said, &now]).await
    }

    /// True if it was not stopped before.
    pub async fn stop_address(&mut self, address_key: &str, why: &str, now: Millis) -> Result<bool> {
        let sql = "UPDATE failing_addresses SET stopped_at = $2, why = $3 \
                   WHERE address_key = $1 AND stopped_at IS NULL RETURNING last_at";
        self.any(sql, &[&address_key, &now, &why]).await
    }

    /// Deletes the bounces of an address; true if it was stopped.
    pub async fn start_address(&mut self, address_key: &str) -> Result<bool> {
        let sql = "DELETE FROM failing_addresses WHERE address_key = $1 RETURNING stopped_at";
        let row: Option<Option<i64>> = self.fetch_optional(sql, &[&address_key]).await?;
        for sql in [
            "DELETE FROM bounces WHERE address_key = $1",
            "UPDATE addresses SET stop_told_at = NULL WHERE address_key = $1 AND stop_told_at IS NOT NULL",
        ] {
            self.exec(sql, &[&address_key]).await?;
        }
        Ok(row.flatten().is_some())
    }

    pub async fn note_stop_told(&mut self, user: UserKey, address_key: &str, now: Millis) -> Result<()> {
        let sql = "UPDATE addresses SET stop_told_at = $3 WHERE user_id = $1 AND address_key = $2";
        self.exec(sql, &[&user, &address_key, &now]).await
    }

    /// Deletes a batch of bounces from before `before`, and addresses of no user; true if there may be more.
    /// A user's stopped address stays stopped.
    pub async fn prune_bounces(&mut self, before: Millis) -> Result<bool> {
        let mut most = 0;
        for sql in [
            "DELETE FROM bounces WHERE (outbox_id, kind) IN (SELECT outbox_id, kind FROM bounces WHERE at < $1 LIMIT 1000)",
            "DELETE FROM failing_addresses WHERE address_key IN (SELECT address_key FROM failing_addresses f \
             WHERE last_at < $1 AND (stopped_at IS NULL OR NOT EXISTS (SELECT 1 FROM addresses a \
             WHERE a.address_key = f.address_key)) LIMIT 1000)",
        ] {
            let done = self.exec_count(sql, &[&before]).await?;
            most = most.max(done);
        }
        Ok(most >= 1000)
    }
}

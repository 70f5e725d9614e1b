//! Bounces, and addresses stopped because of them.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{BounceKind, Millis, OutboxKey, Trouble, UserKey};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct StoppedAddress {
    pub address_key: String,
    pub stopped_at: i64,
    /// Last reason given by a mail server.
    pub why: String,
    /// Time of the notice to its user; `None`: not yet, or no user.
    pub told_at: Option<i64>,
}

impl ReadTx {
    /// Days with hard bounces, and days with any bounces, since the given times.
    pub async fn count_bounce_days(
        &mut self,
        address_key: &str,
        hard_since: Millis,
        since: Millis,
    ) -> Result<(i64, i64), StoreError> {
        let sql = "SELECT COUNT(DISTINCT CASE WHEN kind = $4 AND at > $2 THEN at / 86400000 END), \
                   COUNT(DISTINCT CASE WHEN at > $3 THEN at / 86400000 END) FROM bounces WHERE address_key = $1";
        Ok(on!(self, c => sqlx::query_as(sql)
            .bind(address_key)
            .bind(hard_since.0)
            .bind(since.0)
            .bind(BounceKind::Hard.as_str())
            .fetch_one(c)
            .await)?)
    }

    /// Time of the last handover to this address in the interval that has not bounced.
    pub async fn last_arrival(
        &mut self,
        address_key: &str,
        (since, before): (Millis, Millis),
    ) -> Result<Option<Millis>, StoreError> {
        let sql = "SELECT MAX(done_at) FROM outbox WHERE state = 'sent' AND done_at > $2 AND done_at <= $3 \
                   AND LOWER(recipient) = $1 \
                   AND NOT EXISTS (SELECT 1 FROM bounces b WHERE b.outbox_id = outbox.id)";
        let at: Option<i64> = on!(self, c => sqlx::query_scalar(sql)
            .bind(address_key)
            .bind(since.0)
            .bind(before.0)
            .fetch_one(c)
            .await)?;
        Ok(at.map(Millis))
    }

    /// `None`: no bounces; `Some(None)`: bounces, but not stopped.
    pub async fn address_trouble(&mut self, address_key: &str) -> Result<Option<Option<i64>>, StoreError> {
        let sql = "SELECT stopped_at FROM failing_addresses WHERE address_key = $1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(address_key).fetch_optional(c).await)?)
    }

    pub async fn stopped_addresses_of(&mut self, user: UserKey) -> Result<Vec<StoppedAddress>, StoreError> {
        let sql = "SELECT f.address_key, f.stopped_at, COALESCE(f.why, '') AS why, a.stop_told_at AS told_at \
                   FROM addresses a JOIN failing_addresses f ON f.address_key = a.address_key \
                   WHERE a.user_id = $1 AND f.stopped_at IS NOT NULL ORDER BY a.id";
        Ok(on!(self, c => sqlx::query_as::<_, StoppedAddress>(sql).bind(user.0).fetch_all(c).await)?)
    }

    pub async fn stopped_addresses(
        &mut self,
        after: &str,
        limit: i64,
    ) -> Result<Vec<StoppedAddress>, StoreError> {
        let sql = "SELECT address_key, stopped_at, COALESCE(why, '') AS why, CAST(NULL AS BIGINT) AS told_at \
                   FROM failing_addresses WHERE address_key > $1 AND stopped_at IS NOT NULL \
                   ORDER BY address_key LIMIT $2";
        Ok(
            on!(self, c => sqlx::query_as::<_, StoppedAddress>(sql).bind(after).bind(limit).fetch_all(c).await)?,
        )
    }

    pub async fn count_stopped_addresses(&mut self) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) FROM failing_addresses WHERE stopped_at IS NOT NULL";
        Ok(on!(self, c => sqlx::query_scalar(sql).fetch_one(c).await)?)
    }

    /// `None`: its row is gone.
    pub async fn outbox_recipient(&mut self, mail: OutboxKey) -> Result<Option<String>, StoreError> {
        let sql = "SELECT recipient FROM outbox WHERE id = $1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(mail.0).fetch_optional(c).await)?)
    }

    pub async fn administrators(&mut self, limit: i64) -> Result<Vec<UserKey>, StoreError> {
        let sql = "SELECT id FROM users WHERE role = 'admin' AND state = 'active' ORDER BY id LIMIT $1";
        let keys: Vec<i64> = on!(self, c => sqlx::query_scalar(sql).bind(limit).fetch_all(c).await)?;
        Ok(keys.into_iter().map(UserKey).collect())
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
    ) -> Result<bool, StoreError> {
        // Locks the row of the address first: two reports about it are counted one after the other.
        let lock = "INSERT INTO failing_addresses (address_key, last_at) VALUES ($1, $2) \
                    ON CONFLICT (address_key) DO UPDATE SET last_at = $2";
        on!(self.writing(), c => sqlx::query(lock).bind(address_key).bind(now.0).execute(c).await.map(drop))?;
        let sql = "INSERT INTO bounces (outbox_id, kind, address_key, status, said, at) VALUES ($1, $2, $3, $4, $5, $6) \
                   ON CONFLICT (outbox_id, kind) DO NOTHING RETURNING outbox_id";
        let row: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(mail.0)
            .bind(trouble.kind.as_str())
            .bind(address_key)
            .bind(&trouble.status)
            .bind(&trouble.said)
            .bind(now.0)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }

    /// True if it was not stopped before.
    pub async fn stop_address(
        &mut self,
        address_key: &str,
        why: &str,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE failing_addresses SET stopped_at = $2, why = $3 \
                   WHERE address_key = $1 AND stopped_at IS NULL RETURNING last_at";
        let row: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(address_key)
            .bind(now.0)
            .bind(why)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }

    /// Deletes the bounces of an address; true if it was stopped.
    pub async fn start_address(&mut self, address_key: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM failing_addresses WHERE address_key = $1 RETURNING stopped_at";
        let row: Option<Option<i64>> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(address_key).fetch_optional(c).await)?;
        for sql in [
            "DELETE FROM bounces WHERE address_key = $1",
            "UPDATE addresses SET stop_told_at = NULL WHERE address_key = $1 AND stop_told_at IS NOT NULL",
        ] {
            on!(self.writing(), c => sqlx::query(sql).bind(address_key).execute(c).await.map(drop))?;
        }
        Ok(row.flatten().is_some())
    }

    pub async fn note_stop_told(
        &mut self,
        user: UserKey,
        address_key: &str,
        now: Millis,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE addresses SET stop_told_at = $3 WHERE user_id = $1 AND address_key = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(address_key).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Deletes a batch of bounces from before `before`, and addresses of no user; true if there may be more.
    /// A user's stopped address stays stopped.
    pub async fn prune_bounces(&mut self, before: Millis) -> Result<bool, StoreError> {
        let mut most = 0;
        for sql in [
            "DELETE FROM bounces WHERE (outbox_id, kind) IN (SELECT outbox_id, kind FROM bounces WHERE at < $1 LIMIT 1000)",
            "DELETE FROM failing_addresses WHERE address_key IN (SELECT address_key FROM failing_addresses f \
             WHERE last_at < $1 AND (stopped_at IS NULL OR NOT EXISTS (SELECT 1 FROM addresses a \
             WHERE a.address_key = f.address_key)) LIMIT 1000)",
        ] {
            let done = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
            most = most.max(done);
        }
        Ok(most >= 1000)
    }
}

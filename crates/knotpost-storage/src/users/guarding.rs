//! Protection of users from strangers: known login hosts, warnings, and counts of challenges.

use crate::connection::Result;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

/// Hosts stored per user, newest first.
const MOST_HOSTS: i64 = 20;
const DAY_MS: i64 = 86_400_000;

impl ReadTx {
    /// Last login from this host, to the day.
    pub async fn login_host_seen(&mut self, user: UserKey, host: &str) -> Result<Option<Millis>> {
        let sql = "SELECT seen_at FROM login_hosts WHERE user_id = $1 AND host = $2";
        self.fetch_optional(sql, &[&user, &host]).await
    }

    pub async fn password_warning_at(&mut self, user: UserKey) -> Result<Option<Millis>> {
        self.fetch_optional("SELECT at FROM password_warnings WHERE user_id = $1", &[&user]).await
    }
}

impl WriteTx {
    pub async fn note_login_host(&mut self, user: UserKey, host: &str, now: Millis) -> Result<()> {
        let sql = "INSERT INTO login_hosts (user_id, host, seen_at) VALUES ($1, $2, $3) \
                   ON CONFLICT (user_id, host) DO UPDATE SET seen_at = $3";
        self.exec(sql, &[&user, &host, &now]).await?;
        let sql = "DELETE FROM login_hosts WHERE user_id = $1 AND host NOT IN \
                   (SELECT n.host FROM login_hosts n WHERE n.user_id = $1 ORDER BY n.seen_at DESC, n.host LIMIT $2)";
        self.exec(sql, &[&user, &MOST_HOSTS]).await
    }

    /// Deletes a batch last used before then; true if there may be more.
    pub async fn prune_login_hosts(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM login_hosts WHERE (user_id, host) IN \
                   (SELECT user_id, host FROM login_hosts WHERE seen_at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }

    /// Records a warning unless there was one after `since`; true if it is to be sent.
    pub async fn claim_password_warning(
        &mut self,
        user: UserKey,
        since: Millis,
        now: Millis,
    ) -> Result<bool> {
        let sql = "INSERT INTO password_warnings (user_id, at) VALUES ($1, $3) \
                   ON CONFLICT (user_id) DO UPDATE SET at = $3 WHERE password_warnings.at <= $2 RETURNING at";
        self.any(sql, &[&user, &since, &now]).await
    }

    /// Counts a challenge by an unauthenticated sender; returns the number of the day.
    pub async fn count_stranger_challenge(&mut self, user: UserKey, now: Millis) -> Result<i64> {
        let sql = "INSERT INTO stranger_challenges (user_id, day, challenges) VALUES ($1, $2, 1) \
                   ON CONFLICT (user_id) DO UPDATE SET day = $2, challenges = \
                   CASE WHEN stranger_challenges.day = $2 THEN stranger_challenges.challenges + 1 ELSE 1 END \
                   RETURNING challenges";
        let day = now.0.div_euclid(DAY_MS);
        self.fetch_one(sql, &[&user, &day]).await
    }
}

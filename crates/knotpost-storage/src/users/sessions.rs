//! Web sessions, and login links.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct SessionRow {
        /// Digest of the token in the cookie.
        pub digest: String,
        pub user_id: UserKey,
        pub password_mark: String,
        pub user_agent: String,
        pub created_at: Millis,
        /// Rounded to the hour.
        pub seen_at: Millis,
        pub expires_at: Millis,
        pub password_at: Option<i64>,
        pub stopped_address: Option<String>,
        pub stopped_at: Option<i64>,
        pub unconfirmed_address: Option<String>,
    }
}

/// Columns of a session, with its user's latest stopped address, and an address of a user who has confirmed none.
macro_rules! select_session {
    ($rest:literal) => {
        concat!(
            "SELECT s.digest, s.user_id, s.password_mark, s.user_agent, s.created_at, s.seen_at, s.expires_at, \
             s.password_at, f.address_key AS stopped_address, f.stopped_at, \
             (SELECT MIN(u.address) FROM addresses u WHERE u.user_id = s.user_id HAVING COUNT(u.verified_at) = 0) \
             AS unconfirmed_address FROM web_sessions s \
             LEFT JOIN failing_addresses f ON f.address_key = (SELECT l.address_key FROM addresses a \
             JOIN failing_addresses l ON l.address_key = a.address_key \
             WHERE a.user_id = s.user_id AND l.stopped_at IS NOT NULL \
             ORDER BY l.stopped_at DESC, l.address_key LIMIT 1) ",
            $rest
        )
    };
}

impl ReadTx {
    pub async fn session(&mut self, digest: &str) -> Result<Option<SessionRow>> {
        let sql = select_session!("WHERE s.digest = $1");
        self.fetch_optional(sql, &[&digest]).await
    }

    /// Last used first.
    pub async fn sessions_of(&mut self, user: UserKey) -> Result<Vec<SessionRow>> {
        let sql =
            select_session!("WHERE s.user_id = $1 ORDER BY s.seen_at DESC, s.created_at DESC, s.digest");
        self.fetch_all(sql, &[&user]).await
    }

    /// Expired ones not yet deleted included.
    pub async fn count_sessions_of(&mut self, user: UserKey) -> Result<i64> {
        self.fetch_one("SELECT COUNT(*) FROM web_sessions WHERE user_id = $1", &[&user]).await
    }

    pub async fn magic_link_at(&mut self, user: UserKey) -> Result<Option<i64>> {
        self.fetch_optional("SELECT at FROM magic_links WHERE user_id = $1", &[&user]).await
    }
}

impl WriteTx {
    pub async fn insert_session(&mut self, session: &SessionRow) -> Result<()> {
        let sql = "INSERT INTO web_sessions \
                   (digest, user_id, password_mark, user_agent, created_at, seen_at, expires_at, password_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        self.exec(
            sql,
            &[
                &session.digest,
                &session.user_id,
                &session.password_mark,
                &session.user_agent,
                &session.created_at,
                &session.seen_at,
                &session.expires_at,
                &session.password_at,
            ],
        )
        .await
    }

    pub async fn touch_session(&mut self, digest: &str, now: Millis) -> Result<()> {
        let sql = "UPDATE web_sessions SET seen_at = $2 WHERE digest = $1 AND seen_at < $2";
        self.exec(sql, &[&digest, &now]).await
    }

    /// Ends a session, and the pushes of its browser.
    pub async fn drop_session(&mut self, digest: &str) -> Result<()> {
        let sessions = "DELETE FROM web_sessions WHERE digest = $1";
        let browsers = "DELETE FROM webhooks WHERE session = $1";
        for sql in [sessions, browsers] {
            self.exec(sql, &[&digest]).await?;
        }
        Ok(())
    }

    pub async fn set_session_password(&mut self, digest: &str, now: Millis) -> Result<()> {
        self.exec("UPDATE web_sessions SET password_at = $2 WHERE digest = $1", &[&digest, &now]).await
    }

    /// Ends all sessions of a user, and the pushes of their browsers.
    pub async fn drop_sessions_of(&mut self, user: UserKey) -> Result<()> {
        let sessions = "DELETE FROM web_sessions WHERE user_id = $1";
        let browsers = "DELETE FROM webhooks WHERE user_id = $1 AND form = 'push'";
        for sql in [sessions, browsers] {
            self.exec(sql, &[&user]).await?;
        }
        Ok(())
    }

    /// Deletes a batch last used before `before`, and browsers without a session; true if there may be more.
    pub async fn prune_sessions(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM web_sessions WHERE digest IN \
                   (SELECT digest FROM web_sessions WHERE seen_at < $1 LIMIT 1000)";
        let deleted = self.exec_count(sql, &[&before]).await?;
        let sql = "DELETE FROM webhooks WHERE form = 'push' \
                   AND NOT EXISTS (SELECT 1 FROM web_sessions s WHERE s.digest = webhooks.session)";
        self.exec(sql, &[]).await?;
        Ok(deleted >= 1000)
    }

    pub async fn set_magic_link(&mut self, user: UserKey, now: Millis) -> Result<()> {
        let sql = "INSERT INTO magic_links (user_id, at) VALUES ($1, $2) \
                   ON CONFLICT (user_id) DO UPDATE SET at = $2";
        self.exec(sql, &[&user, &now]).await
    }

    /// Consumes the link of that time; true if it existed.
    pub async fn take_magic_link(&mut self, user: UserKey, at: Millis) -> Result<bool> {
        self.any("DELETE FROM magic_links WHERE user_id = $1 AND at = $2 RETURNING at", &[&user, &at]).await
    }

    pub async fn drop_magic_link(&mut self, user: UserKey) -> Result<()> {
        self.exec("DELETE FROM magic_links WHERE user_id = $1", &[&user]).await
    }

    /// Deletes a batch from before `before`; true if there may be more.
    pub async fn prune_magic_links(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM magic_links WHERE user_id IN \
                   (SELECT user_id FROM magic_links WHERE at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }
}

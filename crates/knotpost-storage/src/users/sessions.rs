//! Web sessions, and login links.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug, FromRow)]
pub struct SessionRow {
    /// Digest of the token in the cookie.
    pub digest: String,
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    pub password_mark: String,
    pub user_agent: String,
    #[sqlx(try_from = "i64")]
    pub created_at: Millis,
    /// Rounded to the hour.
    #[sqlx(try_from = "i64")]
    pub seen_at: Millis,
    #[sqlx(try_from = "i64")]
    pub expires_at: Millis,
    pub password_at: Option<i64>,
    pub stopped_address: Option<String>,
    pub stopped_at: Option<i64>,
}

/// Columns of a session, with its user's latest stopped address.
macro_rules! select_session {
    ($rest:literal) => {
        concat!(
            "SELECT s.digest, s.user_id, s.password_mark, s.user_agent, s.created_at, s.seen_at, s.expires_at, \
             s.password_at, f.address_key AS stopped_address, f.stopped_at FROM web_sessions s \
             LEFT JOIN failing_addresses f ON f.address_key = (SELECT l.address_key FROM addresses a \
             JOIN failing_addresses l ON l.address_key = a.address_key \
             WHERE a.user_id = s.user_id AND l.stopped_at IS NOT NULL \
             ORDER BY l.stopped_at DESC, l.address_key LIMIT 1) ",
            $rest
        )
    };
}

impl ReadTx {
    pub async fn session(&mut self, digest: &str) -> Result<Option<SessionRow>, StoreError> {
        let sql = select_session!("WHERE s.digest = $1");
        Ok(on!(self, c => sqlx::query_as::<_, SessionRow>(sql).bind(digest).fetch_optional(c).await)?)
    }

    /// Last used first.
    pub async fn sessions_of(&mut self, user: UserKey) -> Result<Vec<SessionRow>, StoreError> {
        let sql =
            select_session!("WHERE s.user_id = $1 ORDER BY s.seen_at DESC, s.created_at DESC, s.digest");
        Ok(on!(self, c => sqlx::query_as::<_, SessionRow>(sql).bind(user.0).fetch_all(c).await)?)
    }

    /// Expired ones not yet deleted included.
    pub async fn count_sessions_of(&mut self, user: UserKey) -> Result<i64, StoreError> {
        let sql = "SELECT COUNT(*) FROM web_sessions WHERE user_id = $1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(user.0).fetch_one(c).await)?)
    }

    pub async fn magic_link_at(&mut self, user: UserKey) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT at FROM magic_links WHERE user_id = $1";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(user.0).fetch_optional(c).await)?)
    }
}

impl WriteTx {
    pub async fn insert_session(&mut self, session: &SessionRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO web_sessions \
                   (digest, user_id, password_mark, user_agent, created_at, seen_at, expires_at, password_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(&session.digest)
            .bind(session.user_id.0)
            .bind(&session.password_mark)
            .bind(&session.user_agent)
            .bind(session.created_at.0)
            .bind(session.seen_at.0)
            .bind(session.expires_at.0)
            .bind(session.password_at)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    pub async fn touch_session(&mut self, digest: &str, now: Millis) -> Result<(), StoreError> {
        let sql = "UPDATE web_sessions SET seen_at = $2 WHERE digest = $1 AND seen_at < $2";
        on!(self.writing(), c => sqlx::query(sql).bind(digest).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Ends a session, and the pushes of its browser.
    pub async fn drop_session(&mut self, digest: &str) -> Result<(), StoreError> {
        let sessions = "DELETE FROM web_sessions WHERE digest = $1";
        let browsers = "DELETE FROM webhooks WHERE session = $1";
        for sql in [sessions, browsers] {
            on!(self.writing(), c => sqlx::query(sql).bind(digest).execute(c).await.map(drop))?;
        }
        Ok(())
    }

    pub async fn set_session_password(&mut self, digest: &str, now: Millis) -> Result<(), StoreError> {
        let sql = "UPDATE web_sessions SET password_at = $2 WHERE digest = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(digest).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Ends all sessions of a user, and the pushes of their browsers.
    pub async fn drop_sessions_of(&mut self, user: UserKey) -> Result<(), StoreError> {
        let sessions = "DELETE FROM web_sessions WHERE user_id = $1";
        let browsers = "DELETE FROM webhooks WHERE user_id = $1 AND form = 'push'";
        for sql in [sessions, browsers] {
            on!(self.writing(), c => sqlx::query(sql).bind(user.0).execute(c).await.map(drop))?;
        }
        Ok(())
    }

    /// Deletes a batch last used before `before`, and browsers without a session; true if there may be more.
    pub async fn prune_sessions(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM web_sessions WHERE digest IN \
                   (SELECT digest FROM web_sessions WHERE seen_at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        let sql = "DELETE FROM webhooks WHERE form = 'push' \
                   AND NOT EXISTS (SELECT 1 FROM web_sessions s WHERE s.digest = webhooks.session)";
        on!(self.writing(), c => sqlx::query(sql).execute(c).await.map(drop))?;
        Ok(deleted >= 1000)
    }

    pub async fn set_magic_link(&mut self, user: UserKey, now: Millis) -> Result<(), StoreError> {
        let sql = "INSERT INTO magic_links (user_id, at) VALUES ($1, $2) \
                   ON CONFLICT (user_id) DO UPDATE SET at = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Consumes the link of that time; true if it existed.
    pub async fn take_magic_link(&mut self, user: UserKey, at: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM magic_links WHERE user_id = $1 AND at = $2 RETURNING at";
        let taken: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql).bind(user.0).bind(at.0).fetch_optional(c).await)?;
        Ok(taken.is_some())
    }

    pub async fn drop_magic_link(&mut self, user: UserKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM magic_links WHERE user_id = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Deletes a batch from before `before`; true if there may be more.
    pub async fn prune_magic_links(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM magic_links WHERE user_id IN \
                   (SELECT user_id FROM magic_links WHERE at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

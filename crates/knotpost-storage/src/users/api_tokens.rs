//! API keys: digests of tokens, scopes and expiry.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::rows::UserRow;
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug, FromRow)]
pub struct TokenRow {
    pub id: i64,
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    pub name: String,
    /// Comma-separated.
    pub scopes: String,
    /// Digest of the password hash valid at its creation.
    pub password_mark: String,
    #[sqlx(try_from = "i64")]
    pub created_at: Millis,
    /// Rounded to the hour.
    pub used_at: Option<i64>,
    #[sqlx(try_from = "i64")]
    pub expires_at: Millis,
}

#[derive(Clone, Debug)]
pub struct NewToken {
    pub digest: String,
    pub user: UserKey,
    pub name: String,
    pub scopes: String,
    pub password_mark: String,
    pub expires_at: Millis,
}

macro_rules! select_token {
    ($rest:literal) => {
        concat!(
            "SELECT id, user_id, name, scopes, password_mark, created_at, used_at, expires_at FROM api_tokens ",
            $rest
        )
    };
}

impl ReadTx {
    pub async fn token(&mut self, digest: &str) -> Result<Option<TokenRow>, StoreError> {
        let sql = select_token!("WHERE digest = $1");
        Ok(on!(self, c => sqlx::query_as::<_, TokenRow>(sql).bind(digest).fetch_optional(c).await)?)
    }

    pub async fn token_and_owner(&mut self, digest: &str) -> Result<Option<(TokenRow, UserRow)>, StoreError> {
        #[derive(FromRow)]
        struct Line {
            #[sqlx(flatten)]
            owner: UserRow,
            token_id: i64,
            name: String,
            scopes: String,
            password_mark: String,
            token_created_at: i64,
            used_at: Option<i64>,
            expires_at: i64,
        }
        let sql = "SELECT u.id, u.userid, u.password_hash, u.role, u.state, u.created_at, u.password_changed_at, \
                   t.id AS token_id, t.name, t.scopes, t.password_mark, t.created_at AS token_created_at, t.used_at, \
                   t.expires_at FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.digest = $1";
        let line: Option<Line> = on!(self, c => sqlx::query_as(sql).bind(digest).fetch_optional(c).await)?;
        Ok(line.map(|line| {
            let token = TokenRow {
                id: line.token_id,
                user_id: line.owner.id,
                name: line.name,
                scopes: line.scopes,
                password_mark: line.password_mark,
                created_at: Millis(line.token_created_at),
                used_at: line.used_at,
                expires_at: Millis(line.expires_at),
            };
            (token, line.owner)
        }))
    }

    pub async fn user_with_token(&mut self, user: UserKey, id: i64) -> Result<Option<UserRow>, StoreError> {
        let sql = "SELECT u.id, u.userid, u.password_hash, u.role, u.state, u.created_at, u.password_changed_at \
                   FROM users u JOIN api_tokens t ON t.user_id = u.id WHERE u.id = $1 AND t.id = $2";
        Ok(on!(self, c => sqlx::query_as::<_, UserRow>(sql).bind(user.0).bind(id).fetch_optional(c).await)?)
    }

    /// Newest first.
    pub async fn tokens_of(&mut self, user: UserKey) -> Result<Vec<TokenRow>, StoreError> {
        let sql = select_token!("WHERE user_id = $1 ORDER BY id DESC");
        Ok(on!(self, c => sqlx::query_as::<_, TokenRow>(sql).bind(user.0).fetch_all(c).await)?)
    }
}

impl WriteTx {
    pub async fn insert_token(&mut self, token: &NewToken, now: Millis) -> Result<i64, StoreError> {
        let sql = "INSERT INTO api_tokens (digest, user_id, name, scopes, password_mark, created_at, expires_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
        Ok(on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(&token.digest)
            .bind(token.user.0)
            .bind(&token.name)
            .bind(&token.scopes)
            .bind(&token.password_mark)
            .bind(now.0)
            .bind(token.expires_at.0)
            .fetch_one(c)
            .await)?)
    }

    pub async fn touch_token(&mut self, id: i64, now: Millis) -> Result<(), StoreError> {
        let sql = "UPDATE api_tokens SET used_at = $2 WHERE id = $1 AND (used_at IS NULL OR used_at < $2)";
        on!(self.writing(), c => sqlx::query(sql).bind(id).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// `false`: no such key of this user.
    pub async fn drop_token(&mut self, user: UserKey, id: i64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM api_tokens WHERE id = $1 AND user_id = $2 RETURNING id";
        let row: Option<i64> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(id).bind(user.0).fetch_optional(c).await)?;
        Ok(row.is_some())
    }

    /// Deletes keys made since then.
    pub async fn drop_tokens_since(&mut self, user: UserKey, since: Millis) -> Result<(), StoreError> {
        let sql = "DELETE FROM api_tokens WHERE user_id = $1 AND created_at >= $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(since.0).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn drop_tokens_of(&mut self, user: UserKey) -> Result<u64, StoreError> {
        let sql = "DELETE FROM api_tokens WHERE user_id = $1";
        Ok(
            on!(self.writing(), c => sqlx::query(sql).bind(user.0).execute(c).await.map(|done| done.rows_affected()))?,
        )
    }

    /// Deletes a batch that expired before `before`; true if there may be more.
    pub async fn prune_tokens(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql =
            "DELETE FROM api_tokens WHERE id IN (SELECT id FROM api_tokens WHERE expires_at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

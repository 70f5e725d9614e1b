//! Keys of the API: digests of tokens, what each allows, and for how long.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::rows::UserRow;
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

/// A key of the API.
#[derive(Clone, Debug, FromRow)]
pub struct TokenRow {
    /// Its number.
    pub id: i64,
    /// Its owner.
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    /// What its owner calls it.
    pub name: String,
    /// What it allows, comma-separated.
    pub scopes: String,
    /// Digest of the password hash that was valid when it was made.
    pub password_mark: String,
    /// When it was made.
    #[sqlx(try_from = "i64")]
    pub created_at: Millis,
    /// When it was last used, to the hour.
    pub used_at: Option<i64>,
    /// When it ends.
    #[sqlx(try_from = "i64")]
    pub expires_at: Millis,
}

/// A key to be stored.
#[derive(Clone, Debug)]
pub struct NewToken {
    /// Digest of the token.
    pub digest: String,
    /// See [`TokenRow::user_id`].
    pub user: UserKey,
    /// See [`TokenRow::name`].
    pub name: String,
    /// See [`TokenRow::scopes`].
    pub scopes: String,
    /// See [`TokenRow::password_mark`].
    pub password_mark: String,
    /// See [`TokenRow::expires_at`].
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
    /// The key with this digest.
    pub async fn token(&mut self, digest: &str) -> Result<Option<TokenRow>, StoreError> {
        let sql = select_token!("WHERE digest = $1");
        Ok(on!(self, c => sqlx::query_as::<_, TokenRow>(sql).bind(digest).fetch_optional(c).await)?)
    }

    /// The key with this digest, and its owner.
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

    /// A user by key, if this token is theirs.
    pub async fn user_with_token(&mut self, user: UserKey, id: i64) -> Result<Option<UserRow>, StoreError> {
        let sql = "SELECT u.id, u.userid, u.password_hash, u.role, u.state, u.created_at, u.password_changed_at \
                   FROM users u JOIN api_tokens t ON t.user_id = u.id WHERE u.id = $1 AND t.id = $2";
        Ok(on!(self, c => sqlx::query_as::<_, UserRow>(sql).bind(user.0).bind(id).fetch_optional(c).await)?)
    }

    /// A user's keys, the newest first.
    pub async fn tokens_of(&mut self, user: UserKey) -> Result<Vec<TokenRow>, StoreError> {
        let sql = select_token!("WHERE user_id = $1 ORDER BY id DESC");
        Ok(on!(self, c => sqlx::query_as::<_, TokenRow>(sql).bind(user.0).fetch_all(c).await)?)
    }
}

impl WriteTx {
    /// Stores a key; returns its number.
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

    /// Stores that a key was used.
    pub async fn touch_token(&mut self, id: i64, now: Millis) -> Result<(), StoreError> {
        let sql = "UPDATE api_tokens SET used_at = $2 WHERE id = $1 AND (used_at IS NULL OR used_at < $2)";
        on!(self.writing(), c => sqlx::query(sql).bind(id).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Deletes an API key of a user; `false`: they have no such key.
    pub async fn drop_token(&mut self, user: UserKey, id: i64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM api_tokens WHERE id = $1 AND user_id = $2 RETURNING id";
        let row: Option<i64> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(id).bind(user.0).fetch_optional(c).await)?;
        Ok(row.is_some())
    }

    /// Ends the keys of a user that were made since that moment.
    pub async fn drop_tokens_since(&mut self, user: UserKey, since: Millis) -> Result<(), StoreError> {
        let sql = "DELETE FROM api_tokens WHERE user_id = $1 AND created_at >= $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(since.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Ends all keys of a user; returns how many.
    pub async fn drop_tokens_of(&mut self, user: UserKey) -> Result<u64, StoreError> {
        let sql = "DELETE FROM api_tokens WHERE user_id = $1";
        Ok(
            on!(self.writing(), c => sqlx::query(sql).bind(user.0).execute(c).await.map(|done| done.rows_affected()))?,
        )
    }

    /// Deletes a batch of keys that ended before `before`; returns whether there may be more.
    pub async fn prune_tokens(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql =
            "DELETE FROM api_tokens WHERE id IN (SELECT id FROM api_tokens WHERE expires_at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

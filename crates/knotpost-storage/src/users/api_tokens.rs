//! API keys: digests of tokens, scopes and expiry.

use crate::connection::{At, FromRow, Result, Row, row};
use crate::rows::UserRow;
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct TokenRow {
        pub id: i64,
        pub user_id: UserKey,
        pub name: String,
        /// Comma-separated.
        pub scopes: String,
        /// Digest of the password hash valid at its creation.
        pub password_mark: String,
        pub created_at: Millis,
        /// Rounded to the hour.
        pub used_at: Option<i64>,
        pub expires_at: Millis,
    }
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

struct Owned(TokenRow, UserRow);

impl FromRow for Owned {
    fn from_row(row: &Row, at: At) -> Result<Self, sqlx::Error> {
        let owner = UserRow::from_row(row, at)?;
        let token = TokenRow {
            id: row.read("token_id")?,
            user_id: owner.id,
            name: row.read("name")?,
            scopes: row.read("scopes")?,
            password_mark: row.read("password_mark")?,
            created_at: row.read("token_created_at")?,
            used_at: row.read("used_at")?,
            expires_at: row.read("expires_at")?,
        };
        Ok(Self(token, owner))
    }
}

impl ReadTx {
    pub async fn token(&mut self, digest: &str) -> Result<Option<TokenRow>> {
        let sql = select_token!("WHERE digest = $1");
        self.fetch_optional(sql, &[&digest]).await
    }

    pub async fn token_and_owner(&mut self, digest: &str) -> Result<Option<(TokenRow, UserRow)>> {
        let sql = "SELECT u.id, u.userid, u.password_hash, u.role, u.state, u.created_at, u.password_changed_at, \
                   t.id AS token_id, t.name, t.scopes, t.password_mark, t.created_at AS token_created_at, t.used_at, \
                   t.expires_at FROM api_tokens t JOIN users u ON u.id = t.user_id WHERE t.digest = $1";
        let found: Option<Owned> = self.fetch_optional(sql, &[&digest]).await?;
        Ok(found.map(|Owned(token, owner)| (token, owner)))
    }

    pub async fn user_with_token(&mut self, user: UserKey, id: i64) -> Result<Option<UserRow>> {
        let sql = "SELECT u.id, u.userid, u.password_hash, u.role, u.state, u.created_at, u.password_changed_at \
                   FROM users u JOIN api_tokens t ON t.user_id = u.id WHERE u.id = $1 AND t.id = $2";
        self.fetch_optional(sql, &[&user, &id]).await
    }

    /// Newest first.
    pub async fn tokens_of(&mut self, user: UserKey) -> Result<Vec<TokenRow>> {
        let sql = select_token!("WHERE user_id = $1 ORDER BY id DESC");
        self.fetch_all(sql, &[&user]).await
    }
}

impl WriteTx {
    pub async fn insert_token(&mut self, token: &NewToken, now: Millis) -> Result<i64> {
        let sql = "INSERT INTO api_tokens (digest, user_id, name, scopes, password_mark, created_at, expires_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id";
        self.fetch_one(
            sql,
            &[
                &token.digest,
                &token.user,
                &token.name,
                &token.scopes,
                &token.password_mark,
                &now,
                &token.expires_at,
            ],
        )
        .await
    }

    pub async fn touch_token(&mut self, id: i64, now: Millis) -> Result<()> {
        let sql = "UPDATE api_tokens SET used_at = $2 WHERE id = $1 AND (used_at IS NULL OR used_at < $2)";
        self.exec(sql, &[&id, &now]).await
    }

    /// `false`: no such key of this user.
    pub async fn drop_token(&mut self, user: UserKey, id: i64) -> Result<bool> {
        self.any("DELETE FROM api_tokens WHERE id = $1 AND user_id = $2 RETURNING id", &[&id, &user]).await
    }

    /// Deletes keys made since then.
    pub async fn drop_tokens_since(&mut self, user: UserKey, since: Millis) -> Result<()> {
        self.exec("DELETE FROM api_tokens WHERE user_id = $1 AND created_at >= $2", &[&user, &since]).await
    }

    pub async fn drop_tokens_of(&mut self, user: UserKey) -> Result<u64> {
        self.exec_count("DELETE FROM api_tokens WHERE user_id = $1", &[&user]).await
    }

    /// Deletes a batch that expired before `before`; true if there may be more.
    pub async fn prune_tokens(&mut self, before: Millis) -> Result<bool> {
        let sql =
            "DELETE FROM api_tokens WHERE id IN (SELECT id FROM api_tokens WHERE expires_at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }
}

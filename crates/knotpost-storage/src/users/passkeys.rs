//! Passkeys of users, and the challenges that were answered with one.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug, FromRow)]
pub struct PasskeyRow {
    /// Its number.
    pub id: i64,
    /// Its owner.
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    /// Its credential id, base64url.
    pub credential: String,
    /// The algorithm of its signatures, as COSE numbers them.
    pub algorithm: i64,
    /// Its public key, base64url.
    pub public_key: String,
    /// The number of its signatures, as it was shown last.
    pub counter: i64,
    /// What its owner calls it.
    pub name: String,
    /// When it was added.
    #[sqlx(try_from = "i64")]
    pub created_at: Millis,
    /// When somebody logged in with it last.
    pub used_at: Option<i64>,
}

/// A passkey to be stored; the fields are those of [`PasskeyRow`].
#[derive(Clone, Debug)]
pub struct NewPasskey {
    /// See [`PasskeyRow::user_id`].
    pub user: UserKey,
    /// See [`PasskeyRow::credential`].
    pub credential: String,
    /// See [`PasskeyRow::algorithm`].
    pub algorithm: i64,
    /// See [`PasskeyRow::public_key`].
    pub public_key: String,
    /// See [`PasskeyRow::counter`].
    pub counter: i64,
    /// See [`PasskeyRow::name`].
    pub name: String,
}

macro_rules! select_passkey {
    ($rest:literal) => {
        concat!(
            "SELECT id, user_id, credential, algorithm, public_key, counter, name, created_at, used_at FROM passkeys ",
            $rest
        )
    };
}

impl ReadTx {
    /// The passkey with this credential id.
    pub async fn passkey(&mut self, credential: &str) -> Result<Option<PasskeyRow>, StoreError> {
        let sql = select_passkey!("WHERE credential = $1");
        Ok(on!(self, c => sqlx::query_as::<_, PasskeyRow>(sql).bind(credential).fetch_optional(c).await)?)
    }

    /// A user's passkeys, the oldest first.
    pub async fn passkeys_of(&mut self, user: UserKey) -> Result<Vec<PasskeyRow>, StoreError> {
        let sql = select_passkey!("WHERE user_id = $1 ORDER BY id");
        Ok(on!(self, c => sqlx::query_as::<_, PasskeyRow>(sql).bind(user.0).fetch_all(c).await)?)
    }
}

impl WriteTx {
    /// Stores a passkey; `false`: there is one with this credential id.
    pub async fn insert_passkey(&mut self, passkey: &NewPasskey, now: Millis) -> Result<bool, StoreError> {
        let sql = "INSERT INTO passkeys (user_id, credential, algorithm, public_key, counter, name, created_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential) DO NOTHING RETURNING id";
        let id: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(passkey.user.0)
            .bind(&passkey.credential)
            .bind(passkey.algorithm)
            .bind(&passkey.public_key)
            .bind(passkey.counter)
            .bind(&passkey.name)
            .bind(now.0)
            .fetch_optional(c)
            .await)?;
        Ok(id.is_some())
    }

    /// Stores that somebody logged in with a passkey; `false`: it was removed, or its counter did not go up. A passkey
    /// that does not count shows 0 each time.
    pub async fn use_passkey(&mut self, id: i64, counter: i64, now: Millis) -> Result<bool, StoreError> {
        let sql = "UPDATE passkeys SET counter = $2, used_at = $3 \
                   WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING id";
        let id: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql).bind(id).bind(counter).bind(now.0).fetch_optional(c).await)?;
        Ok(id.is_some())
    }

    /// Deletes a passkey of a user; `false`: they have no such passkey.
    pub async fn drop_passkey(&mut self, user: UserKey, id: i64) -> Result<bool, StoreError> {
        let sql = "DELETE FROM passkeys WHERE id = $1 AND user_id = $2 RETURNING id";
        let id: Option<i64> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(id).bind(user.0).fetch_optional(c).await)?;
        Ok(id.is_some())
    }

    /// Gives a passkey of a user another name; `false`: they have no such passkey.
    pub async fn rename_passkey(&mut self, user: UserKey, id: i64, name: &str) -> Result<bool, StoreError> {
        let sql = "UPDATE passkeys SET name = $3 WHERE id = $1 AND user_id = $2 RETURNING id";
        let id: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql).bind(id).bind(user.0).bind(name).fetch_optional(c).await)?;
        Ok(id.is_some())
    }

    /// Deletes the passkeys of a user that were added since that moment.
    pub async fn drop_passkeys_since(&mut self, user: UserKey, since: Millis) -> Result<(), StoreError> {
        let sql = "DELETE FROM passkeys WHERE user_id = $1 AND created_at >= $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(since.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Stores that a challenge was answered; `false`: it was answered before.
    pub async fn spend_passkey_challenge(
        &mut self,
        nonce: &str,
        expires_at: Millis,
    ) -> Result<bool, StoreError> {
        let sql = "INSERT INTO passkey_challenges (nonce, expires_at) VALUES ($1, $2) \
                   ON CONFLICT (nonce) DO NOTHING RETURNING expires_at";
        let at: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql).bind(nonce).bind(expires_at.0).fetch_optional(c).await)?;
        Ok(at.is_some())
    }

    /// Deletes a batch of answered challenges that expired before `before`; returns whether there may be more.
    pub async fn prune_passkey_challenges(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM passkey_challenges WHERE nonce IN \
                   (SELECT nonce FROM passkey_challenges WHERE expires_at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

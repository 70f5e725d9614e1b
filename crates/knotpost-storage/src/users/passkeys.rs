//! Passkeys, and answered challenges.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct PasskeyRow {
        pub id: i64,
        pub user_id: UserKey,
        /// Credential id, base64url.
        pub credential: String,
        /// COSE number of the algorithm.
        pub algorithm: i64,
        /// Base64url.
        pub public_key: String,
        /// Signature counter as last reported.
        pub counter: i64,
        pub name: String,
        pub created_at: Millis,
        pub used_at: Option<i64>,
    }
}

/// Fields as in [`PasskeyRow`].
#[derive(Clone, Debug)]
pub struct NewPasskey {
    pub user: UserKey,
    pub credential: String,
    pub algorithm: i64,
    pub public_key: String,
    pub counter: i64,
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
    pub async fn passkey(&mut self, credential: &str) -> Result<Option<PasskeyRow>> {
        let sql = select_passkey!("WHERE credential = $1");
        self.fetch_optional(sql, &[&credential]).await
    }

    /// Oldest first.
    pub async fn passkeys_of(&mut self, user: UserKey) -> Result<Vec<PasskeyRow>> {
        let sql = select_passkey!("WHERE user_id = $1 ORDER BY id");
        self.fetch_all(sql, &[&user]).await
    }
}

impl WriteTx {
    /// `false`: the credential id exists.
    pub async fn insert_passkey(&mut self, passkey: &NewPasskey, now: Millis) -> Result<bool> {
        let sql = "INSERT INTO passkeys (user_id, credential, algorithm, public_key, counter, name, created_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (credential) DO NOTHING RETURNING id";
        self.any(
            sql,
            &[
                &passkey.user,
                &passkey.credential,
                &passkey.algorithm,
                &passkey.public_key,
                &passkey.counter,
                &passkey.name,
                &now,
            ],
        )
        .await
    }

    /// Records a login; `false`: removed, or its counter did not increase. Passkeys without a counter report
    /// 0 each time.
    pub async fn use_passkey(&mut self, id: i64, counter: i64, now: Millis) -> Result<bool> {
        let sql = "UPDATE passkeys SET counter = $2, used_at = $3 \
                   WHERE id = $1 AND (counter < $2 OR (counter = 0 AND $2 = 0)) RETURNING id";
        self.any(sql, &[&id, &counter, &now]).await
    }

    /// `false`: no such passkey of this user.
    pub async fn drop_passkey(&mut self, user: UserKey, id: i64) -> Result<bool> {
        self.any("DELETE FROM passkeys WHERE id = $1 AND user_id = $2 RETURNING id", &[&id, &user]).await
    }

    /// `false`: no such passkey of this user.
    pub async fn rename_passkey(&mut self, user: UserKey, id: i64, name: &str) -> Result<bool> {
        let sql = "UPDATE passkeys SET name = $3 WHERE id = $1 AND user_id = $2 RETURNING id";
        self.any(sql, &[&id, &user, &name]).await
    }

    /// Deletes passkeys added since then.
    pub async fn drop_passkeys_since(&mut self, user: UserKey, since: Millis) -> Result<()> {
        self.exec("DELETE FROM passkeys WHERE user_id = $1 AND created_at >= $2", &[&user, &since]).await
    }

    /// `false`: answered before.
    pub async fn spend_passkey_challenge(&mut self, nonce: &str, expires_at: Millis) -> Result<bool> {
        let sql = "INSERT INTO passkey_challenges (nonce, expires_at) VALUES ($1, $2) \
                   ON CONFLICT (nonce) DO NOTHING RETURNING expires_at";
        self.any(sql, &[&nonce, &expires_at]).await
    }

    /// Deletes a batch that expired before `before`; true if there may be more.
    pub async fn prune_passkey_challenges(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM passkey_challenges WHERE nonce IN \
                   (SELECT nonce FROM passkey_challenges WHERE expires_at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }
}

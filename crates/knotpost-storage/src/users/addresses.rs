//! Users' addresses, and confirmation mails.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Address, Millis, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct AddressRow {
        pub address: String,
        pub verified_at: Option<i64>,
    }
}

/// Limit of confirmation mails to an address.
#[derive(Clone, Copy, Debug)]
pub struct ConfirmationShare {
    /// True for requests by an authenticated mail of the address itself, counted separately.
    pub aligned: bool,
    /// Pairs of a number of mails and a span in milliseconds; all must hold.
    pub limits: &'static [(i64, i64)],
    /// Pair for all mails caused by one user.
    pub of_user: Option<(i64, i64)>,
}

impl ReadTx {
    /// Oldest first.
    pub async fn addresses(&mut self, user: UserKey) -> Result<Vec<AddressRow>> {
        let sql = "SELECT address, verified_at FROM addresses WHERE user_id = $1 ORDER BY id";
        self.fetch_all(sql, &[&user]).await
    }

    /// Row of a user's address, given in lower case.
    pub async fn address_id(&mut self, user: UserKey, address_key: &str) -> Result<Option<i64>> {
        let sql = "SELECT id FROM addresses WHERE user_id = $1 AND address_key = $2";
        self.fetch_optional(sql, &[&user, &address_key]).await
    }

    /// True if any user has confirmed this address, suspended ones included.
    pub async fn is_proven_address(&mut self, address_key: &str) -> Result<bool> {
        let sql = "SELECT id FROM addresses WHERE address_key = $1 AND verified_at IS NOT NULL LIMIT 1";
        self.any(sql, &[&address_key]).await
    }

    /// True if it is some user's address, confirmed or not.
    pub async fn is_registered_address(&mut self, address_key: &str) -> Result<bool> {
        self.any("SELECT id FROM addresses WHERE address_key = $1 LIMIT 1", &[&address_key]).await
    }

    /// Owner of this row, if confirmed.
    pub async fn proven_address(&mut self, user: UserKey, address_key: &str) -> Result<Option<i64>> {
        let sql =
            "SELECT id FROM addresses WHERE user_id = $1 AND address_key = $2 AND verified_at IS NOT NULL";
        self.fetch_optional(sql, &[&user, &address_key]).await
    }

    pub async fn last_confirmation(&mut self, user: UserKey, address_key: &str) -> Result<Option<Millis>> {
        let sql = "SELECT sent_at FROM confirmation_mails WHERE address_key = $1 AND user_id = $2 \
                   ORDER BY sent_at DESC LIMIT 1";
        self.fetch_optional(sql, &[&address_key, &user]).await
    }
}

impl WriteTx {
    /// True if new.
    pub async fn add_address(
        &mut self,
        user: UserKey,
        address: &Address,
        verified_at: Option<Millis>,
        now: Millis,
    ) -> Result<bool> {
        let sql = "INSERT INTO addresses (user_id, address, address_key, verified_at, leaving, created_at) \
                   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id, address_key) DO NOTHING RETURNING id";
        self.any(sql, &[&user, &address.to_string(), &address.key(), &verified_at, &false, &now]).await
    }

    pub async fn remove_address(&mut self, user: UserKey, address_key: &str) -> Result<()> {
        let sql = "DELETE FROM addresses WHERE user_id = $1 AND address_key = $2";
        self.exec(sql, &[&user, &address_key]).await
    }

    /// Marks an address to be deleted once another one is confirmed.
    pub async fn set_address_leaving(
        &mut self,
        user: UserKey,
        address_key: &str,
        leaving: bool,
    ) -> Result<()> {
        let sql = "UPDATE addresses SET leaving = $3 WHERE user_id = $1 AND address_key = $2";
        self.exec(sql, &[&user, &address_key, &leaving]).await
    }

    pub async fn remove_leaving_addresses(&mut self, user: UserKey) -> Result<()> {
        self.exec("DELETE FROM addresses WHERE user_id = $1 AND leaving", &[&user]).await
    }

    /// Confirms an address; true if the user has it.
    pub async fn verify_address(&mut self, user: UserKey, address_key: &str, now: Millis) -> Result<bool> {
        let sql = "UPDATE addresses SET verified_at = COALESCE(verified_at, $3) \
                   WHERE user_id = $1 AND address_key = $2 RETURNING id";
        self.any(sql, &[&user, &address_key, &now]).await
    }

    /// Deletes addresses added since then.
    pub async fn remove_addresses_since(&mut self, user: UserKey, since: Millis) -> Result<()> {
        self.exec("DELETE FROM addresses WHERE user_id = $1 AND created_at >= $2", &[&user, &since]).await
    }

    /// Records a confirmation mail if its share allows; true if it may be sent. Locks the row of the address,
    /// so that concurrent requests see each other.
    pub async fn claim_confirmation(
        &mut self,
        (user, address_key): (UserKey, &str),
        share: ConfirmationShare,
        now: Millis,
    ) -> Result<bool> {
        let lock = "INSERT INTO confirmations (address_key, sent_at) VALUES ($1, $2) \
                    ON CONFLICT (address_key) DO UPDATE SET sent_at = $2";
        self.exec(lock, &[&address_key, &now]).await?;
        let count = "SELECT COUNT(*) FROM confirmation_mails WHERE address_key = $1 AND sent_at > $2 AND aligned = $3";
        for (most, since) in share.limits {
            let sent: i64 = self.fetch_one(count, &[&address_key, &(now.0 - since), &share.aligned]).await?;
            if sent >= *most {
                return Ok(false);
            }
        }
        if let Some((most, since)) = share.of_user {
            let count = "SELECT COUNT(*) FROM confirmation_mails WHERE user_id = $1 AND sent_at > $2 AND aligned = $3";
            let caused: i64 = self.fetch_one(count, &[&user, &(now.0 - since), &share.aligned]).await?;
            if caused >= most {
                return Ok(false);
            }
        }
        let note =
            "INSERT INTO confirmation_mails (address_key, sent_at, user_id, aligned) VALUES ($1, $2, $3, $4)";
        self.exec(note, &[&address_key, &now, &user, &share.aligned]).await?;
        Ok(true)
    }

    /// Deletes a batch from before `before`, no longer counted; true if there may be more.
    pub async fn prune_confirmation_mails(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM confirmation_mails WHERE id IN \
                   (SELECT id FROM confirmation_mails WHERE sent_at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }

    /// Deletes a batch from before `before`, after which the next mail is free anyway; true if there may be
    /// more.
    pub async fn prune_confirmations(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM confirmations WHERE address_key IN \
                   (SELECT address_key FROM confirmations WHERE sent_at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }
}

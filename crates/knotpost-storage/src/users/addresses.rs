//! The addresses of users, and the mails that ask for their confirmation.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Address, Millis, UserKey};

/// A user's address.
#[derive(Clone, Debug, FromRow)]
pub struct AddressRow {
    /// The address as registered.
    pub address: String,
    /// When the user proved that they read it; `None`: not yet.
    pub verified_at: Option<i64>,
}

/// How many confirmation mails an address may get.
#[derive(Clone, Copy, Debug)]
pub struct ConfirmationShare {
    /// Whether the request is a mail from the address itself, authenticated by its domain: those are counted apart.
    pub aligned: bool,
    /// Pairs of a number of mails and a span in milliseconds: the next mail is sent while fewer were sent in that span.
    pub limits: &'static [(i64, i64)],
    /// The same for what one user causes, whatever address it goes to.
    pub of_user: Option<(i64, i64)>,
}

impl ReadTx {
    /// The user's addresses, oldest first.
    pub async fn addresses(&mut self, user: UserKey) -> Result<Vec<AddressRow>, StoreError> {
        let sql = "SELECT address, verified_at FROM addresses WHERE user_id = $1 ORDER BY id";
        Ok(on!(self, c => sqlx::query_as::<_, AddressRow>(sql).bind(user.0).fetch_all(c).await)?)
    }

    /// The row of a user's address, given in lower case.
    pub async fn address_id(&mut self, user: UserKey, address_key: &str) -> Result<Option<i64>, StoreError> {
        let sql = "SELECT id FROM addresses WHERE user_id = $1 AND address_key = $2";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(user.0).bind(address_key).fetch_optional(c).await)?)
    }

    /// Whose address this row is, and the address as registered.
    pub async fn address_by_id(&mut self, id: i64) -> Result<Option<(UserKey, String)>, StoreError> {
        let sql = "SELECT user_id, address FROM addresses WHERE id = $1";
        let row: Option<(i64, String)> =
            on!(self, c => sqlx::query_as(sql).bind(id).fetch_optional(c).await)?;
        Ok(row.map(|(user, address)| (UserKey(user), address)))
    }

    /// Whether a user has proven to read mail at this address, in good standing or not.
    pub async fn is_proven_address(&mut self, address_key: &str) -> Result<bool, StoreError> {
        let sql = "SELECT id FROM addresses WHERE address_key = $1 AND verified_at IS NOT NULL LIMIT 1";
        let row: Option<i64> =
            on!(self, c => sqlx::query_scalar(sql).bind(address_key).fetch_optional(c).await)?;
        Ok(row.is_some())
    }

    /// Whether an address is one of a user's, proven or not.
    pub async fn is_registered_address(&mut self, address_key: &str) -> Result<bool, StoreError> {
        let sql = "SELECT id FROM addresses WHERE address_key = $1 LIMIT 1";
        let row: Option<i64> =
            on!(self, c => sqlx::query_scalar(sql).bind(address_key).fetch_optional(c).await)?;
        Ok(row.is_some())
    }

    /// Whose this row is, when they have proven to read there.
    pub async fn proven_address(
        &mut self,
        user: UserKey,
        address_key: &str,
    ) -> Result<Option<i64>, StoreError> {
        let sql =
            "SELECT id FROM addresses WHERE user_id = $1 AND address_key = $2 AND verified_at IS NOT NULL";
        Ok(on!(self, c => sqlx::query_scalar(sql).bind(user.0).bind(address_key).fetch_optional(c).await)?)
    }

    /// When a user's address was last asked to be confirmed.
    pub async fn last_confirmation(
        &mut self,
        user: UserKey,
        address_key: &str,
    ) -> Result<Option<Millis>, StoreError> {
        let sql = "SELECT sent_at FROM confirmation_mails WHERE address_key = $1 AND user_id = $2 \
                   ORDER BY sent_at DESC LIMIT 1";
        let at: Option<i64> =
            on!(self, c => sqlx::query_scalar(sql).bind(address_key).bind(user.0).fetch_optional(c).await)?;
        Ok(at.map(Millis))
    }
}

impl WriteTx {
    /// Adds an address to a user; returns whether the user did not have it before.
    pub async fn add_address(
        &mut self,
        user: UserKey,
        address: &Address,
        verified_at: Option<Millis>,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let sql = "INSERT INTO addresses (user_id, address, address_key, verified_at, leaving, created_at) \
                   VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (user_id, address_key) DO NOTHING RETURNING id";
        let key: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(user.0)
            .bind(address.to_string())
            .bind(address.key())
            .bind(verified_at.map(|at| at.0))
            .bind(false)
            .bind(now.0)
            .fetch_optional(c)
            .await)?;
        Ok(key.is_some())
    }

    /// Deletes an address of a user.
    pub async fn remove_address(&mut self, user: UserKey, address_key: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM addresses WHERE user_id = $1 AND address_key = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(address_key).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Sets whether an address is deleted as soon as the user proves another one.
    pub async fn set_address_leaving(
        &mut self,
        user: UserKey,
        address_key: &str,
        leaving: bool,
    ) -> Result<(), StoreError> {
        let sql = "UPDATE addresses SET leaving = $3 WHERE user_id = $1 AND address_key = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(address_key).bind(leaving).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Deletes the addresses of a user that were to go once another one was proven.
    pub async fn remove_leaving_addresses(&mut self, user: UserKey) -> Result<(), StoreError> {
        let sql = "DELETE FROM addresses WHERE user_id = $1 AND leaving";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Stores that the user reads this address; returns whether they have such an address.
    pub async fn verify_address(
        &mut self,
        user: UserKey,
        address_key: &str,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE addresses SET verified_at = COALESCE(verified_at, $3) \
                   WHERE user_id = $1 AND address_key = $2 RETURNING id";
        let key: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(user.0)
            .bind(address_key)
            .bind(now.0)
            .fetch_optional(c)
            .await)?;
        Ok(key.is_some())
    }

    /// Deletes the addresses of a user that were added since that moment.
    pub async fn remove_addresses_since(&mut self, user: UserKey, since: Millis) -> Result<(), StoreError> {
        let sql = "DELETE FROM addresses WHERE user_id = $1 AND created_at >= $2";
        on!(self.writing(), c => sqlx::query(sql).bind(user.0).bind(since.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Stores that a confirmation mail goes to the address now, if its share allows it; returns whether it may go. The
    /// row of the address is locked meanwhile: two at once see each other.
    pub async fn claim_confirmation(
        &mut self,
        (user, address_key): (UserKey, &str),
        share: ConfirmationShare,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let lock = "INSERT INTO confirmations (address_key, sent_at) VALUES ($1, $2) \
                    ON CONFLICT (address_key) DO UPDATE SET sent_at = $2";
        on!(self.writing(), c => sqlx::query(lock).bind(address_key).bind(now.0).execute(c).await.map(drop))?;
        let count = "SELECT COUNT(*) FROM confirmation_mails WHERE address_key = $1 AND sent_at > $2 AND aligned = $3";
        for (most, since) in share.limits {
            let sent: i64 = on!(self.writing(), c => sqlx::query_scalar(count)
                .bind(address_key)
                .bind(now.0 - since)
                .bind(share.aligned)
                .fetch_one(c)
                .await)?;
            if sent >= *most {
                return Ok(false);
            }
        }
        if let Some((most, since)) = share.of_user {
            let count = "SELECT COUNT(*) FROM confirmation_mails WHERE user_id = $1 AND sent_at > $2 AND aligned = $3";
            let caused: i64 = on!(self.writing(), c => sqlx::query_scalar(count)
                .bind(user.0)
                .bind(now.0 - since)
                .bind(share.aligned)
                .fetch_one(c)
                .await)?;
            if caused >= most {
                return Ok(false);
            }
        }
        let note =
            "INSERT INTO confirmation_mails (address_key, sent_at, user_id, aligned) VALUES ($1, $2, $3, $4)";
        on!(self.writing(), c => sqlx::query(note)
            .bind(address_key)
            .bind(now.0)
            .bind(user.0)
            .bind(share.aligned)
            .execute(c)
            .await
            .map(drop))?;
        Ok(true)
    }

    /// Deletes a batch of confirmation mails sent before `before`, which count no more; returns whether there may be more.
    pub async fn prune_confirmation_mails(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM confirmation_mails WHERE id IN \
                   (SELECT id FROM confirmation_mails WHERE sent_at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }

    /// Deletes a batch of confirmation mails sent before `before`, when the next may go anyway;
    /// says whether there may be more.
    pub async fn prune_confirmations(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM confirmations WHERE address_key IN \
                   (SELECT address_key FROM confirmations WHERE sent_at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

//! Reversible changes of addresses.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug, FromRow)]
pub struct AddressChange {
    pub id: i64,
    #[sqlx(try_from = "i64")]
    pub user_id: UserKey,
    #[sqlx(try_from = "i64")]
    pub at: Millis,
    /// Confirmed addresses before it, one a line.
    pub addresses: String,
    /// Time at which it or an earlier one was reverted.
    pub undone_at: Option<i64>,
}

impl ReadTx {
    pub async fn address_change(&mut self, id: i64) -> Result<Option<AddressChange>, StoreError> {
        let sql = "SELECT id, user_id, at, addresses, undone_at FROM address_changes WHERE id = $1";
        Ok(on!(self, c => sqlx::query_as::<_, AddressChange>(sql).bind(id).fetch_optional(c).await)?)
    }

    /// Changes after `since` that were not reverted, newest first.
    pub async fn address_changes_since(
        &mut self,
        user: UserKey,
        since: Millis,
    ) -> Result<Vec<AddressChange>, StoreError> {
        let sql = "SELECT id, user_id, at, addresses, undone_at FROM address_changes \
                   WHERE user_id = $1 AND at > $2 AND undone_at IS NULL ORDER BY at DESC, id DESC LIMIT 100";
        Ok(
            on!(self, c => sqlx::query_as::<_, AddressChange>(sql).bind(user.0).bind(since.0).fetch_all(c).await)?,
        )
    }
}

impl WriteTx {
    pub async fn insert_address_change(
        &mut self,
        user: UserKey,
        addresses: &str,
        now: Millis,
    ) -> Result<i64, StoreError> {
        let sql = "INSERT INTO address_changes (user_id, at, addresses) VALUES ($1, $2, $3) RETURNING id";
        Ok(on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(user.0)
            .bind(now.0)
            .bind(addresses)
            .fetch_one(c)
            .await)?)
    }

    /// Reverts a change and all later ones of its user; `false`: reverted before.
    pub async fn undo_address_change(
        &mut self,
        change: &AddressChange,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let sql = "UPDATE address_changes SET undone_at = $3 WHERE id = $1 AND user_id = $2 AND undone_at IS NULL \
                   RETURNING id";
        let undone: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(change.id)
            .bind(change.user_id.0)
            .bind(now.0)
            .fetch_optional(c)
            .await)?;
        let later =
            "UPDATE address_changes SET undone_at = $3 WHERE id > $1 AND user_id = $2 AND undone_at IS NULL";
        on!(self.writing(), c => sqlx::query(later)
            .bind(change.id)
            .bind(change.user_id.0)
            .bind(now.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(undone.is_some())
    }

    /// Deletes a batch before `before`, no longer reversible; true if there may be more.
    pub async fn prune_address_changes(&mut self, before: Millis) -> Result<bool, StoreError> {
        let sql = "DELETE FROM address_changes WHERE id IN (SELECT id FROM address_changes WHERE at < $1 LIMIT 1000)";
        let deleted = on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?;
        Ok(deleted >= 1000)
    }
}

//! Reversible changes of addresses.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UserKey};

row! {
    #[derive(Clone, Debug)]
    pub struct AddressChange {
        pub id: i64,
        pub user_id: UserKey,
        pub at: Millis,
        /// Confirmed addresses before it, one a line.
        pub addresses: String,
        /// Time at which it or an earlier one was reverted.
        pub undone_at: Option<i64>,
    }
}

impl ReadTx {
    pub async fn address_change(&mut self, id: i64) -> Result<Option<AddressChange>> {
        let sql = "SELECT id, user_id, at, addresses, undone_at FROM address_changes WHERE id = $1";
        self.fetch_optional(sql, &[&id]).await
    }

    /// Changes after `since` that were not reverted, newest first.
    pub async fn address_changes_since(
        &mut self,
        user: UserKey,
        since: Millis,
    ) -> Result<Vec<AddressChange>> {
        let sql = "SELECT id, user_id, at, addresses, undone_at FROM address_changes \
                   WHERE user_id = $1 AND at > $2 AND undone_at IS NULL ORDER BY at DESC, id DESC LIMIT 100";
        self.fetch_all(sql, &[&user, &since]).await
    }
}

impl WriteTx {
    pub async fn insert_address_change(
        &mut self,
        user: UserKey,
        addresses: &str,
        now: Millis,
    ) -> Result<i64> {
        let sql = "INSERT INTO address_changes (user_id, at, addresses) VALUES ($1, $2, $3) RETURNING id";
        self.fetch_one(sql, &[&user, &now, &addresses]).await
    }

    /// Reverts a change and all later ones of its user; `false`: reverted before.
    pub async fn undo_address_change(&mut self, change: &AddressChange, now: Millis) -> Result<bool> {
        let sql = "UPDATE address_changes SET undone_at = $3 WHERE id = $1 AND user_id = $2 AND undone_at IS NULL \
                   RETURNING id";
        let undone: Option<i64> = self.fetch_optional(sql, &[&change.id, &change.user_id, &now]).await?;
        let later =
            "UPDATE address_changes SET undone_at = $3 WHERE id > $1 AND user_id = $2 AND undone_at IS NULL";
        self.exec(later, &[&change.id, &change.user_id, &now]).await?;
        Ok(undone.is_some())
    }

    /// Deletes a batch before `before`, no longer reversible; true if there may be more.
    pub async fn prune_address_changes(&mut self, before: Millis) -> Result<bool> {
        let sql = "DELETE FROM address_changes WHERE id IN (SELECT id FROM address_changes WHERE at < $1 LIMIT 1000)";
        self.prune(sql, before).await
    }
}

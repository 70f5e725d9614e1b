//! The do-not-mail list, checked for every outgoing mail when it is queued and again before it is sent.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UnmailedTarget};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct DoNotMailRow {
    /// An address in lower case, or a domain behind an `@`.
    pub target: String,
    pub reason: String,
    #[sqlx(try_from = "i64")]
    pub at: Millis,
}

/// Reason of an entry made by the reader's `stop`. The reader can revoke such an entry; all others are for
/// administrators.
pub const STOPPED_BY_READER: &str = "its reader answered `stop` to a mail that asked for a confirmation";

/// Reason in the outbox for a mail to a blocked recipient.
pub const DO_NOT_MAIL: &str = "do_not_mail";

impl ReadTx {
    /// True if the address, the same without its `+tag`, or its domain is on the list. The address is in
    /// lower case.
    pub async fn is_blocked(&mut self, address_key: &str) -> Result<bool, StoreError> {
        let [address, mailbox, domain] = UnmailedTarget::covering(address_key);
        let sql = "SELECT at FROM do_not_mail WHERE target IN ($1, $2, $3) LIMIT 1";
        let found: Option<i64> = on!(self, c => sqlx::query_scalar(sql)
            .bind(address)
            .bind(mailbox)
            .bind(domain)
            .fetch_optional(c)
            .await)?;
        Ok(found.is_some())
    }

    /// The list by target, after `after`, at most `limit`.
    pub async fn list_blocked(&mut self, after: &str, limit: i64) -> Result<Vec<DoNotMailRow>, StoreError> {
        let sql = "SELECT target, reason, at FROM do_not_mail WHERE target > $1 ORDER BY target LIMIT $2";
        Ok(on!(self, c => sqlx::query_as::<_, DoNotMailRow>(sql).bind(after).bind(limit).fetch_all(c).await)?)
    }
}

impl WriteTx {
    /// `address` is in the form of [`Address::key`](knotpost_model::Address::key); true if new. An existing
    /// entry keeps its reason.
    pub async fn block_address(
        &mut self,
        address_key: &str,
        reason: &str,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.block_target(address_key, reason, now).await
    }

    /// As [`WriteTx::block_address`], for an address or a whole domain.
    pub async fn block(
        &mut self,
        target: &UnmailedTarget,
        reason: &str,
        now: Millis,
    ) -> Result<bool, StoreError> {
        self.block_target(target.as_str(), reason, now).await
    }

    async fn block_target(&mut self, target: &str, reason: &str, now: Millis) -> Result<bool, StoreError> {
        let sql = "INSERT INTO do_not_mail (target, reason, at) VALUES ($1, $2, $3) \
                   ON CONFLICT (target) DO NOTHING RETURNING at";
        let row: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(target)
            .bind(reason)
            .bind(now.0)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }

    /// True if the entry existed.
    pub async fn unblock(&mut self, target: &UnmailedTarget) -> Result<bool, StoreError> {
        let sql = "DELETE FROM do_not_mail WHERE target = $1 RETURNING at";
        let row: Option<i64> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(target.as_str()).fetch_optional(c).await)?;
        Ok(row.is_some())
    }

    /// Removes an entry made by the reader; other entries stay. True if it existed.
    pub async fn unblock_by_reader(&mut self, address_key: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM do_not_mail WHERE target = $1 AND reason = $2 RETURNING at";
        let row: Option<i64> = on!(self.writing(), c => sqlx::query_scalar(sql)
            .bind(address_key)
            .bind(STOPPED_BY_READER)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }
}

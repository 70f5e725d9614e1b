//! Addresses and domains that get no mail, whatever its cause. Every outgoing mail is compared with this list when its row
//! is made and once more before it is sent.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, UnmailedTarget};

/// An entry of the list.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct DoNotMailRow {
    /// An address in lower case, or a domain behind an `@`.
    pub target: String,
    /// Why, in the words of the administrator who made the entry.
    pub reason: String,
    /// When the entry was made.
    #[sqlx(try_from = "i64")]
    pub at: Millis,
}

/// Why an address is on the list whose reader wants none of the mails that ask for a confirmation. The reader can take
/// such an entry back; all others are for administrators.
pub const STOPPED_BY_READER: &str = "its reader answered `stop` to a mail that asked for a confirmation";

/// Why a mail was dropped whose recipient is on the list, in the outbox.
pub const DO_NOT_MAIL: &str = "do_not_mail";

impl ReadTx {
    /// Whether an address gets no mail: itself, the same without its `+tag`, or its domain is on the list. The address
    /// is given in lower case.
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
    /// Sends no mail to an address from now on, given in the form of [`Address::key`](knotpost_model::Address::key); says
    /// whether that is new. An entry that is there already keeps its reason.
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
        let row: Option<i64> = on!(self.writing().await?, c => sqlx::query_scalar(sql)
            .bind(target)
            .bind(reason)
            .bind(now.0)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }

    /// Takes an entry off the list; returns whether it was there.
    pub async fn unblock(&mut self, target: &UnmailedTarget) -> Result<bool, StoreError> {
        let sql = "DELETE FROM do_not_mail WHERE target = $1 RETURNING at";
        let row: Option<i64> = on!(self.writing().await?, c => sqlx::query_scalar(sql).bind(target.as_str()).fetch_optional(c).await)?;
        Ok(row.is_some())
    }

    /// Takes an address off the list that its reader had put there; returns whether it was there. No other entry goes.
    pub async fn unblock_by_reader(&mut self, address_key: &str) -> Result<bool, StoreError> {
        let sql = "DELETE FROM do_not_mail WHERE target = $1 AND reason = $2 RETURNING at";
        let row: Option<i64> = on!(self.writing().await?, c => sqlx::query_scalar(sql)
            .bind(address_key)
            .bind(STOPPED_BY_READER)
            .fetch_optional(c)
            .await)?;
        Ok(row.is_some())
    }
}

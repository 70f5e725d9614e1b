//! The do-not-mail list, checked for every outgoing mail when it is queued and again before it is sent.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, UnmailedTarget};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct DoNotMailRow {
        /// An address in lower case, or a domain behind an `@`.
        pub target: String,
        pub reason: String,
        pub at: Millis,
    }
}

/// Reason of an entry made by the reader's `stop`. The reader can revoke such an entry; all others are for
/// administrators.
pub const STOPPED_BY_READER: &str = "its reader answered `stop` to a mail that asked for a confirmation";

/// Reason in the outbox for a mail to a blocked recipient.
pub const DO_NOT_MAIL: &str = "do_not_mail";

impl ReadTx {
    /// True if the address, the same without its `+tag`, or its domain is on the list. The address is in
    /// lower case.
    pub async fn is_blocked(&mut self, address_key: &str) -> Result<bool> {
        let [address, mailbox, domain] = UnmailedTarget::covering(address_key);
        let sql = "SELECT at FROM do_not_mail WHERE target IN ($1, $2, $3) LIMIT 1";
        self.any(sql, &[&address, &mailbox, &domain]).await
    }

    /// The list by target, after `after`, at most `limit`.
    pub async fn list_blocked(&mut self, after: &str, limit: i64) -> Result<Vec<DoNotMailRow>> {
        let sql = "SELECT target, reason, at FROM do_not_mail WHERE target > $1 ORDER BY target LIMIT $2";
        self.fetch_all(sql, &[&after, &limit]).await
    }
}

impl WriteTx {
    /// `address` is in the form of [`Address::key`](knotpost_model::Address::key); true if new. An existing
    /// entry keeps its reason.
    pub async fn block_address(&mut self, address_key: &str, reason: &str, now: Millis) -> Result<bool> {
        self.block_target(address_key, reason, now).await
    }

    /// As [`WriteTx::block_address`], for an address or a whole domain.
    pub async fn block(&mut self, target: &UnmailedTarget, reason: &str, now: Millis) -> Result<bool> {
        self.block_target(target.as_str(), reason, now).await
    }

    async fn block_target(&mut self, target: &str, reason: &str, now: Millis) -> Result<bool> {
        let sql = "INSERT INTO do_not_mail (target, reason, at) VALUES ($1, $2, $3) \
                   ON CONFLICT (target) DO NOTHING RETURNING at";
        self.any(sql, &[&target, &reason, &now]).await
    }

    /// True if the entry existed.
    pub async fn unblock(&mut self, target: &UnmailedTarget) -> Result<bool> {
        self.any("DELETE FROM do_not_mail WHERE target = $1 RETURNING at", &[&target.as_str()]).await
    }

    /// Removes an entry made by the reader; other entries stay. True if it existed.
    pub async fn unblock_by_reader(&mut self, address_key: &str) -> Result<bool> {
        let sql = "DELETE FROM do_not_mail WHERE target = $1 AND reason = $2 RETURNING at";
        self.any(sql, &[&address_key, &STOPPED_BY_READER]).await
    }
}

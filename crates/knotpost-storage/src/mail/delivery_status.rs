//! Facts that decide if a leased mail is still sent, and to whom it is addressed.

use super::outbox::OutboxRow;
use super::outbox::waits;
use crate::connection::{At, FromRow, Result, Row};
use crate::rows::{UserRow, is_shared};
use crate::transaction::{ReadTx, Statements};
use knotpost_model::Millis;

#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts of the database that have nothing to do with each other"
)]
pub struct DeliveryStatus {
    /// True if it has not ended, and no other process has leased it.
    pub is_leased: bool,
    pub is_stopped: bool,
    pub is_blocked: bool,
    /// True if others than its user have proven its address.
    pub is_shared: bool,
    pub reader: Option<UserRow>,
    pub address: Option<i64>,
}

impl FromRow for DeliveryStatus {
    fn from_row(row: &Row, _: At) -> Result<Self, sqlx::Error> {
        let reader = match row.read("user_id")? {
            None => None,
            Some(id) => Some(UserRow {
                id,
                userid: row.read("userid")?,
                password_hash: row.read("password_hash")?,
                role: row.read("role")?,
                state: row.read("user_state")?,
                created_at: row.read("created_at")?,
                password_changed_at: row.read("password_changed_at")?,
            }),
        };
        Ok(Self {
            is_leased: row.read("is_taken")?,
            is_stopped: row.read("is_stopped")?,
            is_blocked: false,
            is_shared: row.read("is_shared")?,
            reader,
            address: row.read("address_id")?,
        })
    }
}

impl ReadTx {
    /// The state of a mail that was leased until `lease_until`; `None`: it does not exist any more.
    pub async fn delivery_status(
        &mut self,
        mail: &OutboxRow,
        lease_until: Millis,
    ) -> Result<Option<DeliveryStatus>> {
        let sql = concat!(
            "SELECT ",
            waits!(),
            " AND outbox.due_at = $2 AS is_taken, \
             EXISTS (SELECT 1 FROM failing_addresses f WHERE f.address_key = $3 AND f.stopped_at IS NOT NULL) \
             AS is_stopped, ",
            is_shared!("$3", "outbox.user_id"),
            ", (SELECT a.id FROM addresses a WHERE a.user_id = outbox.user_id AND a.address_key = $3 \
             AND a.verified_at IS NOT NULL) AS address_id, \
             u.id AS user_id, u.userid, u.password_hash, u.role, u.state AS user_state, u.created_at, \
             u.password_changed_at FROM outbox LEFT JOIN users u ON u.id = outbox.user_id WHERE outbox.id = $1"
        );
        let address_key = mail.recipient.to_lowercase();
        let status: Option<DeliveryStatus> =
            self.fetch_optional(sql, &[&mail.id, &lease_until, &address_key]).await?;
        let Some(status) = status else { return Ok(None) };
        Ok(Some(DeliveryStatus { is_blocked: self.is_blocked(&address_key).await?, ..status }))
    }
}

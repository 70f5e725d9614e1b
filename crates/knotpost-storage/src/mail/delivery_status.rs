//! Facts that decide if a leased mail is still sent, and to whom it is addressed.

use sqlx::FromRow;

use super::outbox::OutboxRow;
use super::outbox::waits;
use crate::connection::{StoreError, on};
use crate::rows::{UserRow, UserState, is_shared};
use crate::transaction::ReadTx;
use knotpost_model::{Millis, UserKey};

#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "four facts of the database that have nothing to do with each other"
)]
pub struct DeliveryStatus {
    /// Whether it has not ended, and no other process has leased it.
    pub is_leased: bool,
    pub is_stopped: bool,
    pub is_blocked: bool,
    /// True if others than its user have proven its address.
    pub is_shared: bool,
    pub reader: Option<UserRow>,
    pub address: Option<i64>,
}

#[derive(Debug, FromRow)]
struct Line {
    #[sqlx(rename = "is_taken")]
    is_leased: bool,
    is_stopped: bool,
    is_shared: bool,
    address_id: Option<i64>,
    user_id: Option<i64>,
    userid: Option<String>,
    password_hash: Option<String>,
    role: Option<String>,
    user_state: Option<String>,
    created_at: Option<i64>,
    password_changed_at: Option<i64>,
}

impl Line {
    fn status(self, is_blocked: bool) -> Result<DeliveryStatus, StoreError> {
        let reader = match (self.user_id, self.userid, self.role, self.user_state, self.created_at) {
            (Some(id), Some(userid), Some(role), Some(state), Some(created_at)) => Some(UserRow {
                id: UserKey(id),
                userid,
                password_hash: self.password_hash,
                role,
                state: UserState::try_from(state).map_err(StoreError::Corrupt)?,
                created_at: Millis(created_at),
                password_changed_at: self.password_changed_at,
            }),
            _ => None,
        };
        Ok(DeliveryStatus {
            is_leased: self.is_leased,
            is_stopped: self.is_stopped,
            is_blocked,
            is_shared: self.is_shared,
            reader,
            address: self.address_id,
        })
    }
}

impl ReadTx {
    /// The state of a mail that was leased until `lease_until`; `None`: it does not exist any more.
    pub async fn delivery_status(
        &mut self,
        mail: &OutboxRow,
        lease_until: Millis,
    ) -> Result<Option<DeliveryStatus>, StoreError> {
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
        let line = on!(self, c => sqlx::query_as::<_, Line>(sql)
            .bind(mail.id.0)
            .bind(lease_until.0)
            .bind(&address_key)
            .fetch_optional(c)
            .await)?;
        let Some(line) = line else { return Ok(None) };
        let is_blocked = self.is_blocked(&address_key).await?;
        line.status(is_blocked).map(Some)
    }
}

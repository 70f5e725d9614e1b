//! Last check before sending, for several mails at once: state and recipient.

use std::collections::BTreeMap;

use sqlx::FromRow;

use super::coalesced_mails::has_newer;
use super::do_not_mail::is_covered;
use super::outbox::OutboxRow;
use super::outbox::waits;
use crate::connection::{StoreError, on};
use crate::rows::{UserRow, UserState, is_shared};
use crate::transaction::ReadTx;
use knotpost_model::{Millis, OutboxKey, UserKey};

#[derive(Clone, Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "five facts of the database that have nothing to do with each other"
)]
pub struct DeliveryStatus {
    pub id: OutboxKey,
    /// True if it has not ended and no other process has leased it.
    pub is_leased: bool,
    pub is_stopped: bool,
    pub is_blocked: bool,
    /// True if a newer mail about the board to the same address waits and was certainly not delivered.
    pub has_newer: bool,
    /// True if other users have confirmed its address too.
    pub is_shared: bool,
    pub reader: Option<UserRow>,
    pub address: Option<i64>,
}

#[derive(Debug, FromRow)]
#[expect(clippy::struct_excessive_bools, reason = "columns of one row")]
struct Line {
    #[sqlx(try_from = "i64")]
    id: OutboxKey,
    #[sqlx(rename = "is_taken")]
    is_leased: bool,
    is_stopped: bool,
    has_newer: bool,
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
    fn status(self) -> Result<DeliveryStatus, StoreError> {
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
            id: self.id,
            is_leased: self.is_leased,
            is_stopped: self.is_stopped,
            is_blocked: false,
            has_newer: self.has_newer,
            is_shared: self.is_shared,
            reader,
            address: self.address_id,
        })
    }
}

/// State of the mail of a key `asked`, whose value is the mail's address in lower case.
macro_rules! select_status {
    ($from:literal, $key:literal) => {
        concat!(
            "SELECT outbox.id, ",
            waits!(),
            " AND outbox.due_at = $2 AS is_taken, \
             EXISTS (SELECT 1 FROM failing_addresses f WHERE f.address_key = asked.value \
             AND f.stopped_at IS NOT NULL) AS is_stopped, ",
            has_newer!(),
            ", ",
            is_shared!("asked.value", "outbox.user_id"),
            ", (SELECT a.id FROM addresses a WHERE a.user_id = outbox.user_id \
             AND a.address_key = asked.value AND a.verified_at IS NOT NULL) AS address_id, \
             u.id AS user_id, u.userid, u.password_hash, u.role, u.state AS user_state, u.created_at, \
             u.password_changed_at FROM ",
            $from,
            "outbox LEFT JOIN users u ON u.id = outbox.user_id WHERE outbox.id = CAST(",
            $key,
            " AS BIGINT)"
        )
    };
}

const ON_SQLITE: &str = select_status!("json_each($1) AS asked CROSS JOIN ", "asked.key");
/// One row at a time, forced by the limit: with all keys at once PostgreSQL may reuse a plan that scans a
/// table that was small when planned.
const ON_POSTGRES: &str = concat!(
    "SELECT found.* FROM json_each_text(CAST($1 AS json)) AS asked CROSS JOIN LATERAL (",
    select_status!("", "asked.key"),
    " LIMIT 1) AS found"
);

impl ReadTx {
    /// States of mails leased until `lease_until`, in any order; missing ones are left out.
    pub async fn delivery_statuses(
        &mut self,
        mails: &[OutboxRow],
        lease_until: Millis,
    ) -> Result<Vec<DeliveryStatus>, StoreError> {
        let asked: BTreeMap<i64, String> =
            mails.iter().map(|mail| (mail.id.0, mail.recipient.to_lowercase())).collect();
        let asked = serde_json::to_string(&asked).map_err(|error| StoreError::Corrupt(error.to_string()))?;
        let sql = if self.is_postgres() { ON_POSTGRES } else { ON_SQLITE };
        let lines = on!(self, c => sqlx::query_as::<_, Line>(sql)
            .bind(asked)
            .bind(lease_until.0)
            .fetch_all(c)
            .await)?;
        let mut statuses = lines.into_iter().map(Line::status).collect::<Result<Vec<_>, _>>()?;
        let blocked = self.blocked_among(mails.iter().map(|mail| mail.recipient.as_str())).await?;
        for status in &mut statuses {
            let mail = mails.iter().find(|mail| mail.id == status.id);
            status.is_blocked = mail.is_some_and(|mail| is_covered(&mail.recipient, &blocked));
        }
        Ok(statuses)
    }
}

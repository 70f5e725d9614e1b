//! Facts about users' presence and notifications.

use crate::connection::{Result, key_list, row};
use crate::rows::UserState;
use crate::transaction::{ReadTx, Statements};
use knotpost_model::UserKey;

row! {
    #[derive(Clone, Debug)]
    pub struct PresenceRow {
        pub user_id: UserKey,
        pub userid: String,
        pub role: String,
        pub state: UserState,
        pub away_until: Option<i64>,
        pub has_address: bool,
        pub takes_mail: bool,
        pub has_webhook: bool,
        pub seen_at: Option<i64>,
    }
}

impl ReadTx {
    /// `confirmed_only`: only confirmed addresses count.
    pub async fn presence(&mut self, users: &[UserKey], confirmed_only: bool) -> Result<Vec<PresenceRow>> {
        macro_rules! select_presence {
            ($among:literal) => {
                concat!(
                    "SELECT u.id AS user_id, u.userid, u.role, u.state, \
                     (SELECT MAX(v.until_at) FROM vacations v WHERE v.user_id = u.id) AS away_until, \
                     EXISTS (SELECT 1 FROM addresses a WHERE a.user_id = u.id \
                     AND (a.verified_at IS NOT NULL OR NOT $2)) AS has_address, \
                     EXISTS (SELECT 1 FROM addresses a LEFT JOIN failing_addresses f ON f.address_key = a.address_key \
                     WHERE a.user_id = u.id AND (a.verified_at IS NOT NULL OR NOT $2) \
                     AND f.stopped_at IS NULL) AS takes_mail, \
                     EXISTS (SELECT 1 FROM webhooks w WHERE w.user_id = u.id AND w.stopped_at IS NULL) AS has_webhook, \
                     (SELECT MAX(s.seen_at) FROM (SELECT seen_at FROM web_sessions WHERE user_id = u.id \
                     UNION ALL SELECT seen_at FROM login_hosts WHERE user_id = u.id) s) AS seen_at \
                     FROM users u WHERE u.id ",
                    $among
                )
            };
        }
        if users.is_empty() {
            return Ok(Vec::new());
        }
        let sql = if self.is_postgres() {
            select_presence!("= ANY(CAST(TRANSLATE($1, '[]', '{}') AS BIGINT[]))")
        } else {
            select_presence!("IN (SELECT value FROM json_each($1))")
        };
        self.fetch_all(sql, &[&key_list(users), &confirmed_only]).await
    }
}

//! Audit log of administrators' actions: append-only, pruned by age.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::Millis;

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct AuditRow {
        pub id: i64,
        pub at: Millis,
        /// `shell`, `web` or `api`.
        pub channel: String as "door",
        /// Userid, or for the shell the operating system's user.
        pub actor: String,
        /// Stable word such as `board.pause`.
        pub action: String as "deed",
        /// Subject, e.g. `ann`, `osbox 101`, `inbox 17`.
        pub subject: String,
        /// `done`, or the code of a refusal.
        pub outcome: String,
        /// Never a secret.
        pub detail: String,
    }
}

#[derive(Clone, Debug)]
pub struct NewAudit {
    pub channel: &'static str,
    pub actor: String,
    pub action: &'static str,
    pub subject: String,
    pub subject_user: Option<String>,
    pub outcome: &'static str,
    pub detail: String,
}

#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub user: Option<String>,
    pub since: i64,
    pub before: Option<i64>,
}

macro_rules! select_audit {
    ($rest:literal) => {
        concat!("SELECT id, at, door, actor, deed, subject, outcome, detail FROM audit ", $rest)
    };
}

impl ReadTx {
    /// Newest first.
    pub async fn list_audit(&mut self, filter: &AuditFilter, limit: i64) -> Result<Vec<AuditRow>> {
        let before = filter.before.unwrap_or(i64::MAX);
        match &filter.user {
            None => {
                let sql = select_audit!("WHERE id < $1 AND at >= $2 ORDER BY id DESC LIMIT $3");
                self.fetch_all(sql, &[&before, &filter.since, &limit]).await
            }
            Some(user) => {
                let sql = select_audit!(
                    "WHERE id IN (SELECT id FROM audit WHERE actor_key = $4 AND id < $1 UNION \
                     SELECT id FROM audit WHERE subject_user = $4 AND id < $1) AND at >= $2 ORDER BY id DESC LIMIT $3"
                );
                self.fetch_all(sql, &[&before, &filter.since, &limit, user]).await
            }
        }
    }
}

impl WriteTx {
    /// Belongs in the transaction of the action.
    pub async fn insert_audit(&mut self, row: &NewAudit, now: Millis) -> Result<()> {
        let sql = "INSERT INTO audit (at, door, actor, actor_key, deed, subject, subject_user, outcome, detail) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        self.exec(
            sql,
            &[
                &now,
                &row.channel,
                &row.actor,
                &row.actor.to_lowercase(),
                &row.action,
                &row.subject,
                &row.subject_user.as_ref().map(|userid| userid.to_lowercase()),
                &row.outcome,
                &row.detail,
            ],
        )
        .await
    }

    /// Deletes a batch older than `before`; returns the number.
    pub async fn prune_audit(&mut self, before: Millis) -> Result<u64> {
        // Row numbers ascend: only the oldest are read.
        let sql = "DELETE FROM audit WHERE id IN \
                   (SELECT id FROM (SELECT id, at FROM audit ORDER BY id LIMIT 1000) AS oldest WHERE at < $1)";
        self.exec_count(sql, &[&before]).await
    }
}

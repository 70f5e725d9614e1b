//! Audit log of administrators' actions: append-only, pruned by age.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::Millis;

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct AuditRow {
    pub id: i64,
    #[sqlx(try_from = "i64")]
    pub at: Millis,
    /// `shell`, `web` or `api`.
    #[sqlx(rename = "door")]
    pub channel: String,
    /// Userid, or for the shell the operating system's user.
    pub actor: String,
    /// Stable word such as `board.pause`.
    #[sqlx(rename = "deed")]
    pub action: String,
    /// Subject, e.g. `ann`, `osbox 101`, `inbox 17`.
    pub subject: String,
    /// `done`, or the code of a refusal.
    pub outcome: String,
    /// Never a secret.
    pub detail: String,
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
    pub async fn list_audit(
        &mut self,
        filter: &AuditFilter,
        limit: i64,
    ) -> Result<Vec<AuditRow>, StoreError> {
        let before = filter.before.unwrap_or(i64::MAX);
        let rows = match &filter.user {
            None => {
                let sql = select_audit!("WHERE id < $1 AND at >= $2 ORDER BY id DESC LIMIT $3");
                on!(self, c => sqlx::query_as::<_, AuditRow>(sql)
                    .bind(before).bind(filter.since).bind(limit).fetch_all(c).await)?
            }
            Some(user) => {
                let sql = select_audit!(
                    "WHERE id IN (SELECT id FROM audit WHERE actor_key = $4 AND id < $1 UNION \
                     SELECT id FROM audit WHERE subject_user = $4 AND id < $1) AND at >= $2 ORDER BY id DESC LIMIT $3"
                );
                on!(self, c => sqlx::query_as::<_, AuditRow>(sql)
                    .bind(before).bind(filter.since).bind(limit).bind(user).fetch_all(c).await)?
            }
        };
        Ok(rows)
    }
}

impl WriteTx {
    /// Belongs in the transaction of the action.
    pub async fn insert_audit(&mut self, row: &NewAudit, now: Millis) -> Result<(), StoreError> {
        let sql = "INSERT INTO audit (at, door, actor, actor_key, deed, subject, subject_user, outcome, detail) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(now.0)
            .bind(row.channel)
            .bind(&row.actor)
            .bind(row.actor.to_lowercase())
            .bind(row.action)
            .bind(&row.subject)
            .bind(row.subject_user.as_ref().map(|userid| userid.to_lowercase()))
            .bind(row.outcome)
            .bind(&row.detail)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Deletes a batch older than `before`; returns the number.
    pub async fn prune_audit(&mut self, before: Millis) -> Result<u64, StoreError> {
        // Row numbers ascend: only the oldest are read.
        let sql = "DELETE FROM audit WHERE id IN \
                   (SELECT id FROM (SELECT id, at FROM audit ORDER BY id LIMIT 1000) AS oldest WHERE at < $1)";
        Ok(
            on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(|done| done.rows_affected()))?,
        )
    }
}

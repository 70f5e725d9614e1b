//! Work that one process does for all of them, and when none of them was running.

use sqlx::FromRow;

use super::{StoreError, Tx, on};
use crate::domain::{Millis, Period};

/// A duty and who does it.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct DutyRow {
    /// Who does it.
    pub holder: String,
    /// Nobody else does it before.
    #[sqlx(try_from = "i64")]
    pub until_at: Millis,
    /// When it was last done.
    #[sqlx(try_from = "i64")]
    pub alive_at: Millis,
}

impl Tx {
    /// Who does this duty; `None`: nobody ever did.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn duty(&mut self, name: &str) -> Result<Option<DutyRow>, StoreError> {
        let sql = "SELECT holder, until_at, alive_at FROM duties WHERE name = $1";
        Ok(on!(self, c => sqlx::query_as::<_, DutyRow>(sql).bind(name).fetch_optional(c).await)?)
    }

    /// Gives a duty to a holder. Two that do so at once conflict with each other.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn hold_duty(&mut self, name: &str, duty: &DutyRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO duties (name, holder, until_at, alive_at) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (name) DO UPDATE SET holder = $2, until_at = $3, alive_at = $4";
        on!(self.writing().await?, c => sqlx::query(sql)
            .bind(name)
            .bind(&duty.holder)
            .bind(duty.until_at.0)
            .bind(duty.alive_at.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Gives all duties back: whoever held them is gone. When they were last done stays.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release_duties(&mut self) -> Result<(), StoreError> {
        let sql = "UPDATE duties SET until_at = alive_at WHERE until_at > alive_at";
        on!(self.writing().await?, c => sqlx::query(sql).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Gives the duties of one holder back who is gone; says whether there were any.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn release_duties_of(&mut self, holder: &str) -> Result<bool, StoreError> {
        let sql =
            "UPDATE duties SET until_at = alive_at WHERE holder = $1 AND until_at > alive_at RETURNING name";
        let names: Vec<String> =
            on!(self.writing().await?, c => sqlx::query_scalar(sql).bind(holder).fetch_all(c).await)?;
        Ok(!names.is_empty())
    }

    /// Notes that no server was running.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn insert_outage(&mut self, outage: Period) -> Result<(), StoreError> {
        let sql = "INSERT INTO outages (from_at, until_at) VALUES ($1, $2) \
                   ON CONFLICT (from_at) DO UPDATE SET until_at = $2 WHERE outages.until_at < $2";
        on!(self.writing().await?, c => sqlx::query(sql).bind(outage.from.0).bind(outage.until.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Cuts off what lies ahead of `now` in the outages: the machine's time went back.
    ///
    /// # Errors
    /// When the database fails.
    pub async fn trim_outages(&mut self, now: Millis) -> Result<(), StoreError> {
        on!(self.writing().await?, c => sqlx::query("DELETE FROM outages WHERE from_at >= $1").bind(now.0).execute(c).await.map(drop))?;
        let sql = "UPDATE outages SET until_at = $1 WHERE until_at > $1";
        on!(self.writing().await?, c => sqlx::query(sql).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }
}

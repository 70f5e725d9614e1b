//! Leases of duties done by one process for all, and outages without any process.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::{Millis, Period};

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct LeaderLease {
    pub holder: String,
    #[sqlx(try_from = "i64")]
    pub until_at: Millis,
    #[sqlx(try_from = "i64")]
    pub alive_at: Millis,
}

impl ReadTx {
    /// `None`: no process ever had it.
    pub async fn leader_lease(&mut self, name: &str) -> Result<Option<LeaderLease>, StoreError> {
        let sql = "SELECT holder, until_at, alive_at FROM duties WHERE name = $1";
        Ok(on!(self, c => sqlx::query_as::<_, LeaderLease>(sql).bind(name).fetch_optional(c).await)?)
    }
}

impl WriteTx {
    /// Conflicts with a concurrent call.
    pub async fn put_leader_lease(&mut self, name: &str, lease: &LeaderLease) -> Result<(), StoreError> {
        let sql = "INSERT INTO duties (name, holder, until_at, alive_at) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (name) DO UPDATE SET holder = $2, until_at = $3, alive_at = $4";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(name)
            .bind(&lease.holder)
            .bind(lease.until_at.0)
            .bind(lease.alive_at.0)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    /// Ends all leases, whose holders are gone. The last times of the duties stay.
    pub async fn release_leader_leases(&mut self) -> Result<(), StoreError> {
        let sql = "UPDATE duties SET until_at = alive_at WHERE until_at > alive_at";
        on!(self.writing(), c => sqlx::query(sql).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Ends the leases of a holder that is gone; true if there were any.
    pub async fn release_leader_leases_of(&mut self, holder: &str) -> Result<bool, StoreError> {
        let sql =
            "UPDATE duties SET until_at = alive_at WHERE holder = $1 AND until_at > alive_at RETURNING name";
        let names: Vec<String> =
            on!(self.writing(), c => sqlx::query_scalar(sql).bind(holder).fetch_all(c).await)?;
        Ok(!names.is_empty())
    }

    pub async fn insert_outage(&mut self, outage: Period) -> Result<(), StoreError> {
        let sql = "INSERT INTO outages (from_at, until_at) VALUES ($1, $2) \
                   ON CONFLICT (from_at) DO UPDATE SET until_at = $2 WHERE outages.until_at < $2";
        on!(self.writing(), c => sqlx::query(sql).bind(outage.from.0).bind(outage.until.0).execute(c).await.map(drop))?;
        Ok(())
    }

    /// Cuts outages off at `now`: the clock went back.
    pub async fn trim_outages(&mut self, now: Millis) -> Result<(), StoreError> {
        on!(self.writing(), c => sqlx::query("DELETE FROM outages WHERE from_at >= $1").bind(now.0).execute(c).await.map(drop))?;
        let sql = "UPDATE outages SET until_at = $1 WHERE until_at > $1";
        on!(self.writing(), c => sqlx::query(sql).bind(now.0).execute(c).await.map(drop))?;
        Ok(())
    }
}

//! Leases of duties done by one process for all, and outages without any process.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::{Millis, Period};

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct LeaderLease {
        pub holder: String,
        pub until_at: Millis,
        pub alive_at: Millis,
    }
}

impl ReadTx {
    /// `None`: no process ever had it.
    pub async fn leader_lease(&mut self, name: &str) -> Result<Option<LeaderLease>> {
        self.fetch_optional("SELECT holder, until_at, alive_at FROM duties WHERE name = $1", &[&name]).await
    }
}

impl WriteTx {
    /// Conflicts with a concurrent call.
    pub async fn put_leader_lease(&mut self, name: &str, lease: &LeaderLease) -> Result<()> {
        let sql = "INSERT INTO duties (name, holder, until_at, alive_at) VALUES ($1, $2, $3, $4) \
                   ON CONFLICT (name) DO UPDATE SET holder = $2, until_at = $3, alive_at = $4";
        self.exec(sql, &[&name, &lease.holder, &lease.until_at, &lease.alive_at]).await
    }

    /// Ends all leases, whose holders are gone. The last times of the duties stay.
    pub async fn release_leader_leases(&mut self) -> Result<()> {
        self.exec("UPDATE duties SET until_at = alive_at WHERE until_at > alive_at", &[]).await
    }

    /// Ends the leases of a holder that is gone; true if there were any.
    pub async fn release_leader_leases_of(&mut self, holder: &str) -> Result<bool> {
        let sql =
            "UPDATE duties SET until_at = alive_at WHERE holder = $1 AND until_at > alive_at RETURNING name";
        let names: Vec<String> = self.fetch_all(sql, &[&holder]).await?;
        Ok(!names.is_empty())
    }

    pub async fn insert_outage(&mut self, outage: Period) -> Result<()> {
        let sql = "INSERT INTO outages (from_at, until_at) VALUES ($1, $2) \
                   ON CONFLICT (from_at) DO UPDATE SET until_at = $2 WHERE outages.until_at < $2";
        self.exec(sql, &[&outage.from, &outage.until]).await
    }

    /// Cuts outages off at `now`: the clock went back.
    pub async fn trim_outages(&mut self, now: Millis) -> Result<()> {
        self.exec("DELETE FROM outages WHERE from_at >= $1", &[&now]).await?;
        self.exec("UPDATE outages SET until_at = $1 WHERE until_at > $1", &[&now]).await
    }
}

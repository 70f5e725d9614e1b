//! Servers on the database, as reported by themselves.

use crate::connection::{Result, row};
use crate::transaction::{ReadTx, Statements, WriteTx};
use knotpost_model::Millis;

row! {
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ServerRow {
        pub name: String,
        pub host: String,
        pub version: String,
        pub started_at: Millis,
        pub alive_at: Millis,
        pub errors: i64,
        pub error: Option<String>,
        pub error_at: Option<i64>,
    }
}

impl ReadTx {
    pub async fn servers(&mut self) -> Result<Vec<ServerRow>> {
        let sql = "SELECT name, host, version, started_at, alive_at, errors, error, error_at FROM servers \
                   ORDER BY host, started_at, name";
        self.fetch_all(sql, &[]).await
    }
}

impl WriteTx {
    pub async fn put_server(&mut self, row: &ServerRow) -> Result<()> {
        let sql = "INSERT INTO servers (name, host, version, started_at, alive_at, errors, error, error_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name) DO UPDATE SET \
                   alive_at = $5, errors = $6, error = $7, error_at = $8";
        self.exec(
            sql,
            &[
                &row.name,
                &row.host,
                &row.version,
                &row.started_at,
                &row.alive_at,
                &row.errors,
                &row.error,
                &row.error_at,
            ],
        )
        .await
    }

    pub async fn delete_server(&mut self, name: &str) -> Result<()> {
        self.exec("DELETE FROM servers WHERE name = $1", &[&name]).await
    }

    pub async fn delete_servers(&mut self) -> Result<()> {
        self.exec("DELETE FROM servers", &[]).await
    }

    pub async fn prune_servers(&mut self, before: Millis) -> Result<()> {
        self.exec("DELETE FROM servers WHERE alive_at < $1", &[&before]).await
    }
}

//! Servers on the database, as reported by themselves.

use sqlx::FromRow;

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};
use knotpost_model::Millis;

#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ServerRow {
    pub name: String,
    pub host: String,
    pub version: String,
    #[sqlx(try_from = "i64")]
    pub started_at: Millis,
    #[sqlx(try_from = "i64")]
    pub alive_at: Millis,
    pub errors: i64,
    pub error: Option<String>,
    pub error_at: Option<i64>,
}

impl ReadTx {
    pub async fn servers(&mut self) -> Result<Vec<ServerRow>, StoreError> {
        let sql = "SELECT name, host, version, started_at, alive_at, errors, error, error_at FROM servers \
                   ORDER BY host, started_at, name";
        Ok(on!(self, c => sqlx::query_as::<_, ServerRow>(sql).fetch_all(c).await)?)
    }
}

impl WriteTx {
    pub async fn put_server(&mut self, row: &ServerRow) -> Result<(), StoreError> {
        let sql = "INSERT INTO servers (name, host, version, started_at, alive_at, errors, error, error_at) \
                   VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (name) DO UPDATE SET \
                   alive_at = $5, errors = $6, error = $7, error_at = $8";
        on!(self.writing(), c => sqlx::query(sql)
            .bind(&row.name)
            .bind(&row.host)
            .bind(&row.version)
            .bind(row.started_at.0)
            .bind(row.alive_at.0)
            .bind(row.errors)
            .bind(&row.error)
            .bind(row.error_at)
            .execute(c)
            .await
            .map(drop))?;
        Ok(())
    }

    pub async fn delete_server(&mut self, name: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM servers WHERE name = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(name).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn delete_servers(&mut self) -> Result<(), StoreError> {
        on!(self.writing(), c => sqlx::query("DELETE FROM servers").execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn prune_servers(&mut self, before: Millis) -> Result<(), StoreError> {
        let sql = "DELETE FROM servers WHERE alive_at < $1";
        on!(self.writing(), c => sqlx::query(sql).bind(before.0).execute(c).await.map(drop))?;
        Ok(())
    }
}

//! Facts that all servers on one database must agree on.

use crate::connection::{StoreError, on};
use crate::transaction::{ReadTx, WriteTx};

impl ReadTx {
    pub async fn server_metadata(&mut self, name: &str) -> Result<Option<String>, StoreError> {
        let sql = "SELECT value FROM server_facts WHERE name = $1";
        Ok(on!(self, c => sqlx::query_scalar::<_, String>(sql).bind(name).fetch_optional(c).await)?)
    }
}

impl WriteTx {
    pub async fn save_server_metadata(&mut self, name: &str, value: &str) -> Result<(), StoreError> {
        let sql = "INSERT INTO server_facts (name, value) VALUES ($1, $2) \
                   ON CONFLICT (name) DO UPDATE SET value = $2";
        on!(self.writing(), c => sqlx::query(sql).bind(name).bind(value).execute(c).await.map(drop))?;
        Ok(())
    }

    pub async fn forget_server_metadata(&mut self, name: &str) -> Result<(), StoreError> {
        let sql = "DELETE FROM server_facts WHERE name = $1";
        on!(self.writing(), c => sqlx::query(sql).bind(name).execute(c).await.map(drop))?;
        Ok(())
    }
}

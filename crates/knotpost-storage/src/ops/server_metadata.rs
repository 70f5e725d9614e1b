//! Facts that all servers on one database must agree on.

use crate::connection::Result;
use crate::transaction::{ReadTx, Statements, WriteTx};

impl ReadTx {
    pub async fn server_metadata(&mut self, name: &str) -> Result<Option<String>> {
        self.fetch_optional("SELECT value FROM server_facts WHERE name = $1", &[&name]).await
    }
}

impl WriteTx {
    pub async fn save_server_metadata(&mut self, name: &str, value: &str) -> Result<()> {
        let sql = "INSERT INTO server_facts (name, value) VALUES ($1, $2) \
                   ON CONFLICT (name) DO UPDATE SET value = $2";
        self.exec(sql, &[&name, &value]).await
    }

    pub async fn forget_server_metadata(&mut self, name: &str) -> Result<()> {
        self.exec("DELETE FROM server_facts WHERE name = $1", &[&name]).await
    }
}

//! Checks the structure of a SQLite file.

use sqlx::{ConnectOptions as _, Connection as _};

use super::{Pools, Store};
use crate::connection::{Result, StoreError};

impl Store {
    /// The faults in the structure of a SQLite file, one a line and at most ten; empty: it is sound. Reads the entire
    /// file, in about a second for every few hundred megabytes, while other connections go on working. PostgreSQL checks
    /// its files itself, so there nothing is read.
    ///
    /// # Errors
    /// When the file cannot be read at all.
    pub async fn find_damage(&self) -> Result<Vec<String>> {
        self.look_through("PRAGMA quick_check(10)").await
    }

    /// As [`Store::find_damage`], and whether indexes and tables say the same: several times as long.
    ///
    /// # Errors
    /// As [`Store::find_damage`].
    pub async fn check_integrity(&self) -> Result<Vec<String>> {
        self.look_through("PRAGMA integrity_check(10)").await
    }

    async fn look_through(&self, pragma: &'static str) -> Result<Vec<String>> {
        let Pools::Sqlite { apart, .. } = &self.pools else { return Ok(Vec::new()) };
        // A connection of its own: no other query has to wait for it, not even at the end.
        let mut connection = apart.connect().await?;
        let found = sqlx::query_scalar(pragma).fetch_all(&mut connection).await;
        let lines: Vec<String> = match found.map_err(StoreError::from) {
            Err(StoreError::Damaged(error)) => return Ok(vec![error.to_string()]),
            found => found?,
        };
        connection.close().await?;
        Ok(lines.into_iter().filter(|line| line != "ok").collect())
    }
}

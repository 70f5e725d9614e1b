//! Checks the structure of a SQLite file.

use super::{Pools, Store, run_apart};
use crate::connection::{Result, StoreError, sqlite};

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
        let Pools::Sqlite { file, .. } = &self.pools else { return Ok(Vec::new()) };
        let file = file.path().to_owned();
        let found = run_apart(move || {
            let connection = sqlite::open(&file)?;
            let mut lines = connection.prepare(pragma)?;
            let lines: rusqlite::Result<Vec<String>> = lines.query_map([], |row| row.get(0))?.collect();
            Ok(lines?)
        });
        match found.await {
            Err(StoreError::Damaged(error)) => Ok(vec![error.to_string()]),
            lines => Ok(lines?.into_iter().filter(|line| line != "ok").collect()),
        }
    }
}

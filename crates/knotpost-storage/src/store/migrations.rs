//! Bringing the schema of a SQLite file up to date. The file is copied before that: the only way back to the program
//! before.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use rusqlite::{Connection, TransactionBehavior};
use sqlx::migrate::{MigrateError, Migration, Migrator};

use knotpost_platform::files::create_private;

use crate::connection::{Result, StoreError, sqlite};

/// The steps that were taken, as sqlx notes them on PostgreSQL.
const STEPS: &str = "CREATE TABLE IF NOT EXISTS _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL, \
    installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL, checksum BLOB NOT NULL, \
    execution_time BIGINT NOT NULL)";

/// Takes the steps that are missing in the file, each in a transaction, and tells where the copy of the file is. A
/// database without a schema, and one that is up to date, is not copied.
///
/// # Errors
/// When the stored schema is newer or another one, or the copy cannot be written; nothing was changed then. When a step
/// fails; those before it stay.
pub(super) fn migrate(file: &Path, steps: &Migrator) -> Result<Option<PathBuf>> {
    let mut connection = sqlite::create(file)?;
    connection.execute_batch(STEPS)?;
    let stored = stored_steps(&connection)?;
    if let Some(newer) = stored.keys().find(|version| steps.iter().all(|step| step.version != **version)) {
        return Err(StoreError::NewerSchema(*newer));
    }
    let is_other = |step: &&Migration| stored.get(&step.version).is_some_and(|sum| **sum != *step.checksum);
    if let Some(other) = steps.iter().find(is_other) {
        return Err(MigrateError::VersionMismatch(other.version).into());
    }
    let missing: Vec<&Migration> = steps.iter().filter(|step| !stored.contains_key(&step.version)).collect();
    let copy = match stored.last_key_value() {
        Some((last, _)) if !missing.is_empty() => Some(keep_copy(&connection, file, *last)?),
        _ => None,
    };
    for step in missing {
        let tx = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        tx.execute_batch(step.sql.as_str())?;
        let noted = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                     VALUES ($1, $2, TRUE, $3, 0)";
        tx.execute(noted, (step.version, &*step.description, &*step.checksum))?;
        tx.commit()?;
    }
    Ok(copy)
}

/// Versions with their checksums.
fn stored_steps(connection: &Connection) -> rusqlite::Result<BTreeMap<i64, Vec<u8>>> {
    let mut stored = connection.prepare("SELECT version, checksum FROM _sqlx_migrations WHERE success")?;
    stored.query_map([], |row| row.try_into())?.collect()
}

/// Copies the database beside itself.
fn keep_copy(connection: &Connection, file: &Path, last: i64) -> Result<PathBuf> {
    let copy = file.with_extension(format!("schema-{last:04}.db"));
    let unfinished = file.with_extension("schema.part");
    // A copy that was cut off is begun anew; SQLite writes into an empty file, whose rights it keeps.
    if let Err(error) = std::fs::remove_file(&unfinished)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error.into());
    }
    create_private(&unfinished)?.sync_all()?;
    connection.execute("VACUUM INTO $1", [unfinished.to_string_lossy()])?;
    std::fs::File::open(&unfinished)?.sync_all()?;
    std::fs::rename(&unfinished, &copy)?;
    tracing::info!(copy = %copy.display(), "the schema changes; the database as it was is kept");
    Ok(copy)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt as _;

    use sqlx::SqlSafeStr as _;
    use sqlx::migrate::MigrationType;

    use super::*;

    /// As many steps as there are tables.
    fn steps(tables: &[&'static str]) -> Migrator {
        let step = |(version, sql): (i64, &&'static str)| {
            Migration::new(version, "a step".into(), MigrationType::Simple, sql.into_sql_str(), false)
        };
        Migrator::with_migrations((1..).zip(tables).map(step).collect())
    }

    #[test]
    fn a_database_is_kept_for_its_owner_before_its_schema_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games.db");
        let (before, after) =
            (steps(&["CREATE TABLE a (b TEXT)"]), steps(&["CREATE TABLE a (b TEXT)", "DROP TABLE a"]));
        assert_eq!(migrate(&file, &before).unwrap(), None, "there was nothing");
        let connection = sqlite::open(&file).unwrap();
        connection.execute_batch("INSERT INTO a VALUES ('kept')").unwrap();
        assert_eq!(migrate(&file, &before).unwrap(), None, "nothing is missing");

        // A copy that was cut off is in the way of none.
        std::fs::write(folder.path().join("games.schema.part"), "half a copy").unwrap();
        let copy = migrate(&file, &after).unwrap().unwrap();
        assert_eq!(copy, folder.path().join("games.schema-0001.db"));
        assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!folder.path().join("games.schema.part").exists());
        assert!(connection.execute_batch("SELECT b FROM a").is_err(), "the table is gone");
        assert!(matches!(migrate(&file, &before), Err(StoreError::NewerSchema(2))));

        let kept = sqlite::open(&copy).unwrap().query_row("SELECT b FROM a", [], |row| row.get(0));
        assert_eq!(kept, Ok("kept".to_owned()));
    }

    #[test]
    fn a_step_that_fails_or_was_another_one_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games.db");
        migrate(&file, &steps(&["CREATE TABLE a (b TEXT)"])).unwrap();
        let failing = steps(&["CREATE TABLE a (b TEXT)", "CREATE TABLE c (d TEXT); CREATE TABLE a (b TEXT)"]);
        assert!(matches!(migrate(&file, &failing), Err(StoreError::Database(_))));
        let other = steps(&["CREATE TABLE a (b TEXT NOT NULL)", "CREATE TABLE c (d TEXT)"]);
        assert!(matches!(migrate(&file, &other), Err(StoreError::Migrate(_))));
        let connection = sqlite::open(&file).unwrap();
        assert_eq!(stored_steps(&connection).unwrap().len(), 1);
        assert!(connection.prepare("SELECT d FROM c").is_err());
    }
}

//! The copy of a SQLite file that is kept when its schema is about to change: the only way back to the program before.

use std::path::{Path, PathBuf};

use sqlx::migrate::Migrator;
use sqlx_sqlite::SqlitePool;

use knotpost_platform::files::create_private;

use crate::connection::Result;

/// Copies the database beside itself when a step of `steps` is missing in it, and tells where the copy is. A database
/// without a schema, and one that is up to date, is not copied.
///
/// # Errors
/// When the copy cannot be written; nothing was migrated then.
pub(super) async fn keep_copy(pool: &SqlitePool, file: &Path, steps: &Migrator) -> Result<Option<PathBuf>> {
    let asked = "SELECT COUNT(*) FROM sqlite_master WHERE name = '_sqlx_migrations'";
    if sqlx::query_scalar::<_, i64>(asked).fetch_one(pool).await? == 0 {
        return Ok(None);
    }
    let asked = "SELECT version FROM _sqlx_migrations WHERE success ORDER BY version";
    let stored: Vec<i64> = sqlx::query_scalar(asked).fetch_all(pool).await?;
    let Some(last) = stored.last() else { return Ok(None) };
    // A newer schema is refused by the migrator, so nothing changes.
    let is_newer = stored.iter().any(|version| steps.iter().all(|step| step.version != *version));
    if is_newer || steps.iter().all(|step| stored.contains(&step.version)) {
        return Ok(None);
    }
    let copy = file.with_extension(format!("schema-{last:04}.db"));
    let unfinished = file.with_extension("schema.part");
    // A copy that was cut off is begun anew; SQLite writes into an empty file, whose rights it keeps.
    if let Err(error) = std::fs::remove_file(&unfinished)
        && error.kind() != std::io::ErrorKind::NotFound
    {
        return Err(error.into());
    }
    create_private(&unfinished)?.sync_all()?;
    sqlx::query("VACUUM INTO $1").bind(unfinished.to_string_lossy()).execute(pool).await?;
    std::fs::File::open(&unfinished)?.sync_all()?;
    std::fs::rename(&unfinished, &copy)?;
    Ok(Some(copy))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::PermissionsExt as _;

    use sqlx::SqlSafeStr as _;
    use sqlx::migrate::{Migration, MigrationType};
    use sqlx_sqlite::SqliteConnectOptions;

    use super::*;

    /// As many steps as there are tables.
    fn steps(tables: &[&'static str]) -> Migrator {
        let step = |(version, sql): (i64, &&'static str)| {
            Migration::new(version, "a step".into(), MigrationType::Simple, sql.into_sql_str(), false)
        };
        Migrator::with_migrations((1..).zip(tables).map(step).collect())
    }

    async fn open(file: &Path) -> SqlitePool {
        let options = SqliteConnectOptions::new().filename(file).create_if_missing(true);
        SqlitePool::connect_with(options).await.unwrap()
    }

    #[tokio::test]
    async fn a_database_is_kept_for_its_owner_before_its_schema_changes() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games.db");
        let pool = open(&file).await;
        let (before, after) =
            (steps(&["CREATE TABLE a (b TEXT)"]), steps(&["CREATE TABLE a (b TEXT)", "DROP TABLE a"]));
        assert_eq!(keep_copy(&pool, &file, &before).await.unwrap(), None, "there was nothing");
        before.run(&pool).await.unwrap();
        sqlx::query("INSERT INTO a VALUES ('kept')").execute(&pool).await.unwrap();
        assert_eq!(keep_copy(&pool, &file, &before).await.unwrap(), None, "nothing is missing");

        // A copy that was cut off is in the way of none.
        std::fs::write(folder.path().join("games.schema.part"), "half a copy").unwrap();
        let copy = keep_copy(&pool, &file, &after).await.unwrap().unwrap();
        assert_eq!(copy, folder.path().join("games.schema-0001.db"));
        assert_eq!(std::fs::metadata(&copy).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(!folder.path().join("games.schema.part").exists());
        after.run(&pool).await.unwrap();
        assert_eq!(keep_copy(&pool, &file, &before).await.unwrap(), None, "a newer schema is not changed");

        let kept: String = sqlx::query_scalar("SELECT b FROM a").fetch_one(&open(&copy).await).await.unwrap();
        assert_eq!(kept, "kept");
    }
}

//! Opening the database and bringing its schema up to date.

use std::path::{Path, PathBuf};

use sqlx::Connection as _;

use knotpost_platform::files::create_private;

use super::migrations::migrate;
use super::{Pools, Store, run_apart};
use crate::connection::sqlite::ReaderPool;
use crate::connection::{FileIdentity, Result, StoreError, sqlite};
use crate::postgres::{Address, Primary};
use crate::transaction::Statements as _;
use crate::writer::Writer;

/// Address of the database, and limits of its use.
#[derive(Clone)]
pub struct Settings {
    /// `sqlite:` (the file `knotpost.db` in `data`), `sqlite:PATH` or `postgres://…`.
    pub url: String,
    /// The server's data folder.
    pub data: PathBuf,
    /// Connections for reading (SQLite), or for all (PostgreSQL).
    pub max_connections: u32,
}

impl std::fmt::Debug for Settings {
    /// Without the address, which may hold a password.
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Settings").field("data", &self.data).finish_non_exhaustive()
    }
}

impl Settings {
    pub fn sqlite_file(&self) -> Option<PathBuf> {
        let path = self.url.strip_prefix("sqlite:")?;
        let path = path.strip_prefix("//").unwrap_or(path);
        Some(if path.is_empty() { self.data.join("knotpost.db") } else { PathBuf::from(path) })
    }
}

impl Store {
    /// Opens the database as it is; [`Store::migrate`] brings the schema up to date.
    ///
    /// # Errors
    /// When the address is not understood or the database cannot be reached.
    pub async fn open(settings: &Settings) -> Result<Self> {
        if let Some(file) = settings.sqlite_file() {
            return open_sqlite(&file, settings.max_connections);
        }
        let primary = Primary::open(Address::parse(&settings.url)?, settings.max_connections).await?;
        Ok(Self { writer: Writer::postgres(primary.clone()), pools: Pools::Postgres(primary) })
    }

    /// Brings the schema up to date, one process at a time. A SQLite file is copied before its schema changes.
    ///
    /// # Errors
    /// When the stored schema is newer than this program, the copy cannot be written, or a migration fails.
    pub async fn migrate(settings: &Settings) -> Result<()> {
        if let Some(file) = settings.sqlite_file() {
            // SQLite has no lock of its own for this; the file system has.
            let copy = run_apart(move || {
                let lock = create_private(&Self::lock_file(&file))?;
                lock.lock()?;
                migrate(&file, &sqlx_macros::migrate!("../../migrations/sqlite"))
            });
            if copy.await?.is_some() {
                tracing::info!("the schema was brought up to date");
            }
        } else {
            let (mut connection, _) = Address::parse(&settings.url)?.connect().await?;
            let steps = sqlx_macros::migrate!("../../migrations/postgres");
            let stored = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
            let is_upgrade: bool = sqlx::query_scalar(stored).fetch_one(&mut connection).await?;
            let counted = "SELECT COUNT(*) FROM _sqlx_migrations WHERE success";
            let before: i64 =
                if is_upgrade { sqlx::query_scalar(counted).fetch_one(&mut connection).await? } else { 0 };
            steps.run(&mut connection).await?;
            if is_upgrade && before < steps.iter().count() as i64 {
                tracing::info!("the schema was brought up to date");
            }
            connection.close().await?;
        }
        Ok(())
    }

    /// The file whose lock a process holds while it brings the schema of a SQLite file up to date.
    pub fn lock_file(database: &Path) -> PathBuf {
        database.with_extension("lock")
    }

    /// True if a PostgreSQL database has a schema. A SQLite file has one when it exists.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn has_schema(settings: &Settings) -> Result<bool> {
        if let Some(file) = settings.sqlite_file() {
            return Ok(file.is_file());
        }
        let (mut connection, _) = Address::parse(&settings.url)?.connect().await?;
        let asked = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
        let found = sqlx::query_scalar(asked).fetch_one(&mut connection).await?;
        connection.close().await?;
        Ok(found)
    }

    /// Connects to a PostgreSQL database once, to learn whether that can be done, and why not.
    ///
    /// # Errors
    /// When it cannot be reached or refuses.
    pub async fn try_server(settings: &Settings) -> Result<()> {
        if settings.sqlite_file().is_some() {
            return Ok(());
        }
        let (connection, _) = Address::parse(&settings.url)?.connect().await?;
        connection.close().await?;
        Ok(())
    }

    /// Checks that the schema is the one this program was made for.
    ///
    /// # Errors
    /// When it is older or newer, or cannot be read.
    pub async fn check_schema(&self) -> Result<()> {
        let mut tx = self.read().await?;
        let tables = if self.is_shared() {
            "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('_sqlx_migrations')"
        } else {
            "SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'"
        };
        let tables: i64 = tx.fetch_one(tables, &[]).await?;
        let stored: Vec<i64> = if tables == 0 {
            Vec::new()
        } else {
            let sql = "SELECT version FROM _sqlx_migrations WHERE success ORDER BY version";
            tx.fetch_all(sql, &[]).await?
        };
        let ours: Vec<i64> = sqlx_macros::migrate!("../../migrations/sqlite")
            .iter()
            .map(|migration| migration.version)
            .collect();
        if let Some(newer) = stored.iter().find(|version| !ours.contains(version)) {
            return Err(StoreError::NewerSchema(*newer));
        }
        match ours.iter().find(|version| !stored.contains(version)) {
            Some(missing) => Err(StoreError::OlderSchema(*missing)),
            None => Ok(()),
        }
    }
}

fn open_sqlite(file: &Path, max_connections: u32) -> Result<Store> {
    // The first connection creates the file. Later ones must not: an empty file in place of a deleted one would be taken
    // for it.
    drop(sqlite::create(file)?);
    let identity = FileIdentity::of(file)?;
    Ok(Store {
        writer: Writer::sqlite(identity.clone())?,
        pools: Pools::Sqlite {
            readers: ReaderPool::new(file, max_connections.max(1)),
            file: Box::new(identity),
        },
    })
}

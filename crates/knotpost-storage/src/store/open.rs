//! Opening the database and bringing its schema up to date.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use sqlx::{ConnectOptions as _, Connection as _};
use sqlx_postgres::PgPool;
use sqlx_postgres::{PgConnectOptions, PgPoolOptions};
use sqlx_rusqlite::{DataVersion, ReaderPool, RusqliteConnectOptions};
use sqlx_sqlite::SqlitePool;
use sqlx_sqlite::{SqliteConnectOptions, SqliteJournalMode, SqliteSynchronous};

use knotpost_platform::files::create_private;

use super::earlier::keep_copy;
use super::{Pools, Store};
use crate::connection::{FileIdentity, StoreError, on};
use crate::writer::{Freshness, Writer};

/// How long a process waits for another one's write on SQLite.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How many prepared statements a SQLite connection caches.
const STATEMENT_CACHE: usize = 256;

/// The page cache of a SQLite connection for reading, in KiB, which SQLite wants negative. The standings of a large server
/// touch 600 pages, more than the 2 MB of the default, and would be read from the file anew each time.
const READ_CACHE: &str = "-4000";

/// A connection that was idle for longer than this is checked before it is used.
const RESTED: Duration = Duration::from_secs(1);

/// Which database, and how it is used.
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
    /// The SQLite file, when it is one.
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
    pub async fn open(settings: &Settings) -> Result<Self, StoreError> {
        if let Some(file) = settings.sqlite_file() {
            return open_sqlite(&file, settings.max_connections).await;
        }
        if settings.url.starts_with("postgres://") || settings.url.starts_with("postgresql://") {
            let options = PgConnectOptions::from_str(&settings.url)?.application_name("knotpost");
            let fresh = Freshness::default();
            let asked = fresh.clone();
            let pool = PgPoolOptions::new()
                // One more for the listener, which never gives it back.
                .max_connections(settings.max_connections.max(1).saturating_add(1))
                .acquire_timeout(Duration::from_secs(10))
                // A connection that was in use a moment ago is still open; checking it would cost a query each time.
                .test_before_acquire(false)
                .before_acquire(move |connection, meta| {
                    let is_fresh = asked.is_fresh(meta.age);
                    Box::pin(async move {
                        if !is_fresh {
                            return Ok(false);
                        }
                        if meta.idle_for > RESTED {
                            connection.ping().await?;
                        }
                        Ok(true)
                    })
                })
                .connect_with(options)
                .await?;
            return Ok(Self { writer: Writer::postgres(pool.clone(), fresh)?, pools: Pools::Postgres(pool) });
        }
        Err(StoreError::Url("database.url starts with `sqlite:` or `postgres://`".to_owned()))
    }

    /// Brings the schema up to date, one process at a time. A SQLite file is copied before its schema changes.
    ///
    /// # Errors
    /// When the stored schema is newer than this program, the copy cannot be written, or a migration fails.
    pub async fn migrate(settings: &Settings) -> Result<(), StoreError> {
        if let Some(file) = settings.sqlite_file() {
            // SQLite has no lock of its own for this; the file system has.
            let lock = create_private(&Self::lock_file(&file))?;
            let lock = tokio::task::spawn_blocking(move || lock.lock().map(|()| lock))
                .await
                .map_err(std::io::Error::other)??;
            let pool = SqlitePool::connect_with(sqlite_options(&file)).await?;
            let steps = sqlx_macros::migrate!("../../migrations/sqlite");
            if let Some(copy) = keep_copy(&pool, &file, &steps).await? {
                tracing::info!(copy = %copy.display(), "the schema changes; the database as it was is kept");
            }
            steps.run(&pool).await?;
            pool.close().await;
            drop(lock);
        } else {
            let pool = PgPool::connect(&settings.url).await?;
            sqlx_macros::migrate!("../../migrations/postgres").run(&pool).await?;
            pool.close().await;
        }
        Ok(())
    }
}

impl Store {
    /// The file whose lock a process holds while it brings the schema of a SQLite file up to date.
    pub fn lock_file(database: &Path) -> PathBuf {
        database.with_extension("lock")
    }

    /// Whether a PostgreSQL database has a schema. A SQLite file has one when it exists.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn has_schema(settings: &Settings) -> Result<bool, StoreError> {
        if let Some(file) = settings.sqlite_file() {
            return Ok(file.is_file());
        }
        let pool = PgPool::connect(&settings.url).await?;
        let asked = "SELECT to_regclass('_sqlx_migrations') IS NOT NULL";
        let found = sqlx::query_scalar(asked).fetch_one(&pool).await?;
        pool.close().await;
        Ok(found)
    }

    /// Connects to a PostgreSQL server once, without the patience of [`Store::open`], so that what it said is known.
    ///
    /// # Errors
    /// When it cannot be reached or refuses.
    pub async fn try_server(settings: &Settings) -> Result<(), StoreError> {
        if settings.sqlite_file().is_some() {
            return Ok(());
        }
        let options = PgConnectOptions::from_str(&settings.url)?.application_name("knotpost");
        options.connect().await?.close().await?;
        Ok(())
    }

    /// Whether the schema is the one this program was made for.
    ///
    /// # Errors
    /// When it is older or newer, or cannot be read.
    pub async fn check_schema(&self) -> Result<(), StoreError> {
        let mut tx = self.read().await?;
        let tables = if self.is_shared() {
            "SELECT count(*) FROM pg_catalog.pg_class WHERE oid = to_regclass('_sqlx_migrations')"
        } else {
            "SELECT count(*) FROM sqlite_schema WHERE name = '_sqlx_migrations'"
        };
        let tables: i64 = on!(&mut tx, c => sqlx::query_scalar(tables).fetch_one(c).await)?;
        let stored: Vec<i64> = if tables == 0 {
            Vec::new()
        } else {
            let sql = "SELECT version FROM _sqlx_migrations WHERE success ORDER BY version";
            on!(&mut tx, c => sqlx::query_scalar(sql).fetch_all(c).await)?
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

fn sqlite_options(file: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(file)
        .create_if_missing(true)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .foreign_keys(true)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(STATEMENT_CACHE)
}

async fn open_sqlite(file: &Path, max_connections: u32) -> Result<Store, StoreError> {
    let options = RusqliteConnectOptions::new(file)
        .busy_timeout(BUSY_TIMEOUT)
        .statement_cache_capacity(STATEMENT_CACHE);
    // The first connection creates the file. Later ones must not: an empty file in place of a deleted one would be taken
    // for it.
    options.connect().await?.close().await?;
    let identity = FileIdentity::of(file)?;
    let options = options.must_exist();
    let writer = Writer::sqlite(options.clone(), identity.clone()).await?;
    let usage = options.usage_counter();
    let options = options.pragma("cache_size", READ_CACHE);
    Ok(Store {
        pools: Pools::Sqlite {
            data_version: Box::new(DataVersion::new(options.clone())),
            readers: ReaderPool::new(options, max_connections.max(1)),
            apart: Box::new(sqlite_options(file).create_if_missing(false)),
            file: Box::new(identity),
            usage,
        },
        writer,
    })
}

//! Options of a connection.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use log::LevelFilter;
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use sqlx_core::Url;
use sqlx_core::connection::{ConnectOptions, LogSettings};
use sqlx_core::error::Error;

use crate::error::to_sqlx_error;
use crate::{RusqliteConnection, UsageCounter};

const DEFAULT_BUSY_TIMEOUT: Duration = Duration::from_secs(5);
const DEFAULT_STATEMENT_CACHE_CAPACITY: usize = 256;

/// The pragmas that every connection starts with: readers do not block the writer, a commit is on disk when it returns,
/// and foreign keys are enforced.
const DEFAULT_PRAGMAS: [(&str, &str); 3] =
    [("foreign_keys", "ON"), ("journal_mode", "WAL"), ("synchronous", "FULL")];

/// Options by which connections to one SQLite database are opened.
///
/// Defaults: the file is created if it is missing; `journal_mode = WAL`, `synchronous = FULL`, `foreign_keys = ON`; a
/// busy timeout of 5 seconds; 256 cached statements per connection; and SQLite's query planner stability guarantee
/// (`SQLITE_DBCONFIG_ENABLE_QPSG`), so that a cached plan is not made again for other parameter values.
///
/// As a URL: `sqlite:PATH`, `sqlite://PATH` or `sqlite::memory:`, without query parameters. An in-memory database belongs
/// to one connection alone.
#[derive(Clone, Debug)]
pub struct RusqliteConnectOptions {
    file: PathBuf,
    busy_timeout: Duration,
    statement_cache_capacity: usize,
    is_read_only: bool,
    must_exist: bool,
    /// In the order in which they are set.
    pragmas: Vec<(Cow<'static, str>, Cow<'static, str>)>,
    log: LogSettings,
    usage: UsageCounter,
}

impl RusqliteConnectOptions {
    /// The default options for the database in `file`.
    pub fn new(file: impl AsRef<Path>) -> Self {
        Self {
            file: file.as_ref().to_owned(),
            busy_timeout: DEFAULT_BUSY_TIMEOUT,
            statement_cache_capacity: DEFAULT_STATEMENT_CACHE_CAPACITY,
            is_read_only: false,
            must_exist: false,
            pragmas: DEFAULT_PRAGMAS.map(|(name, value)| (name.into(), value.into())).into(),
            log: LogSettings::default(),
            usage: UsageCounter::default(),
        }
    }

    /// Limit of the wait for a lock of another connection; after it a statement fails with `SQLITE_BUSY`. The wait
    /// blocks the calling thread.
    #[must_use]
    pub fn busy_timeout(self, timeout: Duration) -> Self {
        Self { busy_timeout: timeout, ..self }
    }

    /// Prepared statements that a connection caches. The least recently used one is dropped first.
    #[must_use]
    pub fn statement_cache_capacity(self, statements: usize) -> Self {
        Self { statement_cache_capacity: statements, ..self }
    }

    /// Makes connections refuse statements that write (`PRAGMA query_only`). The file itself is opened for writing all
    /// the same: readers of a write-ahead log need its shared memory.
    #[must_use]
    pub fn read_only(self) -> Self {
        Self { is_read_only: true, ..self }
    }

    /// Makes opening fail if the file is missing, instead of creating an empty database.
    #[must_use]
    pub fn must_exist(self) -> Self {
        Self { must_exist: true, ..self }
    }

    /// Sets a pragma when a connection is opened, after those set before it. A pragma that was set before, a default
    /// included, gets the new value in its old place.
    #[must_use]
    pub fn pragma(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<Cow<'static, str>>) -> Self {
        let (name, value) = (name.into(), value.into());
        match self.pragmas.iter_mut().find(|(known, _)| known.eq_ignore_ascii_case(&name)) {
            Some((_, old)) => *old = value,
            None => self.pragmas.push((name, value)),
        }
        self
    }

    /// The counter of all connections that are opened with these options or with clones of them.
    pub fn usage_counter(&self) -> UsageCounter {
        self.usage.clone()
    }

    pub(crate) fn open(&self) -> rusqlite::Result<rusqlite::Connection> {
        // SQLite needs no mutex of its own: `&mut` keeps a connection on one thread at a time.
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, !self.must_exist);
        let connection = rusqlite::Connection::open_with_flags(&self.file, flags)?;
        connection.busy_timeout(self.busy_timeout)?;
        connection.set_prepared_statement_cache_capacity(self.statement_cache_capacity);
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        for (name, value) in &self.pragmas {
            connection.pragma_update(None, name, &**value)?;
        }
        if self.is_read_only {
            connection.pragma_update(None, "query_only", true)?;
        }
        Ok(connection)
    }
}

impl ConnectOptions for RusqliteConnectOptions {
    type Connection = RusqliteConnection;

    fn from_url(url: &Url) -> Result<Self, Error> {
        url.as_str().parse()
    }

    /// Opens the file on the calling thread.
    async fn connect(&self) -> Result<RusqliteConnection, Error> {
        let connection = self.open().map_err(to_sqlx_error)?;
        Ok(RusqliteConnection::new(connection, self.log.clone(), self.usage_counter()))
    }

    fn log_statements(mut self, level: LevelFilter) -> Self {
        self.log.log_statements(level);
        self
    }

    fn log_slow_statements(mut self, level: LevelFilter, duration: Duration) -> Self {
        self.log.log_slow_statements(level, duration);
        self
    }
}

impl FromStr for RusqliteConnectOptions {
    type Err = Error;

    fn from_str(url: &str) -> Result<Self, Error> {
        let file = url.strip_prefix("sqlite:").unwrap_or(url);
        if file.contains('?') {
            let text =
                format!("`{url}`: a URL of this driver has no query parameters; use its options instead");
            return Err(Error::Configuration(text.into()));
        }
        Ok(Self::new(file.strip_prefix("//").unwrap_or(file)))
    }
}

//! How a connection is opened.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use log::LevelFilter;
use rusqlite::OpenFlags;
use rusqlite::config::DbConfig;
use sqlx_core::Url;
use sqlx_core::connection::{ConnectOptions, LogSettings};
use sqlx_core::error::Error;

use super::error::told;
use super::place::FilePlace;
use super::{InlineConnection, UsageCounter};

/// So much of the file a connection for reading keeps, in KiB; SQLite wants it negative. The standings of a large server
/// touch 600 pages, more than the 2 MB that SQLite keeps by itself, and would read them all anew each time.
const READ_CACHE: i32 = -4_000;
/// So many prepared statements a connection keeps.
const STATEMENTS: usize = 256;

/// How a connection to a SQLite file is opened: with a write-ahead log, every commit on disk, foreign keys minded.
#[derive(Clone, Debug)]
pub struct InlineOptions {
    file: PathBuf,
    busy_timeout: Duration,
    reads_only: bool,
    /// Where the file was found, for connections after the first one.
    place: Option<FilePlace>,
    log: LogSettings,
    usage: UsageCounter,
}

impl InlineOptions {
    /// For that file, which is made if there is none; a write of another process is waited for so long.
    pub fn new(file: &Path, busy_timeout: Duration) -> Self {
        Self {
            file: file.to_owned(),
            busy_timeout,
            reads_only: false,
            place: None,
            log: LogSettings::default(),
            usage: UsageCounter::default(),
        }
    }

    /// The same for a connection that refuses to write.
    pub fn reads_only(self) -> Self {
        Self { reads_only: true, ..self }
    }

    /// The same for a file that is there and that must go on being this one.
    pub fn at(self, place: FilePlace) -> Self {
        Self { place: Some(place), ..self }
    }

    /// Whether the file is still the one that was opened.
    pub fn is_in_place(&self) -> bool {
        self.place.as_ref().is_none_or(FilePlace::is_in_place)
    }

    /// What is counted of all connections that are opened with these options or with copies of them.
    pub(in crate::store) fn usage(&self) -> UsageCounter {
        self.usage.clone()
    }

    pub(super) fn open(&self) -> rusqlite::Result<rusqlite::Connection> {
        // Without locks of its own: a connection is used by one thread at a time.
        let mut flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        flags.set(OpenFlags::SQLITE_OPEN_CREATE, self.place.is_none());
        let connection = rusqlite::Connection::open_with_flags(&self.file, flags)?;
        connection.busy_timeout(self.busy_timeout)?;
        connection.set_prepared_statement_cache_capacity(STATEMENTS);
        // A plan that may depend on values is made anew for other values: the lease of mails each time.
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
        connection.pragma_update(None, "synchronous", "FULL")?;
        if self.reads_only {
            connection.pragma_update(None, "query_only", true)?;
            connection.pragma_update(None, "cache_size", READ_CACHE)?;
        }
        Ok(connection)
    }
}

impl ConnectOptions for InlineOptions {
    type Connection = InlineConnection;

    fn from_url(url: &Url) -> Result<Self, Error> {
        url.as_str().parse()
    }

    async fn connect(&self) -> Result<InlineConnection, Error> {
        Ok(InlineConnection::on(self.open().map_err(told)?, self.log.clone(), self.usage()))
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

impl FromStr for InlineOptions {
    type Err = Error;

    fn from_str(url: &str) -> Result<Self, Error> {
        let file = url.strip_prefix("sqlite:").unwrap_or(url);
        Ok(Self::new(Path::new(file.strip_prefix("//").unwrap_or(file)), Duration::from_secs(5)))
    }
}

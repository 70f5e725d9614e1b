//! Failures of the database itself. Absent rows are `None`, not errors.

use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, Ordering};

/// True once this process has met damage in its database. Nothing but a restored file mends that, so it stays.
static DAMAGE: AtomicBool = AtomicBool::new(false);

/// Outcome of work on the database.
pub type Result<T, E = StoreError> = std::result::Result<T, E>;

/// A failure as the driver of either database reports it.
#[derive(Debug, thiserror::Error)]
pub enum DriverError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error(transparent)]
    Sqlx(#[from] sqlx::Error),
}

impl DriverError {
    /// SQLite's extended result code as a number, or PostgreSQL's SQLSTATE.
    fn code(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Sqlite(
                rusqlite::Error::SqliteFailure(failure, _)
                | rusqlite::Error::SqlInputError { error: failure, .. },
            ) => Some(failure.extended_code.to_string().into()),
            Self::Sqlite(_) => None,
            Self::Sqlx(error) => code_of(error),
        }
    }
}

fn code_of(error: &sqlx::Error) -> Option<Cow<'_, str>> {
    error.as_database_error()?.code()
}

/// A failure of the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A unique key is taken already: another write was first.
    #[error("the row exists already")]
    Conflict(#[source] DriverError),
    /// Another process holds the database; trying again helps.
    #[error("the database is busy")]
    Busy(#[source] DriverError),
    /// No space is left for the database.
    #[error("the disk with the database is full")]
    Full(#[source] DriverError),
    /// The disk failed, or the database may only be read.
    #[error("the database cannot be written; look at its disk and at who may write its file")]
    Unwritable(#[source] DriverError),
    /// The file of the database is not the one that was opened, or it was emptied.
    #[error("the database file was deleted, replaced or emptied while the server worked on it")]
    Replaced,
    /// No connection to the database is available, or it was cut; trying again helps.
    #[error("the database cannot be reached")]
    Unreachable(#[source] DriverError),
    /// The server of the database cannot be worked with; trying again helps.
    #[error("the server of the database cannot be worked with: {0}")]
    NoServer(String),
    /// The file holds no database any more, or only a part of one.
    #[error(
        "the database file is damaged; restore the last backup, see `A damaged database` in docs/operations/backup.md"
    )]
    Damaged(#[source] DriverError),
    /// The database refused.
    #[error("the database failed")]
    Database(#[source] DriverError),
    /// The schema could not be brought up to date.
    #[error("the database schema could not be migrated")]
    Migrate(#[source] sqlx::migrate::MigrateError),
    /// The schema was made by a later version of the program.
    #[error("the database was brought to schema {0} by a newer knotpost; run that version or a later one")]
    NewerSchema(i64),
    /// The schema is older than this program.
    #[error("the database lacks schema {0}; run `knotpost migrate`")]
    OlderSchema(i64),
    /// The database address is not one this program understands.
    #[error("{0}")]
    Url(String),
    /// A stored value has no meaning here.
    #[error("stored data is not as expected: {0}")]
    Corrupt(String),
    /// A file of the database could not be made or locked.
    #[error("a file of the database could not be used")]
    File(#[from] std::io::Error),
    /// The work itself panicked; nothing of it is stored.
    #[error("a fault in this program stopped the work")]
    Panicked,
    /// The store is shutting down.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// True if the same work may succeed when it is tried again.
    pub fn is_transient(&self) -> bool {
        matches!(
            self,
            Self::Busy(_)
                | Self::Full(_)
                | Self::Unwritable(_)
                | Self::Replaced
                | Self::Unreachable(_)
                | Self::NoServer(_)
                | Self::Closed
        )
    }

    pub(crate) fn has_met_damage() -> bool {
        DAMAGE.load(Ordering::Relaxed)
    }

    /// Every error of a statement that met damage is made here.
    fn damaged(error: DriverError) -> Self {
        DAMAGE.store(true, Ordering::Relaxed);
        Self::Damaged(error)
    }

    /// True if there is no server to work with at this moment.
    pub fn is_away(&self) -> bool {
        matches!(self, Self::Unreachable(_) | Self::NoServer(_))
    }

    /// True if a server of the database answered, and takes no writes.
    pub fn is_read_only(&self) -> bool {
        matches!(self, Self::Unreachable(error) if error.code().as_deref() == Some("25006"))
    }

    /// The error with its causes on one line, for a log.
    pub fn with_causes(&self) -> String {
        knotpost_platform::with_causes(self)
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            // A migration that is applied but unknown: only a later version can have brought it.
            sqlx::migrate::MigrateError::VersionMissing(version) => Self::NewerSchema(version),
            sqlx::migrate::MigrateError::Execute(error)
                if code_of(&error).is_some_and(|code| is_damage(&code)) =>
            {
                Self::damaged(error.into())
            }
            other => Self::Migrate(other),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        DriverError::from(error).into()
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        match error {
            sqlx::Error::PoolClosed => Self::Closed,
            sqlx::Error::PoolTimedOut
            | sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::WorkerCrashed => Self::Unreachable(error.into()),
            // The other side hung up while TLS was agreed on.
            sqlx::Error::Protocol(ref what) if what.starts_with("unexpected response from SSLRequest") => {
                Self::Unreachable(error.into())
            }
            _ => DriverError::from(error).into(),
        }
    }
}

/// By the code that the database gave.
impl From<DriverError> for StoreError {
    fn from(error: DriverError) -> Self {
        match error.code().as_deref() {
            // SQLite: PRIMARY KEY and UNIQUE; PostgreSQL: unique_violation.
            Some("1555" | "2067" | "23505") => Self::Conflict(error),
            // SQLite: BUSY and its extensions; PostgreSQL: serialization failure and deadlock.
            Some("5" | "261" | "517" | "40001" | "40P01") => Self::Busy(error),
            Some(code) if is_damage(code) => Self::damaged(error),
            // SQLite: FULL, and a write or the shared memory cut off by a quota; PostgreSQL: disk_full.
            Some("13" | "778" | "4874" | "53100") => Self::Full(error),
            // PostgreSQL: a server that only reads, as a standby does; shutting down or starting; too many connections;
            // a connection that broke.
            Some("25006" | "57P01" | "57P02" | "57P03" | "53300") => Self::Unreachable(error),
            // But not a violation of the protocol, such as a parameter that a proxy does not know.
            Some(code) if code.len() == 5 && code.starts_with("08") && code != "08P01" => {
                Self::Unreachable(error)
            }
            Some(code) if is_refusal_of_disk(code) => Self::Unwritable(error),
            _ => Self::Database(error),
        }
    }
}

/// SQLite's READONLY and IOERR with their extensions.
fn is_refusal_of_disk(code: &str) -> bool {
    code.len() < 5 && code.parse::<i32>().is_ok_and(|code| matches!(code & 0xff, 8 | 10))
}

/// SQLite's CORRUPT with its extensions, and NOTADB; PostgreSQL's `data_corrupted` and `index_corrupted`.
fn is_damage(code: &str) -> bool {
    matches!(code, "11" | "26" | "267" | "523" | "779" | "XX001" | "XX002")
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn errors_of_sqlite_are_told_apart_by_their_extended_codes() {
        let told = |code| StoreError::from(rusqlite::Error::SqliteFailure(ffi::Error::new(code), None));
        assert!(matches!(told(ffi::SQLITE_CONSTRAINT_UNIQUE), StoreError::Conflict(_)));
        assert!(matches!(told(ffi::SQLITE_CONSTRAINT_PRIMARYKEY), StoreError::Conflict(_)));
        assert!(matches!(told(ffi::SQLITE_CONSTRAINT_FOREIGNKEY), StoreError::Database(_)));
        assert!(matches!(told(ffi::SQLITE_BUSY), StoreError::Busy(_)));
        assert!(matches!(told(ffi::SQLITE_BUSY_SNAPSHOT), StoreError::Busy(_)));
        assert!(matches!(told(ffi::SQLITE_FULL), StoreError::Full(_)));
        assert!(matches!(told(ffi::SQLITE_IOERR_WRITE), StoreError::Full(_)));
        assert!(matches!(told(ffi::SQLITE_IOERR_FSYNC), StoreError::Unwritable(_)));
        assert!(matches!(told(ffi::SQLITE_READONLY), StoreError::Unwritable(_)));
        assert!(matches!(told(ffi::SQLITE_CORRUPT_INDEX), StoreError::Damaged(_)));
        assert!(matches!(told(ffi::SQLITE_NOTADB), StoreError::Damaged(_)));
        assert!(matches!(told(ffi::SQLITE_CANTOPEN), StoreError::Database(_)));
    }

    #[test]
    fn a_connection_that_broke_is_no_fault_of_the_database() {
        let hung_up = "unexpected response from SSLRequest: 0x00 (sqlx_postgres::connection::tls:95)";
        assert!(StoreError::from(sqlx::Error::Protocol(hung_up.to_owned())).is_away());
        assert!(StoreError::from(sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into())).is_away());
        assert!(!StoreError::from(sqlx::Error::Protocol("no query".to_owned())).is_away());
        assert!(StoreError::NoServer("it is a standby".to_owned()).is_transient());
    }

    #[test]
    fn a_cause_that_is_said_already_is_not_repeated() {
        let error = StoreError::from(sqlx::Error::Io(std::io::Error::other("refused")));
        assert_eq!(
            error.with_causes(),
            "the database cannot be reached: error communicating with database: refused"
        );
    }
}

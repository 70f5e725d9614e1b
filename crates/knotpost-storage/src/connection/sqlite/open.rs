//! Opening a SQLite file.

use std::path::Path;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, Result};

/// Longest wait of a process for another one's write.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// Most prepared statements that a connection keeps.
const STATEMENT_CACHE: usize = 256;

/// The page cache of a connection for queries, in KiB, which SQLite wants negative. The standings of a large server touch
/// 600 pages, more than the 2 MB of the default, and would be read from the file anew each time.
const READ_CACHE: i64 = -4000;

/// Opens the database in `file`, and makes it when there is none.
pub(crate) fn create(file: &Path) -> Result<Connection> {
    open_with(file, OpenFlags::SQLITE_OPEN_CREATE)
}

/// Opens the database in `file`.
pub(crate) fn open(file: &Path) -> Result<Connection> {
    open_with(file, OpenFlags::empty())
}

/// As [`open`], for queries alone. The file itself is opened for writing all the same: readers of a write-ahead log need
/// its shared memory.
pub(super) fn open_for_queries(file: &Path) -> Result<Connection> {
    let connection = open(file)?;
    connection.pragma_update(None, "cache_size", READ_CACHE)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Readers do not block the writer, a commit is on disk when it returns, and foreign keys are enforced.
fn open_with(file: &Path, more: OpenFlags) -> Result<Connection> {
    // SQLite needs no mutex of its own: `&mut` keeps a connection on one thread at a time.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | more;
    let connection = Connection::open_with_flags(file, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    // A plan is not made again for other arguments.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    for (name, value) in [("foreign_keys", "ON"), ("journal_mode", "WAL"), ("synchronous", "FULL")] {
        connection.pragma_update(None, name, value)?;
    }
    Ok(connection)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> T {
        connection.pragma_query_value(None, name, |row| row.get(0)).unwrap()
    }

    #[test]
    fn a_file_is_made_by_the_first_connection_alone_and_kept_safe_by_all() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games.db");
        assert!(open(&file).is_err());
        assert!(!file.exists());
        for connection in [create(&file), open(&file), open_for_queries(&file)].map(Result::unwrap) {
            assert_eq!(pragma::<String>(&connection, "journal_mode"), "wal");
            assert_eq!(pragma::<i64>(&connection, "synchronous"), 2);
            assert_eq!(pragma::<i64>(&connection, "foreign_keys"), 1);
            assert_eq!(pragma::<i64>(&connection, "busy_timeout"), 10_000);
        }
    }
}

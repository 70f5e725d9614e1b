//! Detecting commits of other connections by `PRAGMA data_version`.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sqlx_core::error::Error;

use crate::RusqliteConnectOptions;
use crate::error::to_sqlx_error;

/// Reads SQLite's [`PRAGMA data_version`] on a connection of its own: a number that changes with every commit of any
/// other connection or process, so a cache can be checked without reading tables. Cheap to clone; clones share the
/// connection.
///
/// SQLite counts for each connection separately, so numbers are comparable only while they come from the same
/// `DataVersion`, without a [`DataVersion::close`] in between.
///
/// [`PRAGMA data_version`]: https://www.sqlite.org/pragma.html#pragma_data_version
#[derive(Clone)]
pub struct DataVersion {
    options: RusqliteConnectOptions,
    connection: Arc<Mutex<Option<rusqlite::Connection>>>,
}

impl fmt::Debug for DataVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("DataVersion").field("options", &self.options).finish_non_exhaustive()
    }
}

impl DataVersion {
    /// Reads with a read-only connection, which is opened by the first [`DataVersion::read`].
    pub fn new(options: RusqliteConnectOptions) -> Self {
        Self { options: options.read_only(), connection: Arc::default() }
    }

    /// The current data version. It takes microseconds and blocks the calling thread for them.
    ///
    /// # Errors
    /// When the connection cannot be opened or the file cannot be read.
    pub fn read(&self) -> Result<i64, Error> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match &mut *connection {
            Some(connection) => connection,
            closed => closed.insert(self.options.open().map_err(to_sqlx_error)?),
        };
        let mut statement = connection.prepare_cached("PRAGMA data_version").map_err(to_sqlx_error)?;
        statement.query_row([], |row| row.get(0)).map_err(to_sqlx_error)
    }

    /// Closes the connection. A later [`DataVersion::read`] opens another one.
    ///
    /// # Errors
    /// When SQLite refuses to close it.
    pub fn close(&self) -> Result<(), Error> {
        match self.connection.lock().unwrap_or_else(PoisonError::into_inner).take() {
            Some(connection) => connection.close().map_err(|(_, error)| to_sqlx_error(error)),
            None => Ok(()),
        }
    }
}

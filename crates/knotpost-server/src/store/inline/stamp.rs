//! Whether anything was committed since somebody looked.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use sqlx_core::error::Error;

use super::InlineOptions;
use super::error::told;

/// A connection that does nothing but ask for the count of commits, which SQLite keeps for each connection by itself: a
/// number is to be compared with those of the same connection alone.
#[derive(Clone)]
pub(in crate::store) struct Stamp {
    options: InlineOptions,
    connection: Arc<Mutex<Option<rusqlite::Connection>>>,
}

impl fmt::Debug for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stamp").field("options", &self.options).finish_non_exhaustive()
    }
}

impl Stamp {
    /// Opened when somebody asks first.
    pub(in crate::store) fn new(options: InlineOptions) -> Self {
        Self { options, connection: Arc::default() }
    }

    /// A number that is another one after every commit, of whatever connection or process.
    pub(in crate::store) fn now(&self) -> Result<i64, Error> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let connection = match &mut *connection {
            Some(connection) => connection,
            closed => closed.insert(self.options.open().map_err(told)?),
        };
        let mut question = connection.prepare_cached("PRAGMA data_version").map_err(told)?;
        question.query_row([], |row| row.get(0)).map_err(told)
    }

    /// Closes it; it would open again.
    pub(in crate::store) fn close(&self) {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(Err((_, error))) = connection.map(rusqlite::Connection::close) {
            tracing::warn!(%error, "the database was not closed well");
        }
    }
}

//! What can go wrong with the store itself. Absent rows are `None`, not errors.

/// A failure of the database.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A unique key is taken already: somebody else was first.
    #[error("the row exists already")]
    Conflict(#[source] sqlx::Error),
    /// Another process holds the database; trying again helps.
    #[error("the database is busy")]
    Busy(#[source] sqlx::Error),
    /// The database refused or could not be reached.
    #[error("the database failed")]
    Database(#[source] sqlx::Error),
    /// The schema could not be brought up to date.
    #[error("the database schema could not be migrated")]
    Migrate(#[from] sqlx::migrate::MigrateError),
    /// The database address is not one this program understands.
    #[error("{0}")]
    Url(String),
    /// A stored value has no meaning here.
    #[error("stored data is not as expected: {0}")]
    Corrupt(String),
    /// A file of the database could not be made or locked.
    #[error("a file of the database could not be used")]
    File(#[from] std::io::Error),
    /// The store is shutting down.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    /// Whether the same work may succeed when it is tried again.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Closed)
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let code = error
            .as_database_error()
            .and_then(sqlx::error::DatabaseError::code)
            .map(std::borrow::Cow::into_owned);
        match code.as_deref() {
            _ if error.as_database_error().is_some_and(sqlx::error::DatabaseError::is_unique_violation) => {
                Self::Conflict(error)
            }
            // SQLite: BUSY and its extensions; PostgreSQL: serialization failure and deadlock.
            Some("5" | "261" | "517" | "40001" | "40P01") => Self::Busy(error),
            _ => Self::Database(error),
        }
    }
}

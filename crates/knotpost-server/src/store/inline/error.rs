//! What SQLite refuses, as sqlx tells it.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use rusqlite::ffi;
use sqlx_core::error::{DatabaseError, Error, ErrorKind};

/// An error of SQLite, with its extended result code.
#[derive(Debug)]
struct SqliteError {
    code: i32,
    message: String,
}

impl fmt::Display for SqliteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(code: {}) {}", self.code, self.message)
    }
}

impl StdError for SqliteError {}

impl DatabaseError for SqliteError {
    fn message(&self) -> &str {
        &self.message
    }

    fn code(&self) -> Option<Cow<'_, str>> {
        Some(self.code.to_string().into())
    }

    fn as_error(&self) -> &(dyn StdError + Send + Sync + 'static) {
        self
    }

    fn as_error_mut(&mut self) -> &mut (dyn StdError + Send + Sync + 'static) {
        self
    }

    fn into_error(self: Box<Self>) -> Box<dyn StdError + Send + Sync + 'static> {
        self
    }

    fn kind(&self) -> ErrorKind {
        match self.code {
            ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY => ErrorKind::UniqueViolation,
            ffi::SQLITE_CONSTRAINT_FOREIGNKEY => ErrorKind::ForeignKeyViolation,
            ffi::SQLITE_CONSTRAINT_NOTNULL => ErrorKind::NotNullViolation,
            ffi::SQLITE_CONSTRAINT_CHECK => ErrorKind::CheckViolation,
            _ => ErrorKind::Other,
        }
    }
}

/// What rusqlite says. What is no error of SQLite itself is one of this program.
pub(super) fn told(error: rusqlite::Error) -> Error {
    let (code, message) = match error {
        rusqlite::Error::SqliteFailure(failure, message) => {
            (failure.extended_code, message.unwrap_or_else(|| failure.to_string()))
        }
        rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg),
        other => return Error::Protocol(other.to_string()),
    };
    Error::Database(Box::new(SqliteError { code, message }))
}

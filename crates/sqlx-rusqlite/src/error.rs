//! SQLite's errors as sqlx's.

use std::borrow::Cow;
use std::error::Error as StdError;
use std::fmt;

use rusqlite::ffi;
use sqlx_core::error::{DatabaseError, Error, ErrorKind};

/// An error that SQLite returned. [`DatabaseError::code`] is its extended result code as a decimal number.
#[derive(Debug)]
pub struct RusqliteError {
    code: i32,
    message: String,
}

impl fmt::Display for RusqliteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "(code: {}) {}", self.code, self.message)
    }
}

impl StdError for RusqliteError {}

impl DatabaseError for RusqliteError {
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

/// Converts an error of rusqlite: SQLite's own become [`Error::Database`], those of rusqlite's interface
/// [`Error::Protocol`].
pub(crate) fn to_sqlx_error(error: rusqlite::Error) -> Error {
    let (code, message) = match error {
        rusqlite::Error::SqliteFailure(failure, message) => {
            (failure.extended_code, message.unwrap_or_else(|| failure.to_string()))
        }
        rusqlite::Error::SqlInputError { error, msg, .. } => (error.extended_code, msg),
        other => return Error::Protocol(other.to_string()),
    };
    Error::Database(Box::new(RusqliteError { code, message }))
}

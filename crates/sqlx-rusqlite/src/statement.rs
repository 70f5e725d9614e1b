//! Statements before and after they run.

use std::sync::Arc;

use sqlx_core::Either;
use sqlx_core::column::{Column as _, ColumnIndex};
use sqlx_core::error::Error;
use sqlx_core::executor::Execute;
use sqlx_core::sql_str::{SqlSafeStr as _, SqlStr};

use crate::row::Columns;
use crate::{Rusqlite, RusqliteArguments, RusqliteColumn, StorageClass, ValueBuffer};

/// The outcome of a statement that ran to its end.
#[derive(Debug, Default)]
pub struct RusqliteQueryResult {
    rows_affected: u64,
}

impl RusqliteQueryResult {
    pub(crate) fn new(rows_affected: u64) -> Self {
        Self { rows_affected }
    }

    /// The number of rows that the statement inserted, updated or deleted; rows changed by triggers and foreign key
    /// actions are not counted. After a statement that changes nothing, such as a `SELECT`, it is the count of the last
    /// one on this connection that did.
    pub fn rows_affected(&self) -> u64 {
        self.rows_affected
    }
}

impl Extend<Self> for RusqliteQueryResult {
    fn extend<T: IntoIterator<Item = Self>>(&mut self, results: T) {
        self.rows_affected += results.into_iter().map(|result| result.rows_affected).sum::<u64>();
    }
}

/// A statement with its parameters, ready to run.
pub(crate) struct BoundQuery {
    pub(crate) sql: SqlStr,
    pub(crate) parameters: ValueBuffer,
    /// True if the prepared statement goes to the statement cache.
    pub(crate) is_persistent: bool,
}

impl BoundQuery {
    pub(crate) fn from_execute<'q>(mut query: impl Execute<'q, Rusqlite>) -> Result<Self, Error> {
        let arguments = query.take_arguments().map_err(Error::Encode)?.unwrap_or_default();
        let is_persistent = query.persistent();
        Ok(Self { sql: query.sql(), parameters: arguments.0, is_persistent })
    }

    /// A cached statement without parameters.
    pub(crate) fn from_static(sql: &'static str) -> Self {
        Self { sql: sql.into_sql_str(), parameters: ValueBuffer::default(), is_persistent: true }
    }
}

/// A statement that SQLite has parsed: its columns and its number of parameters.
#[derive(Clone, Debug)]
pub struct RusqliteStatement {
    pub(crate) sql: SqlStr,
    pub(crate) columns: Arc<Columns>,
    pub(crate) parameters: usize,
}

impl sqlx_core::statement::Statement for RusqliteStatement {
    type Database = Rusqlite;

    fn into_sql(self) -> SqlStr {
        self.sql
    }

    fn sql(&self) -> &SqlStr {
        &self.sql
    }

    fn parameters(&self) -> Option<Either<&[StorageClass], usize>> {
        Some(Either::Right(self.parameters))
    }

    fn columns(&self) -> &[RusqliteColumn] {
        &self.columns.list
    }

    sqlx_core::impl_statement_query!(RusqliteArguments);
}

impl ColumnIndex<RusqliteStatement> for &str {
    fn index(&self, statement: &RusqliteStatement) -> Result<usize, Error> {
        let position = statement.columns.list.iter().position(|column| column.name() == *self);
        position.ok_or_else(|| Error::ColumnNotFound((*self).to_owned()))
    }
}

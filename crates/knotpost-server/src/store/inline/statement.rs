//! What is asked, and what is known when it is done.

use sqlx_core::Either;
use sqlx_core::column::ColumnIndex;
use sqlx_core::error::Error;
use sqlx_core::executor::Execute;
use sqlx_core::sql_str::SqlStr;

use super::InlineSqlite;
use super::row::{Column, Columns};
use super::values::{Arguments, StorageClass, Values};

/// What a statement did.
#[derive(Debug, Default)]
pub struct Done {
    rows_affected: u64,
}

impl Done {
    pub(super) fn with(rows_affected: u64) -> Self {
        Self { rows_affected }
    }

    /// How many rows it wrote, changed or deleted.
    pub fn rows_affected(&self) -> u64 {
        self.rows_affected
    }
}

impl Extend<Self> for Done {
    fn extend<T: IntoIterator<Item = Self>>(&mut self, all: T) {
        self.rows_affected += all.into_iter().map(|done| done.rows_affected).sum::<u64>();
    }
}

/// A statement with its parameters, ready to be carried out.
pub(super) struct Question {
    pub(super) sql: SqlStr,
    pub(super) parameters: Values,
    /// Whether it will come again.
    pub(super) persistent: bool,
}

impl Question {
    pub(super) fn of<'q>(mut query: impl Execute<'q, InlineSqlite>) -> Result<Self, Error> {
        let arguments = query.take_arguments().map_err(Error::Encode)?.unwrap_or_default();
        let persistent = query.persistent();
        Ok(Self { sql: query.sql(), parameters: arguments.0, persistent })
    }

    pub(super) fn plain(sql: &'static str) -> Self {
        let sql = sqlx_core::sql_str::SqlSafeStr::into_sql_str(sql);
        Self { sql, parameters: Values::default(), persistent: true }
    }
}

/// A statement that SQLite understood.
#[derive(Clone, Debug)]
pub struct Statement {
    pub(super) sql: SqlStr,
    pub(super) columns: std::sync::Arc<Columns>,
    pub(super) parameters: usize,
}

impl sqlx_core::statement::Statement for Statement {
    type Database = InlineSqlite;

    fn into_sql(self) -> SqlStr {
        self.sql
    }

    fn sql(&self) -> &SqlStr {
        &self.sql
    }

    fn parameters(&self) -> Option<Either<&[StorageClass], usize>> {
        Some(Either::Right(self.parameters))
    }

    fn columns(&self) -> &[Column] {
        &self.columns.list
    }

    sqlx_core::impl_statement_query!(Arguments);
}

impl ColumnIndex<Statement> for &str {
    fn index(&self, statement: &Statement) -> Result<usize, Error> {
        let position =
            statement.columns.list.iter().position(|column| sqlx_core::column::Column::name(column) == *self);
        position.ok_or_else(|| Error::ColumnNotFound((*self).to_owned()))
    }
}

//! Statements, run by the driver of either database. Their texts have `$n` parameters and serve both.

use std::ops::ControlFlow;

use futures_util::TryStreamExt as _;
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, Executor as _, SqlSafeStr, SqlStr};
use sqlx_postgres::{PgArguments, Postgres};
use tokio::task::coop::consume_budget;

use super::driver::{Connection, Driver};
use super::error::{Result, StoreError};
use super::sqlite;
use super::value::{Argument, FromRow, Kind, Row, Value};

/// The text of a statement.
#[derive(Debug)]
pub(crate) struct Sql {
    pub(super) text: SqlStr,
    /// True if the connection keeps it prepared.
    pub(super) is_kept: bool,
}

impl<T: SqlSafeStr> From<T> for Sql {
    fn from(text: T) -> Self {
        Self { text: text.into_sql_str(), is_kept: true }
    }
}

impl Sql {
    /// A statement that is not prepared for later.
    pub(crate) fn once(text: String) -> Self {
        Self { is_kept: false, ..AssertSqlSafe(text).into() }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.text.as_str()
    }

    fn for_postgres(self, arguments: &[&dyn Argument]) -> Query<'static, Postgres, PgArguments> {
        let query = sqlx::query(self.text).persistent(self.is_kept);
        arguments.iter().fold(query, |query, argument| match argument.value() {
            Value::Null(Kind::Int) => query.bind(None::<i64>),
            Value::Null(Kind::Flag) => query.bind(None::<bool>),
            Value::Null(Kind::Real) => query.bind(None::<f64>),
            Value::Null(Kind::Text) => query.bind(None::<&str>),
            Value::Null(Kind::Bytes) => query.bind(None::<&[u8]>),
            Value::Int(value) => query.bind(value),
            Value::Short(value) => query.bind(value),
            Value::Flag(value) => query.bind(value),
            Value::Real(value) => query.bind(value),
            Value::Text(value) => query.bind(value),
            Value::Bytes(value) => query.bind(value),
        })
    }
}

/// On SQLite a statement is over when it is first polled; a task that runs many of them yields to others in between.
impl Connection {
    /// Returns the number of rows that were written.
    pub(crate) async fn execute(&mut self, sql: Sql, arguments: &[&dyn Argument]) -> Result<u64> {
        match self.driver() {
            Driver::Sqlite(connection) => {
                consume_budget().await;
                sqlite::run(connection, &sql, arguments, &mut |_| ControlFlow::Continue(()))
            }
            Driver::Postgres(connection) => {
                Ok(connection.execute(sql.for_postgres(arguments)).await?.rows_affected())
            }
        }
    }

    /// Returns the first row.
    pub(crate) async fn fetch_optional<T: FromRow>(
        &mut self,
        sql: Sql,
        arguments: &[&dyn Argument],
    ) -> Result<Option<T>> {
        let first = match self.driver() {
            Driver::Sqlite(connection) => {
                consume_budget().await;
                let mut first = None;
                sqlite::run(connection, &sql, arguments, &mut |row| {
                    first = Some(row.decode());
                    ControlFlow::Break(())
                })?;
                first
            }
            Driver::Postgres(connection) => {
                let row = connection.fetch_optional(sql.for_postgres(arguments)).await?;
                row.map(|row| Row::Postgres(row).decode())
            }
        };
        Ok(first.transpose()?)
    }

    /// Calls `each` with one row after the other as they are read, until it fails.
    pub(crate) async fn for_each<E: From<StoreError>>(
        &mut self,
        sql: Sql,
        arguments: &[&dyn Argument],
        mut each: impl FnMut(&Row) -> Result<(), E>,
    ) -> Result<(), E> {
        match self.driver() {
            Driver::Sqlite(connection) => {
                consume_budget().await;
                let mut outcome = Ok(());
                sqlite::run(connection, &sql, arguments, &mut |row| {
                    outcome = each(row);
                    if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
                })?;
                outcome
            }
            Driver::Postgres(connection) => {
                let mut rows = connection.fetch(sql.for_postgres(arguments));
                while let Some(row) = rows.try_next().await.map_err(StoreError::from)? {
                    each(&Row::Postgres(row))?;
                }
                Ok(())
            }
        }
    }
}

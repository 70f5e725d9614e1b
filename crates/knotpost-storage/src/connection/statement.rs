//! Statements, run by the driver of either database. Their texts have `$n` parameters and serve both.

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use futures_util::{FutureExt as _, StreamExt as _, TryFutureExt as _, TryStreamExt as _};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, SqlSafeStr, SqlStr};
use sqlx_postgres::{PgArguments, Postgres};
use sqlx_sqlite::{Sqlite, SqliteArguments};

use super::driver::{Connection, Driver};
use super::error::Result;
use super::value::{Argument, Kind, Row, Value};

/// The text of a statement.
#[derive(Debug)]
pub(crate) struct Sql {
    text: SqlStr,
    /// True if the connection keeps it prepared.
    is_kept: bool,
}

impl<T: SqlSafeStr> From<T> for Sql {
    fn from(text: T) -> Self {
        Self { text: text.into_sql_str(), is_kept: true }
    }
}

macro_rules! bind {
    ($query:expr, $arguments:expr) => {
        $arguments.iter().fold($query, |query, argument| match argument.value() {
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
    };
}

impl Sql {
    /// A statement that is not prepared for later.
    pub(crate) fn once(text: String) -> Self {
        Self { is_kept: false, ..AssertSqlSafe(text).into() }
    }

    pub(crate) fn as_str(&self) -> &str {
        self.text.as_str()
    }

    fn for_sqlite(self, arguments: &[&dyn Argument]) -> Query<'static, Sqlite, SqliteArguments> {
        bind!(sqlx::query(self.text).persistent(self.is_kept), arguments)
    }

    fn for_postgres(self, arguments: &[&dyn Argument]) -> Query<'static, Postgres, PgArguments> {
        bind!(sqlx::query(self.text).persistent(self.is_kept), arguments)
    }
}

impl Connection {
    /// Returns the number of rows that were written.
    pub(crate) fn execute(&mut self, sql: Sql, arguments: &[&dyn Argument]) -> BoxFuture<'_, Result<u64>> {
        match self.driver() {
            Driver::Sqlite(connection) => {
                let done = sql.for_sqlite(arguments).execute(connection);
                done.map_ok(|done| done.rows_affected()).err_into().boxed()
            }
            Driver::Postgres(connection) => {
                let done = sql.for_postgres(arguments).execute(connection);
                done.map_ok(|done| done.rows_affected()).err_into().boxed()
            }
        }
    }

    /// Returns the first row.
    pub(crate) fn fetch_optional(
        &mut self,
        sql: Sql,
        arguments: &[&dyn Argument],
    ) -> BoxFuture<'_, Result<Option<Row>>> {
        match self.driver() {
            Driver::Sqlite(connection) => {
                let row = sql.for_sqlite(arguments).fetch_optional(connection);
                row.map_ok(|row| row.map(Row::Sqlite)).err_into().boxed()
            }
            Driver::Postgres(connection) => {
                let row = sql.for_postgres(arguments).fetch_optional(connection);
                row.map_ok(|row| row.map(Row::Postgres)).err_into().boxed()
            }
        }
    }

    pub(crate) fn fetch(&mut self, sql: Sql, arguments: &[&dyn Argument]) -> BoxStream<'_, Result<Row>> {
        match self.driver() {
            Driver::Sqlite(connection) => {
                sql.for_sqlite(arguments).fetch(connection).map_ok(Row::Sqlite).err_into().boxed()
            }
            Driver::Postgres(connection) => {
                sql.for_postgres(arguments).fetch(connection).map_ok(Row::Postgres).err_into().boxed()
            }
        }
    }
}

//! A connection, and how statements run on it.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use rusqlite::StatementStatus;
use sqlx_core::acquire::Acquire;
use sqlx_core::connection::{Connection, LogSettings};
use sqlx_core::error::Error;
use sqlx_core::logger::QueryLogger;
use sqlx_core::sql_str::{SqlSafeStr, SqlStr};
use sqlx_core::transaction::Transaction;

use crate::error::to_sqlx_error;
use crate::row::Columns;
use crate::statement::BoundQuery;
use crate::{
    Rusqlite, RusqliteConnectOptions, RusqliteQueryResult, RusqliteRow, RusqliteStatement, UsageCounter,
    ValueBuffer,
};

/// The number of statements whose columns are cached. A program with a fixed set of statements stays below it; one that
/// builds statement texts at run time must not fill the memory.
const MAX_CACHED_COLUMNS: usize = 1024;

type ColumnsCache = HashMap<SqlStr, Arc<Columns>, foldhash::fast::RandomState>;

/// A connection to a SQLite database.
///
/// A statement runs on the thread that polls it and blocks that thread until it is done, or until the busy timeout has
/// passed while another connection holds a lock.
pub struct RusqliteConnection {
    connection: rusqlite::Connection,
    /// The columns of cached statements, by statement text.
    columns: ColumnsCache,
    /// Shared by all statements that return no rows.
    no_columns: Arc<Columns>,
    log: LogSettings,
    usage: UsageCounter,
}

impl fmt::Debug for RusqliteConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RusqliteConnection").field("connection", &self.connection).finish_non_exhaustive()
    }
}

impl RusqliteConnection {
    pub(crate) fn new(connection: rusqlite::Connection, log: LogSettings, usage: UsageCounter) -> Self {
        Self { connection, columns: HashMap::default(), no_columns: Arc::default(), log, usage }
    }

    pub(crate) fn is_autocommit(&self) -> bool {
        self.connection.is_autocommit()
    }

    /// Calls `on_row` with each result row as it is read, without collecting them: for results larger than memory. The
    /// statement is not cached. `on_row` ends the reading early with [`ControlFlow::Break`], whose value is returned.
    ///
    /// # Errors
    /// When the statement fails; rows before the failure have been handed to `on_row`.
    pub fn for_each_row<B>(
        &mut self,
        sql: impl SqlSafeStr,
        mut on_row: impl FnMut(&RusqliteRow) -> ControlFlow<B>,
    ) -> Result<ControlFlow<B>, Error> {
        let sql = sql.into_sql_str();
        let query = BoundQuery { sql, parameters: ValueBuffer::default(), is_persistent: false };
        let mut outcome = ControlFlow::Continue(());
        self.run(&query, |row| {
            outcome = on_row(&row);
            Ok(if outcome.is_break() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
        })?;
        Ok(outcome)
    }

    /// Runs a statement, logs and counts it, and calls `on_row` with each of its rows until that breaks off.
    pub(crate) fn run(
        &mut self,
        query: &BoundQuery,
        mut on_row: impl FnMut(RusqliteRow) -> Result<ControlFlow<()>, Error>,
    ) -> Result<RusqliteQueryResult, Error> {
        let mut logger = QueryLogger::new(query.sql.clone(), self.log.clone());
        let mut rows = 0;
        let result = self.prepare_and_step(query, &mut logger, &mut |row| {
            rows += 1;
            on_row(row)
        });
        self.usage.count_statement(rows);
        logger.finish();
        result
    }

    fn prepare_and_step(
        &mut self,
        query: &BoundQuery,
        logger: &mut QueryLogger,
        on_row: &mut impl FnMut(RusqliteRow) -> Result<ControlFlow<()>, Error>,
    ) -> Result<RusqliteQueryResult, Error> {
        let Self { connection, columns, no_columns, .. } = self;
        let sql = query.sql.as_str();
        if query.is_persistent {
            let mut statement = connection.prepare_cached(sql).map_err(to_sqlx_error)?;
            if statement.column_count() == 0 {
                step(&mut statement, no_columns, &query.parameters, logger, on_row)?;
            } else {
                // Cached columns are those of a statement that has run. One that was just prepared may have others, after
                // a change of the schema.
                let is_new = statement.get_status(StatementStatus::Run) == 0;
                let known = match columns.get(sql).filter(|_| !is_new) {
                    Some(known) => Arc::clone(known),
                    None => cache_columns(columns, &query.sql, Columns::of(&statement)),
                };
                if let Some(changed) = step(&mut statement, &known, &query.parameters, logger, on_row)? {
                    columns.insert(query.sql.clone(), changed);
                }
            }
        } else {
            let mut statement = connection.prepare(sql).map_err(to_sqlx_error)?;
            let columns = Arc::new(Columns::of(&statement));
            step(&mut statement, &columns, &query.parameters, logger, on_row)?;
        }
        let rows_affected = connection.changes();
        logger.increase_rows_affected(rows_affected);
        Ok(RusqliteQueryResult::new(rows_affected))
    }

    pub(crate) fn collect_rows(
        &mut self,
        query: &BoundQuery,
    ) -> Result<(Vec<RusqliteRow>, RusqliteQueryResult), Error> {
        let mut rows = Vec::new();
        let result = self.run(query, |row| {
            rows.push(row);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((rows, result))
    }

    pub(crate) fn prepare(&mut self, sql: SqlStr) -> Result<RusqliteStatement, Error> {
        let statement = self.connection.prepare_cached(sql.as_str()).map_err(to_sqlx_error)?;
        let (columns, parameters) = (Arc::new(Columns::of(&statement)), statement.parameter_count());
        drop(statement);
        Ok(RusqliteStatement { sql, columns, parameters })
    }

    pub(crate) fn run_static(&mut self, sql: &'static str) -> Result<(), Error> {
        self.run(&BoundQuery::from_static(sql), |_| Ok(ControlFlow::Continue(()))).map(drop)
    }
}

fn cache_columns(cache: &mut ColumnsCache, sql: &SqlStr, columns: Columns) -> Arc<Columns> {
    if cache.len() >= MAX_CACHED_COLUMNS {
        cache.clear();
    }
    let columns = Arc::new(columns);
    cache.insert(sql.clone(), Arc::clone(&columns));
    columns
}

/// Runs a statement with the columns that it had when it was prepared. Returns its columns if they have changed since: its
/// first step prepares it again after a change of the schema.
fn step(
    statement: &mut rusqlite::Statement<'_>,
    columns: &Arc<Columns>,
    parameters: &ValueBuffer,
    logger: &mut QueryLogger,
    on_row: &mut impl FnMut(RusqliteRow) -> Result<ControlFlow<()>, Error>,
) -> Result<Option<Arc<Columns>>, Error> {
    bind(statement, parameters)?;
    let mut rows = statement.raw_query();
    let (mut changed, mut is_first) = (None, true);
    while let Some(row) = rows.next().map_err(to_sqlx_error)? {
        if std::mem::take(&mut is_first) && row.as_ref().reset_status(StatementStatus::RePrepare) > 0 {
            changed = Some(Arc::new(Columns::of(row.as_ref())));
        }
        logger.increment_rows_returned();
        let row = RusqliteRow::copy(row, changed.as_ref().unwrap_or(columns)).map_err(to_sqlx_error)?;
        if on_row(row)?.is_break() {
            break;
        }
    }
    Ok(changed)
}

/// Binds `$3` to the third value wherever it stands in the text, and `?` to the next one. A query without any value
/// leaves all parameters `NULL`, which `EXPLAIN` of a statement with parameters relies on.
fn bind(statement: &mut rusqlite::Statement<'_>, parameters: &ValueBuffer) -> Result<(), Error> {
    if parameters.len() == 0 {
        return Ok(());
    }
    for index in 1..=statement.parameter_count() {
        let number = match statement.parameter_name(index).and_then(|name| name.strip_prefix('$')) {
            Some(number) => {
                number.parse().map_err(|_| Error::Protocol(format!("a parameter named ${number}")))?
            }
            None => index,
        };
        if number == 0 || number > parameters.len() {
            return Err(Error::Protocol(format!("no value for parameter {number}")));
        }
        let value = rusqlite::types::ToSqlOutput::Borrowed(parameters.get(number - 1).0);
        statement.raw_bind_parameter(index, value).map_err(to_sqlx_error)?;
    }
    Ok(())
}

impl Connection for RusqliteConnection {
    type Database = Rusqlite;
    type Options = RusqliteConnectOptions;

    async fn close(self) -> Result<(), Error> {
        self.connection.close().map_err(|(_, error)| to_sqlx_error(error))
    }

    async fn close_hard(self) -> Result<(), Error> {
        self.close().await
    }

    /// Always succeeds: there is no other end that could have gone away.
    async fn ping(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn begin(&mut self) -> impl Future<Output = Result<Transaction<'_, Rusqlite>, Error>> + Send + '_ {
        Transaction::begin(self, None)
    }

    async fn clear_cached_statements(&mut self) -> Result<(), Error> {
        self.connection.flush_prepared_statement_cache();
        self.columns.clear();
        Ok(())
    }

    fn shrink_buffers(&mut self) {}

    async fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn should_flush(&self) -> bool {
        false
    }
}

impl<'c> Acquire<'c> for &'c mut RusqliteConnection {
    type Database = Rusqlite;
    type Connection = Self;

    fn acquire(self) -> BoxFuture<'c, Result<Self, Error>> {
        Box::pin(std::future::ready(Ok(self)))
    }

    fn begin(self) -> BoxFuture<'c, Result<Transaction<'c, Rusqlite>, Error>> {
        Transaction::begin(self, None)
    }
}

//! A connection, and how statements run on it.

use std::collections::HashMap;
use std::fmt;
use std::ops::ControlFlow;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use sqlx_core::Either;
use sqlx_core::connection::{Connection, LogSettings};
use sqlx_core::describe::Describe;
use sqlx_core::error::Error;
use sqlx_core::executor::{Execute, Executor};
use sqlx_core::logger::QueryLogger;
use sqlx_core::sql_str::{AssertSqlSafe, SqlSafeStr as _, SqlStr};
use sqlx_core::transaction::{Transaction, TransactionManager};

use super::error::told;
use super::row::{Columns, Row};
use super::statement::{Done, Question, Statement};
use super::values::{StorageClass, Values};
use super::{InlineOptions, InlineSqlite, UsageCounter};
use crate::store::StoreError;

/// A connection to a SQLite file.
pub struct InlineConnection {
    connection: rusqlite::Connection,
    /// The columns of statements that came before, by their text.
    columns: HashMap<SqlStr, Arc<Columns>, foldhash::fast::RandomState>,
    /// For those that have none.
    without_columns: Arc<Columns>,
    log: LogSettings,
    usage: UsageCounter,
}

impl fmt::Debug for InlineConnection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InlineConnection").field("connection", &self.connection).finish_non_exhaustive()
    }
}

impl InlineConnection {
    pub(super) fn on(connection: rusqlite::Connection, log: LogSettings, usage: UsageCounter) -> Self {
        Self { connection, columns: HashMap::default(), without_columns: Arc::default(), log, usage }
    }

    /// Hands every row of what is asked to `each`, as it comes, until that breaks off.
    fn run(
        &mut self,
        question: &Question,
        mut each: impl FnMut(Row) -> Result<ControlFlow<()>, Error>,
    ) -> Result<Done, Error> {
        let mut log = QueryLogger::new(question.sql.clone(), self.log.clone());
        let mut rows = 0;
        let done = self.carry_out(question, &mut log, &mut |row| {
            rows += 1;
            each(row)
        });
        self.usage.count(rows);
        log.finish();
        done
    }

    fn carry_out(
        &mut self,
        question: &Question,
        log: &mut QueryLogger,
        each: &mut impl FnMut(Row) -> Result<ControlFlow<()>, Error>,
    ) -> Result<Done, Error> {
        let Self { connection, columns, without_columns, .. } = self;
        let sql = question.sql.as_str();
        if question.persistent {
            let mut statement = connection.prepare_cached(sql).map_err(told)?;
            let columns = match statement.column_count() {
                0 => Arc::clone(without_columns),
                _ => match columns.get(sql) {
                    Some(columns) => Arc::clone(columns),
                    None => remember(columns, &question.sql, &statement),
                },
            };
            step(&mut statement, &columns, &question.parameters, log, each)?;
        } else {
            let mut statement = connection.prepare(sql).map_err(told)?;
            let columns = Arc::new(Columns::of(&statement));
            step(&mut statement, &columns, &question.parameters, log, each)?;
        }
        let done = connection.changes();
        log.increase_rows_affected(done);
        Ok(Done::with(done))
    }

    /// Hands every row to `each` as it comes, without keeping any; it holds up its thread meanwhile.
    ///
    /// # Errors
    /// Those of `each`, which end the reading, and those of the database.
    pub fn each_row<E: From<StoreError>>(
        &mut self,
        sql: String,
        mut each: impl FnMut(&Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let sql = AssertSqlSafe(sql).into_sql_str();
        let question = Question { sql, parameters: Values::default(), persistent: false };
        let mut failure = None;
        self.run(&question, |row| {
            Ok(match each(&row) {
                Ok(()) => ControlFlow::Continue(()),
                Err(error) => {
                    failure = Some(error);
                    ControlFlow::Break(())
                }
            })
        })
        .map_err(StoreError::from)?;
        failure.map_or(Ok(()), Err)
    }

    fn rows(&mut self, question: &Question) -> Result<(Vec<Row>, Done), Error> {
        let mut rows = Vec::new();
        let done = self.run(question, |row| {
            rows.push(row);
            Ok(ControlFlow::Continue(()))
        })?;
        Ok((rows, done))
    }

    fn prepare(&mut self, sql: SqlStr) -> Result<Statement, Error> {
        let statement = self.connection.prepare_cached(sql.as_str()).map_err(told)?;
        let (columns, parameters) = (Arc::new(Columns::of(&statement)), statement.parameter_count());
        drop(statement);
        Ok(Statement { sql, columns, parameters })
    }

    fn statement(&mut self, sql: &'static str) -> Result<(), Error> {
        self.run(&Question::plain(sql), |_| Ok(ControlFlow::Continue(()))).map(drop)
    }
}

fn remember(
    known: &mut HashMap<SqlStr, Arc<Columns>, foldhash::fast::RandomState>,
    sql: &SqlStr,
    statement: &rusqlite::Statement<'_>,
) -> Arc<Columns> {
    // As many as there are statements in the program; only those put together as they are needed could be more.
    if known.len() >= MOST_REMEMBERED {
        known.clear();
    }
    let columns = Arc::new(Columns::of(statement));
    known.insert(sql.clone(), Arc::clone(&columns));
    columns
}

/// The columns of so many statements are remembered.
const MOST_REMEMBERED: usize = 1024;

fn step(
    statement: &mut rusqlite::Statement<'_>,
    columns: &Arc<Columns>,
    parameters: &Values,
    log: &mut QueryLogger,
    each: &mut impl FnMut(Row) -> Result<ControlFlow<()>, Error>,
) -> Result<(), Error> {
    bind(statement, parameters)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(told)? {
        log.increment_rows_returned();
        if each(Row::copy(row, columns).map_err(told)?)?.is_break() {
            break;
        }
    }
    Ok(())
}

/// `$3` is the third parameter wherever it stands; `?` is the next one. Who brings no value at all only wants to know
/// of the statement, as `EXPLAIN` does.
fn bind(statement: &mut rusqlite::Statement<'_>, parameters: &Values) -> Result<(), Error> {
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
        statement.raw_bind_parameter(index, value).map_err(told)?;
    }
    Ok(())
}

impl Connection for InlineConnection {
    type Database = InlineSqlite;
    type Options = InlineOptions;

    async fn close(self) -> Result<(), Error> {
        self.connection.close().map_err(|(_, error)| told(error))
    }

    async fn close_hard(self) -> Result<(), Error> {
        self.close().await
    }

    async fn ping(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn begin(&mut self) -> impl Future<Output = Result<Transaction<'_, InlineSqlite>, Error>> + Send + '_ {
        Transaction::begin(self, None)
    }

    fn shrink_buffers(&mut self) {}

    async fn flush(&mut self) -> Result<(), Error> {
        Ok(())
    }

    fn should_flush(&self) -> bool {
        false
    }
}

/// Begins and ends transactions. Whether there is one SQLite itself says, which ends it after some errors.
#[derive(Debug)]
pub struct Transactions;

impl TransactionManager for Transactions {
    type Database = InlineSqlite;

    async fn begin(connection: &mut InlineConnection, statement: Option<SqlStr>) -> Result<(), Error> {
        match statement {
            Some(sql) => {
                let question = Question { sql, parameters: Values::default(), persistent: true };
                connection.run(&question, |_| Ok(ControlFlow::Continue(()))).map(drop)
            }
            None => connection.statement("BEGIN"),
        }
    }

    async fn commit(connection: &mut InlineConnection) -> Result<(), Error> {
        connection.statement("COMMIT")
    }

    async fn rollback(connection: &mut InlineConnection) -> Result<(), Error> {
        match Self::get_transaction_depth(connection) {
            0 => Ok(()),
            _ => connection.statement("ROLLBACK"),
        }
    }

    fn start_rollback(connection: &mut InlineConnection) {
        // The next one to begin a transaction on this connection is told if it did not end.
        if Self::get_transaction_depth(connection) > 0 {
            let _ = connection.statement("ROLLBACK");
        }
    }

    fn get_transaction_depth(connection: &InlineConnection) -> usize {
        usize::from(!connection.connection.is_autocommit())
    }
}

impl<'c> Executor<'c> for &'c mut InlineConnection {
    type Database = InlineSqlite;

    fn execute<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Done, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, InlineSqlite>,
    {
        let question = Question::of(query);
        Box::pin(async move {
            let question = question?;
            tokio::task::coop::consume_budget().await;
            self.run(&question, |_| Ok(ControlFlow::Continue(())))
        })
    }

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<Done, Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, InlineSqlite>,
    {
        let question = Question::of(query);
        let asked = stream::once(async move {
            let question = question?;
            tokio::task::coop::consume_budget().await;
            self.rows(&question)
        });
        let told = asked.map_ok(|(rows, done)| {
            let rows = rows.into_iter().map(Either::Right);
            stream::iter(rows.chain([Either::Left(done)]).map(Ok))
        });
        told.try_flatten().boxed()
    }

    fn fetch_all<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Vec<Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, InlineSqlite>,
    {
        let question = Question::of(query);
        Box::pin(async move {
            let question = question?;
            tokio::task::coop::consume_budget().await;
            Ok(self.rows(&question)?.0)
        })
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, InlineSqlite>,
    {
        let question = Question::of(query);
        Box::pin(async move {
            let question = question?;
            tokio::task::coop::consume_budget().await;
            let mut found = None;
            // A statement that writes and gives rows back has written all before the first of them comes.
            self.run(&question, |row| {
                found = Some(row);
                Ok(ControlFlow::Break(()))
            })?;
            Ok(found)
        })
    }

    fn prepare_with<'e>(self, sql: SqlStr, _: &'e [StorageClass]) -> BoxFuture<'e, Result<Statement, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move { self.prepare(sql) })
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<InlineSqlite>, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move {
            let Statement { columns, parameters, .. } = self.prepare(sql)?;
            let nullable = vec![None; columns.list.len()];
            Ok(Describe {
                columns: columns.list.clone(),
                parameters: Some(Either::Right(parameters)),
                nullable,
            })
        })
    }
}

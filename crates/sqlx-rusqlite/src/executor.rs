//! sqlx's [`Executor`] for `&mut RusqliteConnection`.
//!
//! Each statement runs when its future or stream is first polled, in that one poll, and consumes one unit of tokio's
//! cooperative budget: a task that runs many statements yields to others in between.

use std::ops::ControlFlow;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{StreamExt as _, TryStreamExt as _};
use sqlx_core::Either;
#[cfg(feature = "offline")]
use sqlx_core::describe::Describe;
use sqlx_core::error::Error;
use sqlx_core::executor::{Execute, Executor};
use sqlx_core::sql_str::SqlStr;

use crate::statement::BoundQuery;
use crate::{
    Rusqlite, RusqliteConnection, RusqliteQueryResult, RusqliteRow, RusqliteStatement, StorageClass,
};

impl<'c> Executor<'c> for &'c mut RusqliteConnection {
    type Database = Rusqlite;

    fn execute<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<RusqliteQueryResult, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Rusqlite>,
    {
        let query = BoundQuery::from_execute(query);
        Box::pin(async move {
            let query = query?;
            tokio::task::coop::consume_budget().await;
            self.run(&query, |_| Ok(ControlFlow::Continue(())))
        })
    }

    /// All rows are read before the first one is returned; [`RusqliteConnection::for_each_row`] reads one at a time.
    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<RusqliteQueryResult, RusqliteRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Rusqlite>,
    {
        let query = BoundQuery::from_execute(query);
        let run = stream::once(async move {
            let query = query?;
            tokio::task::coop::consume_budget().await;
            self.collect_rows(&query)
        });
        let results = run.map_ok(|(rows, result)| {
            let rows = rows.into_iter().map(Either::Right);
            stream::iter(rows.chain([Either::Left(result)]).map(Ok))
        });
        results.try_flatten().boxed()
    }

    fn fetch_all<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Vec<RusqliteRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Rusqlite>,
    {
        let query = BoundQuery::from_execute(query);
        Box::pin(async move {
            let query = query?;
            tokio::task::coop::consume_budget().await;
            Ok(self.collect_rows(&query)?.0)
        })
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<RusqliteRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Rusqlite>,
    {
        let query = BoundQuery::from_execute(query);
        Box::pin(async move {
            let query = query?;
            tokio::task::coop::consume_budget().await;
            let mut first = None;
            // Stopping early loses no writes: a statement with RETURNING makes all its changes before its first row.
            self.run(&query, |row| {
                first = Some(row);
                Ok(ControlFlow::Break(()))
            })?;
            Ok(first)
        })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        _parameters: &'e [StorageClass],
    ) -> BoxFuture<'e, Result<RusqliteStatement, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move { self.prepare(sql) })
    }

    #[cfg(feature = "offline")]
    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Rusqlite>, Error>>
    where
        'c: 'e,
    {
        Box::pin(async move {
            let RusqliteStatement { columns, parameters, .. } = self.prepare(sql)?;
            let nullable = vec![None; columns.list.len()];
            Ok(Describe {
                columns: columns.list.clone(),
                parameters: Some(Either::Right(parameters)),
                nullable,
            })
        })
    }
}

//! A connection to PostgreSQL on which nothing is waited for any more once the server is given up.
//!
//! A server that froze, or whose network is cut, closes no connection: whoever waits for its answer would wait for ever.

use std::future::Future as _;
use std::io;
use std::task::Poll;

use futures_util::future::BoxFuture;
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _};
use sqlx::{Either, Error, Execute, Executor, SqlStr};
use sqlx_postgres::{PgConnection, PgQueryResult, PgRow, PgStatement, PgTypeInfo, Postgres};
use tokio_util::sync::CancellationToken;

/// Runs statements until the token is cancelled; those that run then fail.
#[derive(Debug)]
pub struct Guarded<'c> {
    connection: &'c mut PgConnection,
    ended: &'c CancellationToken,
}

/// The error of what was not waited for.
pub(crate) fn given_up() -> Error {
    let kind = io::ErrorKind::ConnectionAborted;
    Error::Io(io::Error::new(kind, "the connection was given up: the server did not answer"))
}

impl<'c> Guarded<'c> {
    pub(crate) fn new(connection: &'c mut PgConnection, ended: &'c CancellationToken) -> Self {
        Self { connection, ended }
    }

    /// The same for one statement of several.
    pub(crate) fn again(&mut self) -> Guarded<'_> {
        Guarded { connection: self.connection, ended: self.ended }
    }
}

impl<'c> Executor<'c> for Guarded<'c> {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(self, query: E) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let Self { connection, ended } = self;
        let mut rows = connection.fetch_many(query);
        let mut cut = Box::pin(ended.cancelled());
        let mut is_over = false;
        stream::poll_fn(move |context| {
            if is_over {
                return Poll::Ready(None);
            }
            if let Poll::Ready(item) = rows.poll_next_unpin(context) {
                return Poll::Ready(item);
            }
            cut.as_mut().poll(context).map(|()| {
                is_over = true;
                Some(Err(given_up()))
            })
        })
        .boxed()
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        let Self { connection, ended } = self;
        let row = connection.fetch_optional(query);
        async move {
            tokio::select! {
                biased;
                row = row => row,
                () = ended.cancelled() => Err(given_up()),
            }
        }
        .boxed()
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, Error>>
    where
        'c: 'e,
    {
        let Self { connection, ended } = self;
        let prepared = connection.prepare_with(sql, parameters);
        async move {
            tokio::select! {
                biased;
                prepared = prepared => prepared,
                () = ended.cancelled() => Err(given_up()),
            }
        }
        .boxed()
    }
}

//! A connection on which only queries run.
//!
//! On SQLite and in PostgreSQL's read-only transactions the database refuses changes by itself. Inside a transaction that
//! changes rows it cannot, and there a change that did not come through `WriteTx::writing` would survive a command that is
//! refused later.

use futures_util::future::{self, BoxFuture};
use futures_util::stream::{self, BoxStream};
use futures_util::{FutureExt as _, StreamExt as _};
use sqlx::error::BoxDynError;
use sqlx::{Database, Either, Error, Execute, Executor, SqlStr};

/// Runs queries on `C` and refuses every other statement.
#[derive(Debug)]
pub struct ReadOnly<C>(C);

impl<C> ReadOnly<C> {
    pub(crate) fn new(connection: C) -> Self {
        Self(connection)
    }
}

/// A statement that was found to be a query.
struct Query<D: Database> {
    sql: SqlStr,
    arguments: Option<D::Arguments>,
    persistent: bool,
}

impl<D: Database> Query<D> {
    fn of<'q>(mut statement: impl Execute<'q, D>) -> Result<Self, Error> {
        let arguments = statement.take_arguments().map_err(Error::Encode)?;
        let persistent = statement.persistent();
        let sql = statement.sql();
        check(sql.as_str())?;
        Ok(Self { sql, arguments, persistent })
    }
}

impl<D: Database> Execute<'_, D> for Query<D> {
    fn sql(self) -> SqlStr {
        self.sql
    }

    fn statement(&self) -> Option<&D::Statement> {
        None
    }

    fn take_arguments(&mut self) -> Result<Option<D::Arguments>, BoxDynError> {
        Ok(self.arguments.take())
    }

    fn persistent(&self) -> bool {
        self.persistent
    }
}

impl<'c, C: Executor<'c>> Executor<'c> for ReadOnly<C> {
    type Database = C::Database;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<
        'e,
        Result<Either<<C::Database as Database>::QueryResult, <C::Database as Database>::Row>, Error>,
    >
    where
        'c: 'e,
        E: 'q + Execute<'q, C::Database>,
    {
        match Query::of(query) {
            Ok(query) => self.0.fetch_many(query),
            Err(error) => stream::once(future::ready(Err(error))).boxed(),
        }
    }

    fn fetch_all<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, Result<Vec<<C::Database as Database>::Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, C::Database>,
    {
        match Query::of(query) {
            Ok(query) => self.0.fetch_all(query),
            Err(error) => future::ready(Err(error)).boxed(),
        }
    }

    fn fetch_optional<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxFuture<'e, Result<Option<<C::Database as Database>::Row>, Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, C::Database>,
    {
        match Query::of(query) {
            Ok(query) => self.0.fetch_optional(query),
            Err(error) => future::ready(Err(error)).boxed(),
        }
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [<C::Database as Database>::TypeInfo],
    ) -> BoxFuture<'e, Result<<C::Database as Database>::Statement, Error>>
    where
        'c: 'e,
    {
        self.0.prepare_with(sql, parameters)
    }
}

/// Refuses statements that are no queries. The first word tells nearly all statements apart at no cost; changes inside a
/// `WITH` and locks taken by a `SELECT` are searched for in debug builds only, which the tests use. That no `WITH` of a
/// table changes rows is checked by a test over all sources.
fn check(sql: &str) -> Result<(), Error> {
    let is_query = sql.starts_with("SELECT ") || sql.starts_with("WITH ");
    if is_query && !(cfg!(debug_assertions) && changes_rows(sql)) {
        return Ok(());
    }
    Err(Error::Protocol(format!("no query, but a transaction that only asks was to run it: {sql}")))
}

/// Whether the text has words of a statement that changes, locks or numbers rows.
fn changes_rows(sql: &str) -> bool {
    ["INSERT INTO", "UPDATE ", "DELETE FROM", "FOR UPDATE", "FOR SHARE", "nextval(", "setval("]
        .iter()
        .any(|word| sql.contains(word))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{changes_rows, check};

    #[test]
    fn queries_pass() {
        assert!(check("SELECT id FROM users").is_ok());
        assert!(check("WITH r AS (SELECT 1) SELECT updated_at FROM r").is_ok());
    }

    #[test]
    fn statements_that_change_or_lock_something_are_refused() {
        for sql in [
            "UPDATE users SET role = role",
            "INSERT INTO users VALUES (1) RETURNING id",
            "DELETE FROM users",
            "TRUNCATE users",
            "WITH gone AS (DELETE FROM users RETURNING id) SELECT COUNT(*) FROM gone",
            "SELECT id FROM users FOR UPDATE SKIP LOCKED",
            "SELECT id FROM users FOR UPDATE OF users",
            "SELECT nextval('users_id_seq')",
            "LOCK TABLE users",
        ] {
            assert!(check(sql).is_err(), "{sql}");
        }
    }

    /// Release builds let every `WITH` pass.
    #[test]
    fn every_with_of_the_tables_is_a_query() {
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut queries = 0;
        for folder in ["boards", "mail", "ops", "ratings", "store", "users", "writer"] {
            for entry in fs::read_dir(sources.join(folder)).unwrap().map(Result::unwrap) {
                let place = format!("{folder}/{}", entry.file_name().to_string_lossy());
                if entry.path().is_dir() {
                    continue;
                }
                let text = fs::read_to_string(entry.path()).unwrap();
                let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
                if code.contains("WITH ") {
                    assert!(!changes_rows(&code), "{place}");
                    queries += 1;
                }
            }
        }
        assert!(queries > 0, "a query with a WITH is found");
    }
}

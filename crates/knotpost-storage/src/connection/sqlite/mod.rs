//! SQLite, by rusqlite. A statement runs on the thread that polls it and blocks that thread until it is done, or until the
//! busy timeout has passed while another process writes.

mod open;
mod pool;

pub(crate) use open::{create, open};
pub(crate) use pool::{PooledReader, ReaderPool};

use std::cell::Cell;
use std::ops::ControlFlow;

use rusqlite::types::{FromSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Error, Statement};
use sqlx_core::connection::LogSettings;
use sqlx_core::logger::QueryLogger;

use super::error::Result;
use super::statement::Sql;
use super::value::{Argument, At, Row, Value};

/// Runs a statement, and calls `each` with its rows until that breaks off. That loses no writes: a statement with RETURNING
/// makes all its changes before its first row.
///
/// Returns the number of rows written: by this statement, or by the last one that could write.
pub(super) fn run(
    connection: &Connection,
    sql: &Sql,
    arguments: &[&dyn Argument],
    each: &mut dyn FnMut(&Row) -> ControlFlow<()>,
) -> Result<u64> {
    // It logs the statement when it is dropped, as sqlx does on PostgreSQL.
    let mut log = QueryLogger::new(sql.text.clone(), LogSettings::default());
    if sql.is_kept {
        let mut statement = connection.prepare_cached(sql.as_str())?;
        step(&mut statement, arguments, &mut log, each)?;
    } else {
        step(&mut connection.prepare(sql.as_str())?, arguments, &mut log, each)?;
    }
    log.increase_rows_affected(connection.changes());
    Ok(connection.changes())
}

fn step(
    statement: &mut Statement<'_>,
    arguments: &[&dyn Argument],
    log: &mut QueryLogger,
    each: &mut dyn FnMut(&Row) -> ControlFlow<()>,
) -> rusqlite::Result<()> {
    bind(statement, arguments)?;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        log.increment_rows_returned();
        if each(&Row::Sqlite(SqliteRow { row, next: Cell::new(0) })).is_break() {
            break;
        }
    }
    Ok(())
}

/// Binds `$3` to the third argument wherever it stands in the text, and `?` to the next one.
fn bind(statement: &mut Statement<'_>, arguments: &[&dyn Argument]) -> rusqlite::Result<()> {
    let parameters = statement.parameter_count();
    for index in 1..=parameters {
        let number: Option<usize> =
            statement.parameter_name(index).and_then(|name| name.strip_prefix('$')?.parse().ok());
        let place = number.unwrap_or(index).checked_sub(1);
        let argument = place
            .and_then(|place| arguments.get(place))
            .ok_or(Error::InvalidParameterCount(arguments.len(), parameters))?;
        statement.raw_bind_parameter(index, ToSqlOutput::Borrowed(stored(argument.value())))?;
    }
    Ok(())
}

fn stored(value: Value<'_>) -> ValueRef<'_> {
    match value {
        Value::Null(_) => ValueRef::Null,
        Value::Int(value) => ValueRef::Integer(value),
        Value::Short(value) => ValueRef::Integer(value.into()),
        Value::Flag(value) => ValueRef::Integer(value.into()),
        Value::Real(value) => ValueRef::Real(value),
        Value::Text(value) => ValueRef::Text(value.as_bytes()),
        Value::Bytes(value) => ValueRef::Blob(value),
    }
}

/// The row that a statement stands at.
#[derive(Debug)]
pub(crate) struct SqliteRow<'r> {
    row: &'r rusqlite::Row<'r>,
    /// The column behind the one last read by name. Most are read in the order of the statement, so it is compared first.
    next: Cell<usize>,
}

impl SqliteRow<'_> {
    /// Reads a column; `None`: NULL.
    pub(super) fn get<T: FromSql>(&self, at: At) -> rusqlite::Result<Option<T>> {
        match at {
            At::Name(name) => self.row.get(self.find(name)?),
            At::Place(place) => self.row.get(place),
        }
    }

    fn find(&self, name: &str) -> rusqlite::Result<usize> {
        let (statement, next) = (self.row.as_ref(), self.next.get());
        let is_next = statement.column_name(next).is_ok_and(|column| column == name);
        let place = if is_next { next } else { statement.column_index(name)? };
        self.next.set(place + 1);
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::FromRow;
    use super::*;

    fn fetch_all<T: FromRow>(
        connection: &Connection,
        sql: impl Into<Sql>,
        arguments: &[&dyn Argument],
    ) -> Result<Vec<T>> {
        let mut rows = Vec::new();
        run(connection, &sql.into(), arguments, &mut |row| {
            rows.push(row.decode().unwrap());
            ControlFlow::Continue(())
        })?;
        Ok(rows)
    }

    #[test]
    fn a_parameter_has_the_argument_of_its_number_wherever_it_stands() {
        let connection = Connection::open_in_memory().unwrap();
        let arguments: [&dyn Argument; 3] = [&1_i64, &"two", &None::<String>];
        let numbered = "SELECT $2, $1, $2, $3";
        let rows: Vec<(String, i64, String, Option<String>)> =
            fetch_all(&connection, numbered, &arguments).unwrap();
        assert_eq!(rows, [("two".to_owned(), 1, "two".to_owned(), None)]);
        let rows: Vec<(i64, String)> =
            fetch_all(&connection, Sql::once("SELECT ?, ?".to_owned()), &arguments).unwrap();
        assert_eq!(rows, [(1, "two".to_owned())]);
        for sql in ["SELECT $1, $4", "SELECT $0", "SELECT ?, ?, ?, ?"] {
            assert!(fetch_all::<()>(&connection, sql, &arguments).is_err(), "{sql}");
        }
    }

    #[test]
    fn a_kept_statement_holds_no_snapshot_and_follows_the_schema() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("games.db");
        let connection = create(&file).unwrap();
        connection.execute_batch("CREATE TABLE a (b TEXT); INSERT INTO a VALUES ('one'), ('two')").unwrap();
        let sql = Sql::from("SELECT * FROM a");
        let mut read = Vec::new();
        // It ends in the middle of its rows.
        run(&connection, &sql, &[], &mut |row| {
            read.push(row.read::<String>("b").unwrap());
            ControlFlow::Break(())
        })
        .unwrap();
        let other = open(&file).unwrap();
        other.execute_batch("ALTER TABLE a RENAME b TO c; ALTER TABLE a ADD b TEXT DEFAULT 'new'").unwrap();
        run(&connection, &sql, &[], &mut |row| {
            read.push(row.read("b").unwrap());
            ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(read, ["one", "new", "new"]);
    }
}

//! What is stored, row by row, so that before and after can be compared.

use std::collections::BTreeMap;
use std::path::Path;

use sqlx::{AssertSqlSafe, Connection as _};
use sqlx_postgres::PgConnection;

use knotpost_storage::{Driver, StoreError};

use super::TestApp;

/// Tables of what came in, what was answered and what goes out: a mail that fails changes these.
const CORRESPONDENCE: [&str; 4] = ["inbox", "inbox_seen", "answer_budget", "outbox"];

/// From where a password was right is noted whatever becomes of its command: this differs without anything having changed.
const NOTED: &str = "login_hosts";

/// The rows of all tables, by table.
#[derive(Clone, Debug)]
pub(crate) struct Tables(BTreeMap<String, Vec<String>>);

impl PartialEq for Tables {
    fn eq(&self, other: &Self) -> bool {
        self.differing(other).is_empty() && other.differing(self).is_empty()
    }
}

impl Tables {
    pub(super) fn of_sqlite(file: &Path) -> Self {
        let connection = rusqlite::Connection::open(file).expect("the database opens");
        let strings = |sql: &str| -> Vec<String> {
            let mut statement = connection.prepare(sql).expect("a query");
            let rows = statement.query_map([], |row| row.get(0)).expect("rows");
            rows.map(|row| row.expect("a row")).collect()
        };
        let names =
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_sqlx%' ESCAPE '\\'";
        let rows = |name: String| {
            let columns = strings(&format!("SELECT name FROM pragma_table_info('{name}')"));
            let shown: Vec<String> = columns.iter().map(|column| format!("quote({column})")).collect();
            let rows = strings(&format!("SELECT {} FROM {name} ORDER BY 1", shown.join(" || ' ' || ")));
            (name, rows)
        };
        Self(strings(names).into_iter().map(rows).collect())
    }

    pub(super) async fn of_postgres(url: &str) -> Self {
        let mut connection = PgConnection::connect(url).await.expect("the database opens");
        let names = "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_sqlx%'";
        let names: Vec<String> = sqlx::query_scalar(names).fetch_all(&mut connection).await.expect("names");
        let mut tables = BTreeMap::new();
        for name in names {
            let sql = format!("SELECT row_to_json(t)::text FROM {name} AS t ORDER BY 1");
            let rows = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut connection).await.expect("rows");
            tables.insert(name, rows);
        }
        connection.close().await.expect("closed");
        Self(tables)
    }

    /// The names of the tables.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Without the correspondence.
    pub(crate) fn of_the_games(mut self) -> Self {
        self.0.retain(|name, _| !CORRESPONDENCE.contains(&name.as_str()));
        self
    }

    /// The tables whose rows are not the same in `other`.
    pub(crate) fn differing(&self, other: &Self) -> Vec<&str> {
        self.0
            .iter()
            .filter(|(name, rows)| *name != NOTED && other.0.get(*name) != Some(*rows))
            .map(|(name, _)| name.as_str())
            .collect()
    }

    /// The rows of one table.
    pub(crate) fn rows(&self, table: &str) -> &[String] {
        self.0.get(table).map_or(&[], Vec::as_slice)
    }
}

impl TestApp {
    /// Runs a statement that the store itself has no use for.
    pub(crate) async fn alter(&self, sql: &'static str) {
        let altered = self.app.store.write(async move |tx| {
            match tx.driver_for_tests() {
                Driver::Sqlite(connection) => connection.execute_batch(sql)?,
                Driver::Postgres(connection) => sqlx::query(sql).execute(connection).await.map(drop)?,
            }
            Ok::<_, StoreError>(())
        });
        altered.await.expect("the statement runs");
    }
}

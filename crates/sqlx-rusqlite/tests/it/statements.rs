//! Statements, their parameters, and the statement cache.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::TryStreamExt as _;
use sqlx::{
    AssertSqlSafe, Column as _, Either, Executor as _, QueryBuilder, Row as _, SqlSafeStr as _,
    Statement as _,
};
use sqlx_rusqlite::Rusqlite;

use super::{Database, count, insert, names};

#[tokio::test]
async fn a_numbered_parameter_may_stand_anywhere_and_more_than_once() {
    let mut connection = Database::new().await.connect().await;
    let row: (i64, i64, i64) =
        sqlx::query_as("SELECT $2, $1, $2").bind(1_i64).bind(2_i64).fetch_one(&mut connection).await.unwrap();
    assert_eq!(row, (2, 1, 2));
    let row: (i64, i64) =
        sqlx::query_as("SELECT ?, ?").bind(1_i64).bind(2_i64).fetch_one(&mut connection).await.unwrap();
    assert_eq!(row, (1, 2));
}

#[tokio::test]
async fn a_missing_parameter_is_an_error_and_no_parameters_are_null() {
    let mut connection = Database::new().await.connect().await;
    let sql = "SELECT $1, $2";
    let bound: (i64, i64) = sqlx::query_as(sql).bind(1).bind(2).fetch_one(&mut connection).await.unwrap();
    assert_eq!(bound, (1, 2));
    let missing = sqlx::query(sql).bind(1).fetch_one(&mut connection).await;
    assert!(missing.unwrap_err().to_string().contains("no value for parameter 2"));
    // The cached statement does not remember the values that were bound to it before.
    let unbound: (Option<i64>, Option<i64>) = sqlx::query_as(sql).fetch_one(&mut connection).await.unwrap();
    assert_eq!(unbound, (None, None));
}

#[tokio::test]
async fn a_text_is_one_statement() {
    let mut connection = Database::new().await.connect().await;
    let two = sqlx::query("SELECT 1; SELECT 2").fetch_one(&mut connection).await;
    assert!(two.is_err(), "the second one would not run");
}

#[tokio::test]
async fn a_statement_with_returning_changes_all_rows_even_if_one_is_fetched() {
    let mut connection = Database::new().await.connect().await;
    let three = "INSERT INTO items (name, heavy) VALUES ('a', 0), ('b', 1), ('c', 1) RETURNING name";
    let first: Option<String> = sqlx::query_scalar(three).fetch_optional(&mut connection).await.unwrap();
    assert_eq!(first.as_deref(), Some("a"));
    let updated =
        sqlx::query("UPDATE items SET weight = ?").bind(2.5).execute(&mut connection).await.unwrap();
    assert_eq!(updated.rows_affected(), 3);
}

#[tokio::test]
async fn a_stream_yields_the_rows_and_then_the_result() {
    let mut connection = Database::new().await.connect().await;
    let sql = "INSERT INTO items (name, heavy) VALUES ('a', 0), ('b', 1) RETURNING name".into_sql_str();
    let found: Vec<_> = connection.fetch_many(sql).try_collect().await.unwrap();
    let seen: Vec<String> = found
        .iter()
        .map(|item| match item {
            Either::Left(result) => result.rows_affected().to_string(),
            Either::Right(row) => row.get("name"),
        })
        .collect();
    assert_eq!(seen, ["a", "b", "2"]);
}

#[tokio::test]
async fn a_prepared_statement_knows_its_columns_and_parameters() {
    let mut connection = Database::new().await.connect().await;
    let sql = "SELECT id, name FROM items WHERE id > $1 AND heavy = $2".into_sql_str();
    let statement = (&mut connection).prepare(sql).await.unwrap();
    let columns: Vec<&str> = statement.columns().iter().map(sqlx::Column::name).collect();
    assert_eq!(columns, ["id", "name"]);
    assert_eq!(statement.columns()[1].ordinal(), 1);
    assert_eq!(statement.parameters(), Some(Either::Right(2)));
    insert(&mut connection, "one").await.unwrap();
    let row = statement.query().bind(0).bind(false).fetch_one(&mut connection).await.unwrap();
    assert_eq!(row.get::<String, _>("name"), "one");
}

#[tokio::test]
async fn a_query_builder_builds_for_this_driver() {
    let mut connection = Database::new().await.connect().await;
    let mut builder = QueryBuilder::<Rusqlite>::new("INSERT INTO items (name, heavy) ");
    builder.push_values(["a", "b", "c"], |mut row, name| {
        row.push_bind(name).push_bind(true);
    });
    builder.build().execute(&mut connection).await.unwrap();
    assert_eq!(names(&mut connection).await, ["a", "b", "c"]);
}

#[tokio::test]
async fn more_statements_than_the_cache_holds_all_run() {
    let database = Database::new().await;
    let mut connection =
        sqlx::ConnectOptions::connect(&database.options.clone().statement_cache_capacity(2)).await.unwrap();
    for _ in 0..2 {
        // More texts than columns are cached for, too.
        for number in 0..1_100_i64 {
            let sql = AssertSqlSafe(format!("SELECT {number} AS n{number}"));
            let row = sqlx::query(sql).fetch_one(&mut connection).await.unwrap();
            assert_eq!(row.get::<i64, _>(format!("n{number}").as_str()), number);
        }
    }
}

#[tokio::test]
async fn a_cached_statement_holds_no_lock_between_two_runs() {
    let mut connection = Database::new().await.connect().await;
    insert(&mut connection, "one").await.unwrap();
    // Only the first row of two is read, and the statement stays in the cache.
    let sql = "SELECT 1 UNION ALL SELECT id FROM items";
    let first: Option<i64> = sqlx::query_scalar(sql).fetch_optional(&mut connection).await.unwrap();
    assert_eq!(first, Some(1));
    sqlx::query("DROP TABLE items").execute(&mut connection).await.unwrap();
}

#[tokio::test]
async fn a_cached_statement_follows_changes_of_the_schema() {
    let database = Database::new().await;
    // A cache of one statement: the second case prepares each text again.
    for capacity in [256, 1] {
        let options = database.options.clone().statement_cache_capacity(capacity);
        let mut connection = sqlx::ConnectOptions::connect(&options).await.unwrap();
        let all = "SELECT * FROM pairs";
        let setup = [
            "DROP TABLE IF EXISTS pairs",
            "CREATE TABLE pairs (a INTEGER, b INTEGER) STRICT",
            "INSERT INTO pairs VALUES (1, 2)",
        ];
        for sql in setup {
            sqlx::query(sql).execute(&mut connection).await.unwrap();
        }
        let row = sqlx::query(all).fetch_one(&mut connection).await.unwrap();
        assert_eq!(row.get::<i64, _>("b"), 2);
        let changes = [
            ("ALTER TABLE pairs ADD COLUMN c INTEGER DEFAULT 3", "a b c"),
            ("ALTER TABLE pairs RENAME COLUMN b TO z", "a z c"),
            ("ALTER TABLE pairs DROP COLUMN a", "z c"),
        ];
        for (change, expected) in changes {
            sqlx::query(change).execute(&mut connection).await.unwrap();
            for _ in 0..2 {
                let row = sqlx::query(all).fetch_one(&mut connection).await.unwrap();
                let found: Vec<&str> = row.columns().iter().map(sqlx::Column::name).collect();
                assert_eq!(found.join(" "), expected, "{change}, {capacity}");
                assert_eq!(row.get::<i64, _>("c"), 3);
            }
        }
    }
}

#[tokio::test]
async fn cleared_statements_are_prepared_again() {
    let mut connection = Database::new().await.connect().await;
    for _ in 0..2 {
        insert(&mut connection, "one").await.unwrap();
        sqlx::query("DELETE FROM items").execute(&mut connection).await.unwrap();
        sqlx::Connection::clear_cached_statements(&mut connection).await.unwrap();
    }
    assert_eq!(count(&mut connection).await, 0);
}

#[tokio::test]
async fn rows_are_handed_over_one_by_one_until_the_caller_breaks_off() {
    let mut connection = Database::new().await.connect().await;
    for name in ["a", "b", "c"] {
        insert(&mut connection, name).await.unwrap();
    }
    let mut seen = Vec::new();
    let sql = "SELECT name FROM items ORDER BY name";
    let outcome = connection.for_each_row(sql, |row| {
        seen.push(row.get::<String, _>(0));
        if seen.len() == 2 { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    assert_eq!(outcome.unwrap(), ControlFlow::Break("enough"));
    assert_eq!(seen, ["a", "b"]);
    let all = connection.for_each_row(sql, |_| ControlFlow::<()>::Continue(()));
    assert!(all.unwrap().is_continue());
    insert(&mut connection, "the table is free again").await.unwrap();
}

#[tokio::test]
async fn a_panic_while_rows_are_read_leaves_the_connection_usable() {
    let mut connection = Database::new().await.connect().await;
    insert(&mut connection, "one").await.unwrap();
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        connection.for_each_row("SELECT name FROM items", |_| -> ControlFlow<()> { panic!("while reading") })
    }));
    assert!(panicked.is_err());
    insert(&mut connection, "two").await.unwrap();
    sqlx::query("DELETE FROM items").execute(&mut connection).await.unwrap();
    assert_eq!(count(&mut connection).await, 0);
}

#[tokio::test]
async fn statements_and_rows_are_counted_over_all_connections_of_the_same_options() {
    let database = Database::new().await;
    let (mut one, mut two) = (database.connect().await, database.connect().await);
    let counter = database.options.usage_counter();
    let before = counter.read();
    insert(&mut one, "a").await.unwrap();
    insert(&mut two, "b").await.unwrap();
    assert_eq!(names(&mut one).await.len(), 2);
    let after = counter.read();
    assert_eq!((after.statements - before.statements, after.rows - before.rows), (3, 2));
}

use std::time::Duration;

use sqlx::{Connection as _, FromRow};
use sqlx_core::connection::ConnectOptions as _;
use sqlx_core::error::ErrorKind;

use super::*;

#[derive(Debug, FromRow, PartialEq)]
struct Thing {
    id: i64,
    name: Option<String>,
    weight: Option<f64>,
    heavy: bool,
    bytes: Option<Vec<u8>>,
}

struct Ground {
    options: InlineOptions,
    _folder: tempfile::TempDir,
}

impl Ground {
    async fn new() -> (Self, InlineConnection) {
        let folder = tempfile::tempdir().unwrap();
        let options = InlineOptions::new(&folder.path().join("things.db"), Duration::from_millis(20));
        let mut connection = options.connect().await.unwrap();
        let table = "CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT UNIQUE, weight REAL, \
                     heavy INTEGER NOT NULL CHECK (heavy IN (0, 1)), bytes BLOB) STRICT";
        sqlx::query(table).execute(&mut connection).await.unwrap();
        (Self { options, _folder: folder }, connection)
    }
}

async fn insert(connection: &mut InlineConnection, name: &str) -> Result<Done, sqlx::Error> {
    sqlx::query("INSERT INTO things (name, heavy) VALUES ($1, FALSE)").bind(name).execute(connection).await
}

fn kind(error: &sqlx::Error) -> ErrorKind {
    error.as_database_error().unwrap_or_else(|| panic!("{error:?}")).kind()
}

#[tokio::test]
async fn what_goes_in_comes_out() {
    let (_ground, mut connection) = Ground::new().await;
    let things = [
        Thing { id: i64::MIN, name: None, weight: None, heavy: false, bytes: None },
        Thing {
            id: 7,
            name: Some("Ä, ☃ and\0nothing".to_owned()),
            weight: Some(-0.1),
            heavy: true,
            bytes: Some(vec![0, 255]),
        },
        Thing {
            id: i64::MAX,
            name: Some(String::new()),
            weight: Some(1e300),
            heavy: true,
            bytes: Some(Vec::new()),
        },
    ];
    for thing in &things {
        let done =
            sqlx::query("INSERT INTO things (bytes, heavy, weight, name, id) VALUES ($5, $4, $3, $2, $1)")
                .bind(thing.id)
                .bind(thing.name.as_deref())
                .bind(thing.weight)
                .bind(thing.heavy)
                .bind(&thing.bytes)
                .execute(&mut connection)
                .await
                .unwrap();
        assert_eq!(done.rows_affected(), 1);
    }
    let all = "SELECT id, name, weight, heavy, bytes FROM things ORDER BY id";
    let found: Vec<Thing> = sqlx::query_as(all).fetch_all(&mut connection).await.unwrap();
    assert_eq!(found, things);
    // Once more, as a statement that is known.
    let first: Option<Thing> = sqlx::query_as(all).fetch_optional(&mut connection).await.unwrap();
    assert_eq!(first.as_ref(), things.first());
}

#[tokio::test]
async fn a_value_of_another_kind_or_a_missing_column_is_an_error() {
    let (_ground, mut connection) = Ground::new().await;
    insert(&mut connection, "seven").await.unwrap();
    let wrong = sqlx::query_scalar::<_, i64>("SELECT name FROM things").fetch_one(&mut connection).await;
    assert!(wrong.unwrap_err().to_string().contains("TEXT"));
    let none = sqlx::query_scalar::<_, String>("SELECT weight FROM things").fetch_one(&mut connection).await;
    assert!(none.unwrap_err().to_string().contains("NULL where String was expected"));
    let missing = sqlx::query_as::<_, Thing>("SELECT id FROM things").fetch_one(&mut connection).await;
    assert!(matches!(missing, Err(sqlx::Error::ColumnNotFound(name)) if name == "name"));
    let broken =
        sqlx::query_scalar::<_, String>("SELECT CAST(x'ff' AS TEXT)").fetch_one(&mut connection).await;
    assert!(broken.unwrap_err().to_string().contains("utf-8"));
    let unbound = sqlx::query("SELECT $1, $2").bind(1).fetch_one(&mut connection).await;
    assert!(unbound.unwrap_err().to_string().contains("no value for parameter 2"));
    let two = sqlx::query("SELECT 1; SELECT 2").fetch_one(&mut connection).await;
    assert!(two.is_err(), "the second would not be carried out");
}

#[tokio::test]
async fn a_statement_that_writes_gives_rows_back_and_has_written_them_all() {
    let (_ground, mut connection) = Ground::new().await;
    let several = "INSERT INTO things (name, heavy) VALUES ('a', 0), ('b', 1), ('c', 1) RETURNING name";
    let first: Option<String> = sqlx::query_scalar(several).fetch_optional(&mut connection).await.unwrap();
    assert_eq!(first.as_deref(), Some("a"));
    let heavier =
        sqlx::query("UPDATE things SET weight = ?").bind(2.5).execute(&mut connection).await.unwrap();
    assert_eq!(heavier.rows_affected(), 3);
}

#[tokio::test]
async fn refusals_say_what_kind_they_are() {
    let (ground, mut connection) = Ground::new().await;
    insert(&mut connection, "one").await.unwrap();
    let again = insert(&mut connection, "one").await.unwrap_err();
    assert_eq!(kind(&again), ErrorKind::UniqueViolation);
    let neither = "INSERT INTO things (heavy) VALUES (2)";
    let neither = sqlx::query(neither).execute(&mut connection).await.unwrap_err();
    assert_eq!(kind(&neither), ErrorKind::CheckViolation);
    let nothing = sqlx::query("SELECT colour FROM things").execute(&mut connection).await.unwrap_err();
    assert!(nothing.to_string().contains("no such column"), "{nothing}");

    let mut other = ground.options.connect().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE").execute(&mut other).await.unwrap();
    let busy = insert(&mut connection, "two").await.unwrap_err();
    assert_eq!(busy.as_database_error().and_then(sqlx::error::DatabaseError::code).as_deref(), Some("5"));

    let mut reader = ground.options.clone().reads_only().connect().await.unwrap();
    assert!(insert(&mut reader, "three").await.unwrap_err().to_string().contains("readonly"));
}

#[tokio::test]
async fn a_transaction_that_is_dropped_is_undone() {
    let (_ground, mut connection) = Ground::new().await;
    let mut dropped = connection.begin().await.unwrap();
    insert(&mut dropped, "one").await.unwrap();
    drop(dropped);
    assert!(!connection.is_in_transaction());
    let mut kept = connection.begin().await.unwrap();
    insert(&mut kept, "two").await.unwrap();
    kept.commit().await.unwrap();
    // SQLite ends a transaction by itself after some errors; then there is nothing to roll back.
    let mut ended = connection.begin().await.unwrap();
    sqlx::query("ROLLBACK").execute(&mut *ended).await.unwrap();
    ended.rollback().await.unwrap();
    let names: Vec<String> =
        sqlx::query_scalar("SELECT name FROM things").fetch_all(&mut connection).await.unwrap();
    assert_eq!(names, ["two"]);
}

#[tokio::test]
async fn rows_are_handed_over_until_somebody_breaks_off() {
    let (_ground, mut connection) = Ground::new().await;
    for name in ["a", "b", "c"] {
        insert(&mut connection, name).await.unwrap();
    }
    let mut seen = 0;
    let outcome: Result<(), crate::store::StoreError> =
        connection.each_row("SELECT name FROM things ORDER BY name".to_owned(), |_| {
            seen += 1;
            if seen == 2 { Err(crate::store::StoreError::Closed) } else { Ok(()) }
        });
    assert!(matches!(outcome, Err(crate::store::StoreError::Closed)));
    assert_eq!(seen, 2);
    insert(&mut connection, "nothing holds the table any more").await.unwrap();
}

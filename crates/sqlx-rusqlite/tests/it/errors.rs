//! SQLite's errors as sqlx's.

use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx::error::{DatabaseError as _, ErrorKind};
use sqlx_rusqlite::{RusqliteConnection, RusqliteError};

use super::{Database, insert};

fn kind(error: &sqlx::Error) -> ErrorKind {
    error.as_database_error().unwrap_or_else(|| panic!("{error:?}")).kind()
}

fn code(error: &sqlx::Error) -> String {
    error.as_database_error().unwrap_or_else(|| panic!("{error:?}")).code().unwrap().into_owned()
}

async fn failure(connection: &mut RusqliteConnection, sql: &'static str) -> sqlx::Error {
    sqlx::query(sql).execute(connection).await.unwrap_err()
}

#[tokio::test]
async fn violated_constraints_are_told_apart() {
    let mut connection = Database::new().await.connect().await;
    sqlx::query("INSERT INTO items (id, name, heavy) VALUES (1, 'one', 0)")
        .execute(&mut connection)
        .await
        .unwrap();
    for (sql, expected, number) in [
        ("INSERT INTO items (name, heavy) VALUES ('one', 0)", ErrorKind::UniqueViolation, "2067"),
        ("INSERT INTO items (id, heavy) VALUES (1, 0)", ErrorKind::UniqueViolation, "1555"),
        ("INSERT INTO items (heavy, parent) VALUES (0, 7)", ErrorKind::ForeignKeyViolation, "787"),
        ("INSERT INTO items (heavy) VALUES (NULL)", ErrorKind::NotNullViolation, "1299"),
        ("INSERT INTO items (heavy) VALUES (2)", ErrorKind::CheckViolation, "275"),
        ("INSERT INTO items (heavy, name) VALUES (0, x'00')", ErrorKind::Other, "3091"),
    ] {
        let error = failure(&mut connection, sql).await;
        assert_eq!(kind(&error), expected, "{sql}");
        assert_eq!(code(&error), number, "{sql}");
    }
}

#[tokio::test]
async fn a_statement_that_does_not_parse_says_where_it_fails() {
    let mut connection = Database::new().await.connect().await;
    let column = failure(&mut connection, "SELECT colour FROM items").await;
    assert!(column.to_string().contains("no such column"), "{column}");
    let syntax = failure(&mut connection, "SELEKT 1").await;
    assert!(syntax.to_string().contains("syntax error"), "{syntax}");
    assert_eq!(code(&syntax), "1");
}

#[tokio::test]
async fn an_error_can_be_downcast() {
    let mut connection = Database::new().await.connect().await;
    let error = failure(&mut connection, "INSERT INTO items (heavy) VALUES (2)").await;
    let error = error.into_database_error().unwrap().downcast::<RusqliteError>();
    assert_eq!(error.message(), "CHECK constraint failed: heavy IN (0, 1)");
    assert_eq!(error.to_string(), "(code: 275) CHECK constraint failed: heavy IN (0, 1)");
}

#[tokio::test]
async fn a_lock_is_waited_for_as_long_as_the_busy_timeout() {
    let database = Database::new().await;
    let (mut holder, mut other) = (database.connect().await, database.connect().await);
    sqlx::query("BEGIN IMMEDIATE").execute(&mut holder).await.unwrap();
    let busy = insert(&mut other, "two").await.unwrap_err();
    assert_eq!(code(&busy), "5");

    // With a longer timeout it gets the lock when the holder lets go. It waits on a thread of its own.
    let patient = database.options.clone().busy_timeout(Duration::from_mins(1));
    let runtime = tokio::runtime::Handle::current();
    let (began, has_begun) = std::sync::mpsc::channel();
    let waiting = std::thread::spawn(move || {
        runtime.block_on(async move {
            let mut connection = patient.connect().await.unwrap();
            began.send(()).unwrap();
            insert(&mut connection, "three").await.map(drop)
        })
    });
    has_begun.recv().unwrap();
    sqlx::query("COMMIT").execute(&mut holder).await.unwrap();
    waiting.join().unwrap().unwrap();
}

#[tokio::test]
async fn a_read_only_connection_refuses_to_write() {
    let database = Database::new().await;
    let mut reader = database.options.clone().read_only().connect().await.unwrap();
    let refused = insert(&mut reader, "three").await.unwrap_err();
    assert_eq!(code(&refused), "8");
    assert!(refused.to_string().contains("readonly"), "{refused}");
}

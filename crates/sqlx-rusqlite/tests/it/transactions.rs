//! Transactions: begun, ended, dropped, abandoned by a panic.

use sqlx::{Connection as _, Executor as _};
use sqlx_rusqlite::Rusqlite;

use super::{Database, count, insert, names};

#[tokio::test]
async fn a_committed_transaction_is_seen_by_other_connections_and_not_before() {
    let database = Database::new().await;
    let (mut writer, mut other) = (database.connect().await, database.connect().await);
    let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await.unwrap();
    insert(&mut transaction, "one").await.unwrap();
    assert_eq!(count(&mut other).await, 0);
    transaction.commit().await.unwrap();
    assert_eq!(count(&mut other).await, 1);
}

#[tokio::test]
async fn a_dropped_transaction_is_rolled_back() {
    let mut connection = Database::new().await.connect().await;
    let mut dropped = connection.begin().await.unwrap();
    insert(&mut dropped, "one").await.unwrap();
    drop(dropped);
    assert!(!connection.is_in_transaction());
    let mut committed = connection.begin().await.unwrap();
    insert(&mut committed, "two").await.unwrap();
    committed.commit().await.unwrap();
    assert_eq!(names(&mut connection).await, ["two"]);
}

#[tokio::test]
async fn a_rollback_of_a_transaction_that_sqlite_has_ended_is_no_error() {
    let mut connection = Database::new().await.connect().await;
    let mut ended = connection.begin().await.unwrap();
    insert(&mut ended, "one").await.unwrap();
    // As after an error such as SQLITE_FULL.
    sqlx::query("ROLLBACK").execute(&mut *ended).await.unwrap();
    ended.rollback().await.unwrap();
    assert_eq!(count(&mut connection).await, 0);
}

#[tokio::test]
async fn transactions_do_not_nest_but_savepoints_do() {
    let mut connection = Database::new().await.connect().await;
    let mut outer = connection.begin().await.unwrap();
    insert(&mut outer, "one").await.unwrap();
    for sql in ["SAVEPOINT inner", "INSERT INTO items (name, heavy) VALUES ('two', 0)"] {
        outer.execute(sql).await.unwrap();
    }
    outer.execute("ROLLBACK TO inner").await.unwrap();
    let statement = sqlx::query("BEGIN").execute(&mut *outer).await.unwrap_err();
    assert!(statement.to_string().contains("within a transaction"), "{statement}");
    outer.commit().await.unwrap();
    assert_eq!(names(&mut connection).await, ["one"]);
}

#[tokio::test]
async fn a_begin_inside_a_transaction_fails_and_rolls_it_back() {
    let mut connection = Database::new().await.connect().await;
    let mut outer = connection.begin().await.unwrap();
    insert(&mut outer, "one").await.unwrap();
    let inner = outer.begin().await.map(drop).unwrap_err();
    assert!(inner.to_string().contains("within a transaction"), "{inner}");
    assert!(!outer.is_in_transaction());
    assert_eq!(count(&mut outer).await, 0);
}

/// A function as users of sqlx write them.
async fn insert_two<'c>(database: impl sqlx::Acquire<'c, Database = Rusqlite>) -> Result<(), sqlx::Error> {
    let mut transaction = database.begin().await?;
    insert(&mut transaction, "one").await?;
    insert(&mut transaction, "two").await?;
    transaction.commit().await
}

#[tokio::test]
async fn a_connection_and_a_pool_can_be_acquired_from() {
    let database = Database::new().await;
    let mut connection = database.connect().await;
    insert_two(&mut connection).await.unwrap();
    assert_eq!(names(&mut connection).await, ["one", "two"]);
    let pool = sqlx::Pool::<Rusqlite>::connect_with(database.options.clone()).await.unwrap();
    assert!(insert_two(&pool).await.is_err(), "the names are taken");
    pool.close().await;
}

#[tokio::test]
async fn a_panic_in_a_transaction_rolls_it_back_and_frees_the_database() {
    let database = Database::new().await;
    let mut connection = database.connect().await;
    let task = tokio::spawn(async move {
        let mut transaction = connection.begin_with("BEGIN IMMEDIATE").await.unwrap();
        insert(&mut transaction, "one").await.unwrap();
        panic!("in the transaction");
    });
    assert!(task.await.unwrap_err().is_panic());
    let mut other = database.connect().await;
    insert(&mut other, "two").await.unwrap();
    assert_eq!(names(&mut other).await, ["two"]);
}

#[tokio::test]
async fn a_closure_with_an_error_rolls_back() {
    let mut connection = Database::new().await.connect().await;
    let failed: Result<(), sqlx::Error> = connection
        .transaction(|transaction| {
            Box::pin(async move {
                insert(transaction, "one").await?;
                insert(transaction, "one").await.map(drop)
            })
        })
        .await;
    assert!(failed.is_err());
    assert_eq!(count(&mut connection).await, 0);
}

#[tokio::test]
async fn a_pool_of_sqlx_takes_this_driver() {
    let database = Database::new().await;
    let pool = sqlx::Pool::<Rusqlite>::connect_with(database.options.clone()).await.unwrap();
    let mut transaction = pool.begin().await.unwrap();
    insert(&mut transaction, "one").await.unwrap();
    transaction.commit().await.unwrap();
    let mut dropped = pool.begin().await.unwrap();
    insert(&mut dropped, "two").await.unwrap();
    drop(dropped);
    let found: Vec<String> = sqlx::query_scalar("SELECT name FROM items").fetch_all(&pool).await.unwrap();
    assert_eq!(found, ["one"]);
    pool.close().await;
}

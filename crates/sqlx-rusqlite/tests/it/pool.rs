//! The pool of readers.

use std::time::Duration;

use sqlx::{ConnectOptions as _, Connection as _};
use sqlx_rusqlite::ReaderPool;

use super::{Database, count, insert};

#[tokio::test]
async fn a_snapshot_does_not_change_while_others_commit() {
    let database = Database::new().await;
    let pool = ReaderPool::new(database.options.clone(), 2);
    let mut writer = database.connect().await;
    let mut snapshot = pool.snapshot().await.unwrap();
    assert_eq!(count(&mut snapshot).await, 0);
    let mut reader = pool.acquire().await.unwrap();
    insert(&mut writer, "one").await.unwrap();
    assert_eq!(count(&mut snapshot).await, 0);
    assert_eq!(count(&mut reader).await, 1, "outside of a transaction the newest state is read");
    drop(snapshot);
    assert_eq!(count(&mut pool.snapshot().await.unwrap()).await, 1);
}

#[tokio::test]
async fn a_reader_refuses_to_write() {
    let database = Database::new().await;
    let pool = ReaderPool::new(database.options.clone(), 1);
    let mut reader = pool.acquire().await.unwrap();
    assert!(insert(&mut reader, "one").await.unwrap_err().to_string().contains("readonly"));
}

#[tokio::test]
async fn a_returned_reader_is_in_no_transaction() {
    let database = Database::new().await;
    let pool = ReaderPool::new(database.options.clone(), 1);
    let mut snapshot = pool.snapshot().await.unwrap();
    assert!(snapshot.is_in_transaction());
    count(&mut snapshot).await;
    drop(snapshot);
    assert!(!pool.acquire().await.unwrap().is_in_transaction());
}

#[tokio::test]
async fn a_reader_of_a_task_that_panics_is_returned() {
    let database = Database::new().await;
    let pool = ReaderPool::new(database.options.clone(), 1).acquire_timeout(Duration::from_millis(20));
    let lending = pool.clone();
    let task = tokio::spawn(async move {
        let mut snapshot = lending.snapshot().await.unwrap();
        count(&mut snapshot).await;
        panic!("with a reader");
    });
    assert!(task.await.unwrap_err().is_panic());
    let mut reader = pool.acquire().await.unwrap();
    assert!(!reader.is_in_transaction());
    assert_eq!(count(&mut reader).await, 0);
}

#[tokio::test]
async fn a_reader_is_waited_for_until_one_returns_or_time_is_up() {
    let database = Database::new().await;
    let pool = ReaderPool::new(database.options.clone(), 1);
    let lent = pool.acquire().await.unwrap();
    let short = pool.clone().acquire_timeout(Duration::from_millis(5));
    assert!(matches!(short.acquire().await, Err(sqlx::Error::PoolTimedOut)));
    let waiting = pool.clone();
    let waiting = tokio::spawn(async move { waiting.acquire().await.map(drop) });
    tokio::task::yield_now().await;
    drop(lent);
    waiting.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_closed_pool_has_waited_for_its_readers_and_lends_none() {
    let database = Database::new().await;
    let pool = ReaderPool::new(database.options.clone(), 2);
    let lent = pool.acquire().await.unwrap();
    let closing = pool.clone();
    let closing = tokio::spawn(async move { closing.close().await });
    tokio::task::yield_now().await;
    assert!(!closing.is_finished());
    drop(lent);
    closing.await.unwrap().unwrap();
    assert!(matches!(pool.acquire().await, Err(sqlx::Error::PoolClosed)));
    pool.close().await.unwrap();
}

/// The writer moves one unit between two rows in each transaction, so every snapshot has the same total.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn readers_on_many_threads_see_whole_transactions_of_a_writer() {
    const TRANSFERS: i64 = 200;
    let database = Database::new().await;
    let mut writer = database.options.clone().pragma("synchronous", "OFF").connect().await.unwrap();
    let rows = "INSERT INTO items (id, weight, heavy) VALUES (1, 500.0, 0), (2, 500.0, 0)";
    sqlx::query(rows).execute(&mut writer).await.unwrap();
    let pool = ReaderPool::new(database.options.clone(), 3);

    let readers: Vec<_> = (0..4)
        .map(|_| {
            let pool = pool.clone();
            tokio::spawn(async move {
                let mut weights = [500, 500];
                while weights != [500 - TRANSFERS, 500 + TRANSFERS] {
                    let mut snapshot = pool.snapshot().await.unwrap();
                    for (id, weight) in (1..).zip(&mut weights) {
                        let sql = "SELECT CAST(weight AS INTEGER) FROM items WHERE id = $1";
                        *weight = sqlx::query_scalar(sql).bind(id).fetch_one(&mut *snapshot).await.unwrap();
                    }
                    assert_eq!(weights.iter().sum::<i64>(), 1000, "half of a transaction: {weights:?}");
                }
            })
        })
        .collect();
    for _ in 0..TRANSFERS {
        let mut transaction = writer.begin_with("BEGIN IMMEDIATE").await.unwrap();
        for (id, change) in [(1, -1.0), (2, 1.0)] {
            let update = sqlx::query("UPDATE items SET weight = weight + $1 WHERE id = $2");
            update.bind(change).bind(id).execute(&mut *transaction).await.unwrap();
        }
        transaction.commit().await.unwrap();
    }
    for reader in readers {
        reader.await.unwrap();
    }
}

//! What a transaction promises: all or nothing, alone among others, and never a dead writer.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use knotpost_core::boards::ServiceError;
use knotpost_model::{Millis, UserKey};
use knotpost_storage::{Driver, NewUser, Store, StoreError, WriteTx};
use tokio::time::sleep;

use super::{Ground, refusal};

fn named(userid: &str) -> NewUser {
    NewUser { userid: userid.to_owned(), password_hash: "hash".to_owned(), at: Millis(1) }
}

/// What goes wrong in a write after it has stored its user.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    Well,
    Error,
    Panic,
    Refusal,
}

async fn sign_up(store: &Store, userid: String, end: End) -> Result<Option<UserKey>, ServiceError> {
    let write = store.write(async move |tx| {
        let key = tx.insert_user(&named(&userid)).await?;
        match end {
            End::Well => Ok(key),
            End::Error => Err(StoreError::Corrupt("on purpose".to_owned()).into()),
            End::Panic => panic!("a fault for the test"),
            End::Refusal => Err(refusal()),
        }
    });
    write.await
}

async fn users(store: &Store) -> Vec<String> {
    let rows = store.read().await.unwrap().list_users("", 1000).await.unwrap();
    rows.into_iter().map(|row| row.userid).collect()
}

pub(super) async fn a_failed_write_leaves_nothing(ground: &Ground) {
    let failed = sign_up(&ground.store, "ann".to_owned(), End::Error).await;
    assert!(matches!(failed, Err(ServiceError::Store(StoreError::Corrupt(_)))), "{failed:?}");
    assert_eq!(users(&ground.store).await, Vec::<String>::new());
}

pub(super) async fn a_savepoint_undoes_only_what_came_after_it(ground: &Ground) {
    let write = ground.store.write(async move |tx| {
        tx.insert_user(&named("before")).await?;
        let undone = tx.part(async |tx| {
            tx.insert_user(&named("undone")).await?;
            Err::<(), _>(refusal())
        });
        assert!(matches!(undone.await, Err(ServiceError::Refused(_))));
        tx.part(async |tx| tx.insert_user(&named("kept")).await).await
    });
    write.await.unwrap();
    assert_eq!(users(&ground.store).await, ["before", "kept"]);
}

/// A part that refuses after it has added these users.
async fn add_and_refuse(tx: &mut WriteTx, userids: &[&str]) -> Result<(), StoreError> {
    let refused = tx.part(async |tx| {
        for userid in userids {
            tx.insert_user(&named(userid)).await?;
        }
        Err::<(), _>(refusal())
    });
    match refused.await {
        Err(ServiceError::Store(error)) => Err(error),
        refused => {
            assert!(refused.is_err());
            Ok(())
        }
    }
}

pub(super) async fn savepoints_lie_within_each_other(ground: &Ground) {
    let write = ground.store.write(async move |tx| {
        // Two at the same point: nothing is written between them.
        tx.part(async |tx| {
            add_and_refuse(tx, &["inner"]).await?;
            tx.insert_user(&named("outer")).await?;
            add_and_refuse(tx, &["undone"]).await
        })
        .await?;
        add_and_refuse(tx, &[]).await?;
        let refused = tx.part(async |tx| {
            tx.part(async |tx| tx.insert_user(&named("kept")).await).await?;
            tx.insert_user(&named("gone")).await?;
            Err::<(), _>(refusal())
        });
        assert!(matches!(refused.await, Err(ServiceError::Refused(_))));
        tx.insert_user(&named("last")).await
    });
    write.await.unwrap();
    assert_eq!(users(&ground.store).await, ["last", "outer"]);
}

pub(super) async fn a_refused_write_leaves_nothing_but_its_refusal(ground: &Ground) {
    let alone = sign_up(&ground.store, "alone".to_owned(), End::Refusal).await;
    assert!(matches!(alone, Err(ServiceError::Refused(_))), "{alone:?}");
    let outcomes = write_together(ground, End::Refusal).await;
    for (n, outcome) in outcomes.iter().enumerate() {
        let is_refused = matches!(outcome, Err(ServiceError::Refused(_)));
        assert_eq!(is_refused, n % 10 == 3, "{n}: {outcome:?}");
        assert_eq!(outcome.is_ok(), n % 10 != 3, "{n}: {outcome:?}");
    }
    let stored = users(&ground.store).await;
    assert_eq!(stored.len(), 90);
    assert!(stored.iter().all(|userid| !userid.ends_with('3')), "{stored:?}");
}

pub(super) async fn a_refusal_is_not_tried_again(ground: &Ground) {
    let runs = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&runs);
    let refused = ground.store.write(async move |tx| {
        tx.insert_user(&named("ann")).await?;
        counted.fetch_add(1, Ordering::Relaxed);
        Err::<(), _>(refusal())
    });
    assert!(matches!(refused.await, Err(ServiceError::Refused(_))));
    assert_eq!(runs.load(Ordering::Relaxed), 1);
    assert_eq!(users(&ground.store).await, Vec::<String>::new());
}

/// Many writes at once, every tenth of which ends badly.
async fn write_together(ground: &Ground, bad: End) -> Vec<Result<Option<UserKey>, ServiceError>> {
    let writes: Vec<_> = (0..100)
        .map(|n| {
            let (store, end) = (ground.store.clone(), if n % 10 == 3 { bad } else { End::Well });
            tokio::spawn(async move { sign_up(&store, format!("u{n:03}"), end).await })
        })
        .collect();
    let mut outcomes = Vec::new();
    for write in writes {
        outcomes.push(write.await.unwrap());
    }
    outcomes
}

pub(super) async fn one_failing_write_of_many_is_undone_alone(ground: &Ground) {
    let outcomes = write_together(ground, End::Error).await;
    for (n, outcome) in outcomes.iter().enumerate() {
        assert_eq!(outcome.is_err(), n % 10 == 3, "{n}: {outcome:?}");
    }
    let stored = users(&ground.store).await;
    assert_eq!(stored.len(), 90);
    assert!(!stored.contains(&"u003".to_owned()));
}

pub(super) async fn a_write_is_told_of_only_when_everybody_can_see_it(ground: &Ground) {
    let onlooker = Store::open(&ground.settings).await.unwrap();
    let writes: Vec<_> = (0..100)
        .map(|n| {
            let (store, onlooker) = (ground.store.clone(), onlooker.clone());
            tokio::spawn(async move {
                let userid = format!("u{n:03}");
                let key = sign_up(&store, userid.clone(), End::Well).await.unwrap().unwrap();
                // A group that was told of before its commit would not be seen from outside yet.
                let seen = onlooker.read().await.unwrap().user(key).await.unwrap();
                assert_eq!(seen.map(|user| user.userid), Some(userid));
            })
        })
        .collect();
    for write in writes {
        write.await.unwrap();
    }
    onlooker.close().await;
}

pub(super) async fn a_panic_in_a_write_harms_no_other(ground: &Ground) {
    let alone = sign_up(&ground.store, "alone".to_owned(), End::Panic).await;
    assert!(matches!(alone, Err(ServiceError::Store(StoreError::Panicked))), "{alone:?}");
    let outcomes = write_together(ground, End::Panic).await;
    for (n, outcome) in outcomes.iter().enumerate() {
        let panicked = matches!(outcome, Err(ServiceError::Store(StoreError::Panicked)));
        assert_eq!(panicked, n % 10 == 3, "{n}: {outcome:?}");
        assert_eq!(outcome.is_ok(), n % 10 != 3, "{n}: {outcome:?}");
    }
    assert_eq!(users(&ground.store).await.len(), 90);
}

/// Drops a future at the moment it would go on for the time after `times`.
async fn give_up_after(times: usize, future: impl Future) {
    let (mut future, mut polls) = (pin!(future), 0);
    poll_fn(|context| {
        polls += 1;
        if polls > times { Poll::Ready(()) } else { future.as_mut().poll(context).map(drop) }
    })
    .await;
}

pub(super) async fn a_caller_who_goes_away_leaves_nothing_open(ground: &Ground) {
    let store = &ground.store;
    // More often than there are connections, and at every point at which something is waited for.
    for round in 0..60 {
        give_up_after(round / 5, users(store)).await;
        give_up_after(round / 5, store.ping()).await;
        give_up_after(round / 5, sign_up(store, format!("gone{round:02}"), End::Well)).await;
        let name = format!("here{round:02}");
        sign_up(store, name.clone(), End::Well).await.unwrap();
        assert!(users(store).await.contains(&name), "{name}");
    }
}

/// As after an error of the disk.
#[tokio::test]
async fn a_read_whose_transaction_sqlite_has_ended_harms_no_other() {
    let ground = Ground::sqlite().await;
    let mut tx = ground.store.read().await.unwrap();
    let Driver::Sqlite(connection) = tx.driver_for_tests() else { panic!("not SQLite") };
    connection.execute_batch("ROLLBACK").unwrap();
    drop(tx);
    for name in ["ann", "bob", "cyd"] {
        ground.user(name).await;
        assert!(users(&ground.store).await.iter().any(|user| user == name), "{name}");
    }
}

/// Somebody who writes beside the server is waited for, and meanwhile it can be read.
#[tokio::test]
async fn a_write_of_another_process_is_waited_for() {
    let ground = Ground::sqlite().await;
    let other = rusqlite::Connection::open(ground.folder.path().join("knotpost.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let store = ground.store.clone();
    let write = tokio::spawn(async move { sign_up(&store, "ann".to_owned(), End::Well).await });
    sleep(Duration::from_millis(300)).await;
    assert!(!write.is_finished());
    assert_eq!(users(&ground.store).await, Vec::<String>::new());
    other.execute_batch("ROLLBACK").unwrap();
    assert!(write.await.unwrap().unwrap().is_some());
    assert_eq!(users(&ground.store).await, ["ann"]);
}

pub(super) async fn a_read_sees_one_snapshot_and_writes_nothing(ground: &Ground) {
    ground.user("ann").await;
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.list_users("", 10).await.unwrap().len(), 1);
    ground.user("bob").await;
    assert_eq!(tx.list_users("", 10).await.unwrap().len(), 1, "a snapshot does not move");
    // `ReadTx` has no way to ask for this; the database would refuse it as well.
    let sql = "UPDATE users SET role = 'admin'";
    let refused = match tx.driver_for_tests() {
        Driver::Sqlite(connection) => connection.execute_batch(sql).map_err(StoreError::from),
        Driver::Postgres(connection) => {
            sqlx::query(sql).execute(connection).await.map(drop).map_err(StoreError::from)
        }
    };
    assert!(refused.is_err(), "{refused:?}");
    drop(tx);
    assert_eq!(users(&ground.store).await, ["ann", "bob"]);
}

pub(super) async fn closing_finishes_what_waits(ground: &Ground) {
    let writes: Vec<_> = (0..50)
        .map(|n| {
            let store = ground.store.clone();
            tokio::spawn(async move { sign_up(&store, format!("u{n:03}"), End::Well).await })
        })
        .collect();
    tokio::task::yield_now().await;
    ground.store.close().await;
    let mut done = 0;
    for write in writes {
        done += usize::from(write.await.unwrap().is_ok());
    }
    let late = sign_up(&ground.store, "late".to_owned(), End::Well).await;
    assert!(matches!(late, Err(ServiceError::Store(StoreError::Closed))), "{late:?}");
    // Told of success exactly as often as it is true.
    let again = Store::open(&ground.settings).await.unwrap();
    assert_eq!(users(&again).await.len(), done);
    again.close().await;
}

pub(super) async fn writes_that_meet_on_one_row_are_all_made(ground: &Ground) {
    let other = Store::open(&ground.settings).await.unwrap();
    let writes: Vec<_> = (0..40)
        .map(|n| {
            let store = if n % 2 == 0 { ground.store.clone() } else { other.clone() };
            tokio::spawn(
                async move { store.write(async move |tx| tx.take_board_number("osbox").await).await },
            )
        })
        .collect();
    let mut numbers = Vec::new();
    for write in writes {
        numbers.push(write.await.unwrap().unwrap());
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (101..=140).collect::<Vec<i64>>());
    other.close().await;
}

/// Whoever has met others several times is not pushed aside by those who come newly, again and again.
pub(super) async fn writes_that_keep_meeting_on_one_row_are_all_made(ground: &Ground) {
    let writers: Vec<_> = (0..24)
        .map(|_| {
            let store = ground.store.clone();
            tokio::spawn(async move {
                let mut numbers = Vec::new();
                for _ in 0..12 {
                    let write = store.write(async move |tx| {
                        // The snapshot is older than the write by as long as a command thinks.
                        tx.find_user("nobody").await?;
                        tokio::time::sleep(Duration::from_millis(2)).await;
                        tx.take_board_number("osbox").await
                    });
                    numbers.push(write.await);
                }
                numbers
            })
        })
        .collect();
    let mut numbers = Vec::new();
    for writer in writers {
        for number in writer.await.unwrap() {
            numbers.push(number.unwrap());
        }
    }
    numbers.sort_unstable();
    assert_eq!(numbers, (101..101 + 24 * 12).collect::<Vec<i64>>());
}

//! Bringing the schema up to date, and what a newer or broken database is answered.

use knotpost_model::Millis;
use knotpost_storage::{Driver, NewUser, Settings, Store, StoreError, WriteTx};

use super::{Ground, settings};

/// Runs a statement that the store itself has no use for.
async fn execute(tx: &mut WriteTx, sql: &'static str) -> Result<(), StoreError> {
    match tx.driver_for_tests() {
        Driver::Sqlite(connection) => connection.execute_batch(sql)?,
        Driver::Postgres(connection) => sqlx::query(sql).execute(connection).await.map(drop)?,
    }
    Ok(())
}

pub(super) async fn migrations_run_twice_and_side_by_side(ground: &Ground) {
    ground.user("ann").await;
    let (one, two, three) = tokio::join!(
        Store::migrate(&ground.settings),
        Store::migrate(&ground.settings),
        Store::migrate(&ground.settings)
    );
    for done in [one, two, three] {
        done.unwrap();
    }
    assert!(ground.store.read().await.unwrap().find_user("ann").await.unwrap().is_some());
}

pub(super) async fn a_newer_schema_is_refused_by_name(ground: &Ground) {
    let write = ground.store.write(async move |tx| {
        let row = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                       SELECT 9999, 'later', success, checksum, 0 FROM _sqlx_migrations WHERE version = 1";
        execute(tx, row).await
    });
    write.await.unwrap();
    let refused = Store::migrate(&ground.settings).await.unwrap_err();
    let expected =
        "the database was brought to schema 9999 by a newer knotpost; run that version or a later one";
    assert_eq!(refused.to_string(), expected);
}

pub(super) async fn a_schema_that_does_not_fit_is_noticed_without_migrating(ground: &Ground) {
    ground.store.check_schema().await.unwrap();
    let forget = ground
        .store
        .write(async move |tx| execute(tx, "DELETE FROM _sqlx_migrations WHERE version = 1").await);
    forget.await.unwrap();
    let refused = ground.store.check_schema().await.unwrap_err().to_string();
    assert_eq!(refused, "the database lacks schema 1; run `knotpost migrate`");
    let later = ground.store.write(async move |tx| {
        let row = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                       VALUES (9999, 'later', TRUE, '', 0)";
        execute(tx, row).await
    });
    later.await.unwrap();
    let refused = ground.store.check_schema().await.unwrap_err().to_string();
    assert!(refused.contains("schema 9999 by a newer knotpost"), "{refused}");
}

pub(super) async fn what_servers_agree_about_is_kept(ground: &Ground) {
    assert_eq!(ground.store.read().await.unwrap().server_metadata("key").await.unwrap(), None);
    for value in ["one", "two"] {
        let write = ground.store.write(async move |tx| tx.save_server_metadata("key", value).await);
        write.await.unwrap();
        let known = ground.store.read().await.unwrap().server_metadata("key").await.unwrap();
        assert_eq!(known.as_deref(), Some(value));
    }
}

#[tokio::test]
async fn an_empty_database_is_migrated_by_one_of_several() {
    let folder = tempfile::tempdir().unwrap();
    let settings = settings("sqlite:", folder.path());
    let (one, two) = tokio::join!(Store::migrate(&settings), Store::migrate(&settings));
    one.unwrap();
    two.unwrap();
}

#[tokio::test]
async fn a_backup_is_a_whole_database() {
    let ground = Ground::sqlite().await;
    ground.user("ann").await;
    let target = ground.folder.path().join("copy.db");
    ground.store.backup(target.to_str().unwrap()).await.unwrap();
    assert!(ground.store.backup(target.to_str().unwrap()).await.is_err(), "nothing is overwritten");
    let copy = Settings { url: format!("sqlite:{}", target.display()), ..ground.settings.clone() };
    Store::migrate(&copy).await.unwrap();
    let copy = Store::open(&copy).await.unwrap();
    assert!(copy.read().await.unwrap().find_user("ann").await.unwrap().is_some());
    ground.user("bob").await;
    copy.close().await;
}

#[tokio::test]
async fn a_full_disk_fails_writes_and_not_the_writer() {
    let ground = Ground::sqlite().await;
    ground.user("before").await;
    let limit = ground.store.write(async move |tx| execute(tx, "PRAGMA max_page_count = 1").await);
    limit.await.unwrap();
    let big = |n: i64| NewUser { userid: format!("u{n}"), password_hash: "x".repeat(200_000), at: Millis(n) };
    let writes: Vec<_> = (0..20)
        .map(|n| {
            let store = ground.store.clone();
            tokio::spawn(async move {
                let write = store.write(async move |tx| {
                    let new = big(n);
                    tx.insert_user(&new).await
                });
                write.await
            })
        })
        .collect();
    let (mut full, mut stored) = (0, 0);
    for write in writes {
        match write.await.unwrap() {
            Ok(_) => stored += 1,
            Err(StoreError::Full(_)) => full += 1,
            Err(error) => panic!("{}", error.with_causes()),
        }
    }
    assert!(full > 0);
    // The limit goes with the connection, which is replaced: as if room had been made.
    ground.user("after").await;
    let mut tx = ground.store.read().await.unwrap();
    assert_eq!(tx.list_users("", 100).await.unwrap().len(), stored + 2);
    assert!(tx.find_user("before").await.unwrap().is_some());
}

#[tokio::test]
async fn an_address_of_another_database_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let refused = Store::open(&settings("mysql://localhost", folder.path())).await.unwrap_err();
    assert_eq!(refused.to_string(), "database.url starts with `sqlite:` or `postgres://`");
}

//! Detecting commits of others.

use sqlx::Connection as _;
use sqlx_rusqlite::DataVersion;

use super::{Database, count, insert};

#[tokio::test]
async fn the_version_changes_with_every_commit_and_with_nothing_else() {
    let database = Database::new().await;
    let (mut one, mut two) = (database.connect().await, database.connect().await);
    let version = DataVersion::new(database.options.clone());
    let first = version.read().unwrap();
    count(&mut one).await;
    let mut transaction = one.begin().await.unwrap();
    insert(&mut transaction, "uncommitted").await.unwrap();
    assert_eq!(version.read().unwrap(), first, "nothing is committed");
    transaction.rollback().await.unwrap();
    assert_eq!(version.read().unwrap(), first, "nothing was committed");

    insert(&mut one, "a").await.unwrap();
    let second = version.read().unwrap();
    assert_ne!(second, first);
    assert_eq!(version.clone().read().unwrap(), second, "clones share the connection");
    insert(&mut two, "b").await.unwrap();
    assert_ne!(version.read().unwrap(), second, "whichever connection commits");
}

#[tokio::test]
async fn it_opens_again_after_it_was_closed() {
    let database = Database::new().await;
    let version = DataVersion::new(database.options.clone());
    version.close().unwrap();
    version.read().unwrap();
    version.close().unwrap();
    let first = version.read().unwrap();
    insert(&mut database.connect().await, "a").await.unwrap();
    assert_ne!(version.read().unwrap(), first);
}

#[tokio::test]
async fn a_missing_file_is_an_error_and_not_created() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("missing.db");
    let version = DataVersion::new(sqlx_rusqlite::RusqliteConnectOptions::new(&file).must_exist());
    assert!(version.read().is_err());
    assert!(!file.exists());
}

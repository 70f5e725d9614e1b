//! How connections are opened.

use sqlx::{ConnectOptions as _, Connection as _};
use sqlx_rusqlite::{RusqliteConnectOptions, RusqliteConnection};

use super::{Database, count};

async fn pragma_text(connection: &mut RusqliteConnection, sql: &'static str) -> String {
    sqlx::query_scalar(sql).fetch_one(connection).await.unwrap()
}

async fn pragma_number(connection: &mut RusqliteConnection, sql: &'static str) -> i64 {
    sqlx::query_scalar(sql).fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn a_connection_starts_with_the_documented_settings() {
    let mut connection = Database::new().await.connect().await;
    assert_eq!(pragma_text(&mut connection, "PRAGMA journal_mode").await, "wal");
    assert_eq!(pragma_number(&mut connection, "PRAGMA synchronous").await, 2);
    assert_eq!(pragma_number(&mut connection, "PRAGMA foreign_keys").await, 1);
    assert_eq!(pragma_number(&mut connection, "PRAGMA query_only").await, 0);
}

#[tokio::test]
async fn pragmas_are_added_and_defaults_replaced() {
    let database = Database::new().await;
    let options = database
        .options
        .clone()
        .pragma("cache_size", "-4000")
        .pragma("Synchronous", "normal")
        .pragma("foreign_keys", "off")
        .read_only();
    let mut connection = options.connect().await.unwrap();
    assert_eq!(pragma_number(&mut connection, "PRAGMA cache_size").await, -4000);
    assert_eq!(pragma_number(&mut connection, "PRAGMA synchronous").await, 1);
    assert_eq!(pragma_number(&mut connection, "PRAGMA foreign_keys").await, 0);
    assert_eq!(pragma_number(&mut connection, "PRAGMA query_only").await, 1);
}

#[tokio::test]
async fn a_missing_file_is_created_unless_it_must_exist() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("new.db");
    let options = RusqliteConnectOptions::new(&file);
    assert!(options.clone().must_exist().connect().await.is_err());
    assert!(!file.exists());
    options.connect().await.unwrap().close().await.unwrap();
    assert!(file.exists());
    options.must_exist().connect().await.unwrap().close().await.unwrap();
}

#[tokio::test]
async fn a_url_with_query_parameters_is_refused_and_creates_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?mode=ro", folder.path().join("items.db").display());
    assert!(matches!(RusqliteConnection::connect(&url).await, Err(sqlx::Error::Configuration(_))));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn a_url_names_a_file_or_memory() {
    let database = Database::new().await;
    let file = database.folder.path().join("items.db");
    for url in [format!("sqlite:{}", file.display()), format!("sqlite://{}", file.display())] {
        let mut connection = RusqliteConnection::connect(&url).await.unwrap();
        assert_eq!(count(&mut connection).await, 0);
    }
    let mut memory = RusqliteConnection::connect("sqlite::memory:").await.unwrap();
    sqlx::query("CREATE TABLE items (id INTEGER)").execute(&mut memory).await.unwrap();
    assert_eq!(count(&mut memory).await, 0);
}

//! The driver's contract, through its public interface and real files.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod errors;
mod options;
mod pool;
mod statements;
mod transactions;
mod types;

use std::time::Duration;

use sqlx::ConnectOptions as _;
use sqlx_rusqlite::{RusqliteConnectOptions, RusqliteConnection, RusqliteQueryResult};

/// A database with one table, `items`, in a folder that goes away with it.
struct Database {
    options: RusqliteConnectOptions,
    folder: tempfile::TempDir,
}

impl Database {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let options = RusqliteConnectOptions::new(folder.path().join("items.db"))
            .busy_timeout(Duration::from_millis(20));
        let database = Self { options, folder };
        let table = "CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT UNIQUE, weight REAL, \
                     heavy INTEGER NOT NULL CHECK (heavy IN (0, 1)), bytes BLOB, \
                     parent INTEGER REFERENCES items (id)) STRICT";
        sqlx::query(table).execute(&mut database.connect().await).await.unwrap();
        database
    }

    async fn connect(&self) -> RusqliteConnection {
        self.options.connect().await.unwrap()
    }
}

async fn insert(connection: &mut RusqliteConnection, name: &str) -> Result<RusqliteQueryResult, sqlx::Error> {
    sqlx::query("INSERT INTO items (name, heavy) VALUES ($1, FALSE)").bind(name).execute(connection).await
}

async fn names(connection: &mut RusqliteConnection) -> Vec<String> {
    sqlx::query_scalar("SELECT name FROM items ORDER BY name").fetch_all(connection).await.unwrap()
}

async fn count(connection: &mut RusqliteConnection) -> i64 {
    sqlx::query_scalar("SELECT COUNT(*) FROM items").fetch_one(connection).await.unwrap()
}

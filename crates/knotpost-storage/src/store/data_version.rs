//! Detecting commits of whatever connection by `PRAGMA data_version`.

use std::sync::Arc;

use sqlx::{ConnectOptions as _, Connection as _};
use sqlx_sqlite::{SqliteConnectOptions, SqliteConnection};
use tokio::sync::Mutex;

/// Reads SQLite's `PRAGMA data_version` on a connection of its own: a number that changes with every commit of any other
/// connection or process. Numbers are comparable while they come from the same connection.
#[derive(Clone, Debug)]
pub(super) struct DataVersion {
    options: SqliteConnectOptions,
    /// Opened by the first look.
    connection: Arc<Mutex<Option<SqliteConnection>>>,
}

impl DataVersion {
    pub(super) fn new(options: SqliteConnectOptions) -> Self {
        Self { options, connection: Arc::default() }
    }

    pub(super) async fn read(&self) -> Result<i64, sqlx::Error> {
        let mut connection = self.connection.lock().await;
        let connection = match &mut *connection {
            Some(connection) => connection,
            closed => closed.insert(self.options.connect().await?),
        };
        sqlx::query_scalar("PRAGMA data_version").fetch_one(connection).await
    }

    pub(super) async fn close(&self) -> Result<(), sqlx::Error> {
        match self.connection.lock().await.take() {
            Some(connection) => connection.close().await,
            None => Ok(()),
        }
    }
}

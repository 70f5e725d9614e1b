//! The servers on the database: each reports itself once a minute, so that administrators see all of them at any one.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use knotpost_model::Millis;
use knotpost_platform::build::VERSION;
use knotpost_storage::{ReadTx, ServerRow, StoreError};

pub const REPORT_EVERY: Duration = Duration::from_mins(1);

/// Silence after which a server counts as stopped or cut off from the database.
const SILENT_MS: i64 = 3 * 60_000;

/// Silence after which a server is dropped from the list.
const FORGOTTEN_MS: i64 = 7 * 24 * 3_600_000;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedErrors {
    pub last_day: i64,
    pub latest: Option<(Millis, String)>,
}

#[derive(Clone, Debug)]
pub struct RunningServer {
    name: Arc<str>,
    host: String,
    started_at: Millis,
}

#[derive(Clone, Debug)]
pub struct ServerLine {
    /// Name under which it holds leases.
    pub name: String,
    pub host: String,
    pub version: String,
    pub started_at: Millis,
    pub alive_at: Millis,
    pub is_silent: bool,
    pub errors: LoggedErrors,
}

impl RunningServer {
    /// `name` is also the holder of its leases.
    pub fn new(app: &App, name: Arc<str>, host: String) -> Self {
        Self { name, host, started_at: app.clock.now() }
    }

    pub async fn report(&self, app: &App, errors: &LoggedErrors) -> Result<(), StoreError> {
        app.logged_errors.send_replace(errors.clone());
        let now = app.clock.now();
        let row = ServerRow {
            name: self.name.to_string(),
            host: self.host.clone(),
            version: VERSION.clone(),
            started_at: self.started_at,
            alive_at: now,
            errors: errors.last_day,
            error: errors.latest.as_ref().map(|(_, line)| line.clone()),
            error_at: errors.latest.as_ref().map(|(at, _)| at.0),
        };
        app.store
            .write_queue(async move |tx| {
                tx.put_server(&row).await?;
                tx.prune_servers(now.plus(-FORGOTTEN_MS)).await
            })
            .await
    }

    pub async fn withdraw(&self, app: &App) -> Result<(), StoreError> {
        let name = Arc::clone(&self.name);
        app.store.write_queue(async move |tx| tx.delete_server(&name).await).await
    }
}

pub(super) async fn list_servers(tx: &mut ReadTx, now: Millis) -> Result<Vec<ServerLine>, StoreError> {
    let line = |row: ServerRow| ServerLine {
        is_silent: now.since(row.alive_at).0 > SILENT_MS,
        errors: LoggedErrors { last_day: row.errors, latest: row.error_at.map(Millis).zip(row.error) },
        name: row.name,
        host: row.host,
        version: row.version,
        started_at: row.started_at,
        alive_at: row.alive_at,
    };
    Ok(tx.servers().await?.into_iter().map(line).collect())
}

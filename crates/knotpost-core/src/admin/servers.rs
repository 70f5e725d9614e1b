//! The servers on the database: each reports itself once a minute, so that administrators see all of them at any one.

use std::sync::Arc;
use std::time::Duration;

use crate::app::App;
use knotpost_model::Millis;
use knotpost_platform::build::VERSION;
use knotpost_storage::{ReadTx, ServerRow, StoreError};

/// How often a server reports itself.
pub const REPORT_EVERY: Duration = Duration::from_mins(1);

/// A server that has reported nothing for as long is not running, or cannot reach the database.
const SILENT_MS: i64 = 3 * 60_000;

/// A server that has reported nothing for as long is forgotten.
const FORGOTTEN_MS: i64 = 7 * 24 * 3_600_000;

/// What a server has logged as errors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoggedErrors {
    /// Lines in the last 24 hours.
    pub last_day: i64,
    /// The latest line, and when it was written.
    pub latest: Option<(Millis, String)>,
}

/// This server, as it reports itself.
#[derive(Clone, Debug)]
pub struct RunningServer {
    name: Arc<str>,
    host: String,
    started_at: Millis,
}

/// A server as administrators see it.
#[derive(Clone, Debug)]
pub struct ServerLine {
    /// The name under which it holds leases.
    pub name: String,
    /// The name of its machine.
    pub host: String,
    /// Its version, and the commit where it is known.
    pub version: String,
    pub started_at: Millis,
    /// When it reported last.
    pub alive_at: Millis,
    /// Whether it should have reported since.
    pub is_silent: bool,
    pub errors: LoggedErrors,
}

impl RunningServer {
    /// A server that starts now and holds leases under `name`.
    pub fn new(app: &App, name: Arc<str>, host: String) -> Self {
        Self { name, host, started_at: app.clock.now() }
    }

    /// Stores that it is running, and what it has logged.
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
            .write_queue(move |tx| {
                let row = row.clone();
                Box::pin(async move {
                    tx.put_server(&row).await?;
                    tx.prune_servers(now.plus(-FORGOTTEN_MS)).await
                })
            })
            .await
    }

    /// Takes the report back: the server stops.
    pub async fn withdraw(&self, app: &App) -> Result<(), StoreError> {
        let name = Arc::clone(&self.name);
        app.store
            .write_queue(move |tx| {
                let name = Arc::clone(&name);
                Box::pin(async move { tx.delete_server(&name).await })
            })
            .await
    }
}

/// All servers on the database.
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

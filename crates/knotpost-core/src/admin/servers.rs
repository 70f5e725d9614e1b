//! The servers on the database: each reports itself once a minute, so that administrators see all of them at any one.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use knotpost_model::{Millis, Moment};
use knotpost_platform::build::VERSION;
use knotpost_storage::{ReadTx, ServerRow, Store, StoreError};

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

/// A server, as it reported itself last; each does so once a minute.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Server {
    /// The name under which it holds leases, as `holder` of a duty has it.
    pub name: String,
    /// The name of its machine.
    pub host: String,
    /// Its version, and the commit where it is known.
    pub version: String,
    /// Time of its start.
    pub started: Moment,
    /// Time of its last report.
    pub reported: Moment,
    /// True if it has missed reports: it is not running, or cannot reach the database.
    pub silent: bool,
    /// Errors in its log of the last 24 hours.
    pub errors: i64,
    /// The latest of them.
    pub last_error: Option<String>,
    /// Time of that error.
    pub last_error_at: Option<Moment>,
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

    pub async fn withdraw(&self, store: &Store) -> Result<(), StoreError> {
        let name = Arc::clone(&self.name);
        store.write_queue(async move |tx| tx.delete_server(&name).await).await
    }
}

pub(super) async fn list_servers(tx: &mut ReadTx, now: Millis) -> Result<Vec<Server>, StoreError> {
    let server = |row: ServerRow| Server {
        name: row.name,
        host: row.host,
        version: row.version,
        started: row.started_at.into(),
        reported: row.alive_at.into(),
        silent: now.since(row.alive_at).0 > SILENT_MS,
        errors: row.errors,
        last_error: row.error,
        last_error_at: row.error_at.map(Moment::from),
    };
    Ok(tx.servers().await?.into_iter().map(server).collect())
}

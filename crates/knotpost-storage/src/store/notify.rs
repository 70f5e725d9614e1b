//! Notifications between processes that share a PostgreSQL database (`LISTEN`, `NOTIFY`): short notices outside of any
//! transaction. They are hints that save a query; nothing is lost with one that is lost.

use std::time::Duration;

use sqlx_postgres::PgListener;
use tokio::time::{Instant, sleep};

use super::{Pools, Store};
use crate::connection::{Result, StoreError};
use crate::postgres::{PATIENCE, Primary};

/// Pause between two tries to listen.
const PAUSE: Duration = Duration::from_millis(200);

/// The channel of all notices.
const CHANNEL: &str = "knotpost";
/// PostgreSQL takes payloads shorter than 8,000 bytes.
pub const MAX_NOTICE: usize = 7_900;

/// A message to a listener.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notification {
    /// A notice, as it was sent.
    Notice(String),
    /// The connection was gone for a while: notices may have been missed.
    Gap,
}

/// Listens on the channel, on a connection of its own, which it opens again when it was cut.
#[derive(Debug)]
pub struct Listener {
    primary: Primary,
    listening: PgListener,
}

impl Store {
    /// True if other processes can receive what this one sends.
    pub fn is_shared(&self) -> bool {
        matches!(self.pools, Pools::Postgres(_))
    }

    /// Sends a notice to every process that listens, this one included. Without PostgreSQL none does.
    ///
    /// # Errors
    /// When the database cannot be reached, or the notice is longer than [`MAX_NOTICE`] bytes.
    pub async fn notify(&self, notice: &str) -> Result<()> {
        if let Pools::Postgres(primary) = &self.pools {
            let mut connection = primary.acquire().await?;
            let query = sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(notice);
            query.execute(&mut *connection).await?;
        }
        Ok(())
    }

    /// Begins to listen; `None`: without PostgreSQL there are no other processes.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn listen(&self) -> Result<Option<Listener>> {
        let Pools::Postgres(primary) = &self.pools else { return Ok(None) };
        Ok(Some(Listener::open(primary.clone()).await?))
    }
}

impl Listener {
    async fn open(primary: Primary) -> Result<Self> {
        Ok(Self { listening: begin(&primary).await?, primary })
    }

    /// Waits for the next notice.
    ///
    /// # Errors
    /// When the connection is gone and cannot be opened now; asking again tries again.
    pub async fn next(&mut self) -> Result<Notification> {
        match self.listening.try_recv().await.map_err(StoreError::from) {
            Ok(Some(notice)) => return Ok(Notification::Notice(notice.payload().to_owned())),
            // It has connected and listens again already.
            Ok(None) => {}
            Err(error) if error.is_away() => {
                self.primary.suspect(&error);
                self.listening = begin(&self.primary).await?;
            }
            Err(error) => return Err(error),
        }
        Ok(Notification::Gap)
    }
}

/// Begins to listen as soon as a server can be reached.
async fn begin(primary: &Primary) -> Result<PgListener> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let beginning = async {
            let mut listener = PgListener::connect_with(primary.pool()).await?;
            listener.listen(CHANNEL).await?;
            Ok(listener)
        };
        match beginning.await.map_err(|error: sqlx::Error| StoreError::from(error)) {
            Err(error) if error.is_away() && Instant::now() < deadline => {
                primary.suspect(&error);
                sleep(PAUSE).await;
            }
            outcome => return outcome,
        }
    }
}

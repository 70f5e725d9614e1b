//! Notifications between processes that share a PostgreSQL database (`LISTEN`, `NOTIFY`): short notices outside of any
//! transaction. They are hints that save a query; nothing is lost with one that is lost.

use std::time::Duration;

use sqlx_postgres::PgListener;
use tokio::time::{Instant, sleep};

use super::{Pools, Store};
use crate::connection::{Guarded, StoreError};
use crate::postgres::{Generation, PATIENCE, Primary};

/// How long it waits between two tries to listen.
const PAUSE: Duration = Duration::from_millis(200);

/// The channel of all notices.
const CHANNEL: &str = "knotpost";
/// PostgreSQL takes payloads shorter than 8,000 bytes.
pub const MAX_NOTICE: usize = 7_900;

/// What a listener receives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notification {
    /// A notice, as it was sent.
    Notice(String),
    /// The connection was gone for a while: notices may have been missed.
    Gap,
}

/// Listens on the channel, on a connection of its own, which it opens again when it was cut or another server of the
/// database took over.
#[derive(Debug)]
pub struct Listener {
    primary: Primary,
    listening: PgListener,
    generation: Generation,
}

impl Store {
    /// Whether other processes can receive what this one sends.
    pub fn is_shared(&self) -> bool {
        matches!(self.pools, Pools::Postgres(_))
    }

    /// Sends a notice to every process that listens, this one included. Without PostgreSQL none does.
    ///
    /// # Errors
    /// When the database cannot be reached, or the notice is longer than [`MAX_NOTICE`] bytes.
    pub async fn notify(&self, notice: &str) -> Result<(), StoreError> {
        if let Pools::Postgres(primary) = &self.pools {
            let (mut connection, generation) = primary.acquire().await?;
            let query = sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(notice);
            query.execute(Guarded::new(&mut connection, &generation.ended)).await?;
        }
        Ok(())
    }

    /// Begins to listen; `None`: without PostgreSQL there are no other processes.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn listen(&self) -> Result<Option<Listener>, StoreError> {
        let Pools::Postgres(primary) = &self.pools else { return Ok(None) };
        Ok(Some(Listener::open(primary.clone()).await?))
    }
}

impl Listener {
    async fn open(primary: Primary) -> Result<Self, StoreError> {
        let (listening, generation) = begin(&primary).await?;
        Ok(Self { primary, listening, generation })
    }

    /// Waits for the next notice.
    ///
    /// # Errors
    /// When the connection is gone and cannot be opened now; asking again tries again.
    pub async fn next(&mut self) -> Result<Notification, StoreError> {
        let received = tokio::select! {
            received = self.listening.try_recv() => received.map_err(StoreError::from),
            () = self.generation.ended.cancelled() => Ok(None),
        };
        match received {
            Ok(Some(notice)) => return Ok(Notification::Notice(notice.payload().to_owned())),
            Err(error) if !error.is_away() => return Err(error),
            // It has connected again already.
            Ok(None) if !self.generation.ended.is_cancelled() => return Ok(Notification::Gap),
            Ok(None) | Err(_) => self.primary.suspect(),
        }
        (self.listening, self.generation) = begin(&self.primary).await?;
        Ok(Notification::Gap)
    }
}

/// Begins to listen on the server that works now.
async fn begin(primary: &Primary) -> Result<(PgListener, Generation), StoreError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let generation = primary.generation();
        let beginning = async {
            let mut listener = PgListener::connect_with(&generation.pool).await?;
            listener.listen(CHANNEL).await?;
            Ok(listener)
        };
        match generation.run(beginning).await {
            Ok(listener) => return Ok((listener, generation)),
            Err(error) if error.is_away() && Instant::now() < deadline => {
                primary.suspect();
                sleep(PAUSE).await;
            }
            Err(error) => return Err(error),
        }
    }
}

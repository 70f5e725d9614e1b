//! Notifications between processes that share a PostgreSQL database (`LISTEN`, `NOTIFY`): short notices outside of any
//! transaction. They are hints that save a query; nothing is lost with one that is lost.

use sqlx_postgres::PgListener;

use super::{Pools, Store};
use crate::connection::StoreError;

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

/// Listens on the channel, on a connection of its own, which it opens again when it was cut.
#[derive(Debug)]
pub struct Listener(PgListener);

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
        if let Pools::Postgres(pool) = &self.pools {
            sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(notice).execute(pool).await?;
        }
        Ok(())
    }

    /// Begins to listen; `None`: without PostgreSQL there are no other processes.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn listen(&self) -> Result<Option<Listener>, StoreError> {
        let Pools::Postgres(pool) = &self.pools else { return Ok(None) };
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(Some(Listener(listener)))
    }
}

impl Listener {
    /// Waits for the next notice.
    ///
    /// # Errors
    /// When the connection is gone and cannot be opened now; asking again tries again.
    pub async fn next(&mut self) -> Result<Notification, StoreError> {
        let received = self.0.try_recv().await?;
        Ok(received.map_or(Notification::Gap, |notice| Notification::Notice(notice.payload().to_owned())))
    }
}

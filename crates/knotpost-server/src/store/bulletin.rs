//! What processes that share a PostgreSQL database tell one another: short notices outside of any
//! transaction. They are hints that spare somebody a look; nothing is lost with one that is lost.

use sqlx::postgres::PgListener;

use super::{Pools, Store, StoreError};

/// The channel of all notices.
const CHANNEL: &str = "knotpost";
/// PostgreSQL takes payloads shorter than 8,000 bytes.
pub const MAX_NOTICE: usize = 7_900;

/// What was heard.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A notice, as it was announced.
    Notice(String),
    /// The connection was gone for a while: notices may have been missed.
    Gap,
}

/// An ear on the channel. It has a connection of its own and mends it by itself.
#[derive(Debug)]
pub struct Bulletin(PgListener);

impl Store {
    /// Whether other processes can hear what this one announces.
    pub fn is_shared(&self) -> bool {
        matches!(self.pools, Pools::Postgres(_))
    }

    /// Tells every process that listens, this one included. Without PostgreSQL nobody does.
    ///
    /// # Errors
    /// When the database cannot be reached, or the notice is longer than [`MAX_NOTICE`] bytes.
    pub async fn announce(&self, notice: &str) -> Result<(), StoreError> {
        if let Pools::Postgres(pool) = &self.pools {
            sqlx::query("SELECT pg_notify($1, $2)").bind(CHANNEL).bind(notice).execute(pool).await?;
        }
        Ok(())
    }

    /// Begins to listen; `None`: there is nobody to listen to.
    ///
    /// # Errors
    /// When the database cannot be reached.
    pub async fn listen(&self) -> Result<Option<Bulletin>, StoreError> {
        let Pools::Postgres(pool) = &self.pools else { return Ok(None) };
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(Some(Bulletin(listener)))
    }
}

impl Bulletin {
    /// Waits for the next notice.
    ///
    /// # Errors
    /// When the connection is gone and cannot be mended now; asking again tries again.
    pub async fn next(&mut self) -> Result<Heard, StoreError> {
        let heard = self.0.try_recv().await?;
        Ok(heard.map_or(Heard::Gap, |notice| Heard::Notice(notice.payload().to_owned())))
    }
}

//! The pool of connections to the PostgreSQL server, and what is known of the server.
//!
//! Another server may take its place behind the same address. Connections that were open before something failed are
//! therefore not used again: those that rest are closed, those in use are when they are given back.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::pool::{PoolConnection, PoolConnectionMetadata};
use sqlx::{Connection as _, Transaction};
use sqlx_postgres::{PgPool, PgPoolOptions, Postgres};
use tokio::time::{Instant, sleep, timeout, timeout_at};

use super::address::Address;
use super::role::Role;
use crate::connection::StoreError;

/// Longest wait of work for a server that it can be done on.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// Pause between two tries.
const PAUSE: Duration = Duration::from_millis(50);
/// Shortest time that connections stay in use while the server goes on refusing.
const RENEWAL: Duration = Duration::from_secs(1);
/// A connection that was idle for longer than this is checked before it is used.
const RESTED: Duration = Duration::from_secs(1);
/// Limit of that check.
const ANSWER: Duration = Duration::from_secs(2);
/// Longest that closing connections may take.
const FAREWELL: Duration = Duration::from_secs(3);

/// The server, by way of a pool. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Primary {
    pool: PgPool,
    address: Arc<Address>,
    seen: Arc<Mutex<Seen>>,
}

/// Last observation of the server.
#[derive(Debug)]
struct Seen {
    /// Its role; `None`: it could not be reached.
    role: Option<Role>,
    /// Connections opened earlier are not used again.
    oldest: Instant,
}

impl Seen {
    fn lock(seen: &Mutex<Self>) -> MutexGuard<'_, Self> {
        seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has no connection used again that is open now. Many may fail at once.
    fn renew(&mut self) {
        if self.oldest.elapsed() >= RENEWAL {
            self.oldest = Instant::now();
        }
    }

    fn is_outdated(&self, connection: &PoolConnectionMetadata) -> bool {
        self.oldest.elapsed() < connection.age
    }
}

impl Primary {
    /// Connects once, to say why that fails if it does, and makes the pool.
    ///
    /// # Errors
    /// When there is no server to work with.
    pub(crate) async fn open(address: Address, max_connections: u32) -> Result<Self, StoreError> {
        let (connection, role) = address.connect().await?;
        connection.close().await?;
        let seen = Arc::new(Mutex::new(Seen { role: Some(role), oldest: Instant::now() }));
        let [greeting, before_use, after_use] = [(); 3].map(|()| Arc::clone(&seen));
        let pool = PgPoolOptions::new()
            // One more for the listener, which never gives it back.
            .max_connections(max_connections.max(1).saturating_add(1))
            .acquire_timeout(PATIENCE)
            .after_connect(move |connection, _| {
                let seen = Arc::clone(&greeting);
                Box::pin(async move {
                    let role = Role::greet(connection).await?;
                    Seen::lock(&seen).role = Some(role);
                    Ok(())
                })
            })
            // A connection that was in use a moment ago is still open; checking it would cost a query each time.
            .test_before_acquire(false)
            .before_acquire(move |connection, used| {
                let is_outdated = Seen::lock(&before_use).is_outdated(&used);
                Box::pin(async move {
                    let is_usable = !is_outdated
                        && (used.idle_for <= RESTED
                            || matches!(timeout(ANSWER, connection.ping()).await, Ok(Ok(()))));
                    Ok(is_usable)
                })
            })
            .after_release(move |_, used| {
                let is_outdated = Seen::lock(&after_use).is_outdated(&used);
                Box::pin(async move { Ok(!is_outdated) })
            })
            .connect_lazy_with(address.options());
        Ok(Self { pool, address: Arc::new(address), seen })
    }

    pub(crate) fn pool(&self) -> &PgPool {
        &self.pool
    }

    /// True if the server took writes when it was seen last.
    pub(crate) fn is_working(&self) -> bool {
        Seen::lock(&self.seen).role == Some(Role::Writes)
    }

    /// Notes that work failed because the server, or a connection to it, did.
    pub(crate) fn suspect(&self, error: &StoreError) {
        let mut seen = Seen::lock(&self.seen);
        match error {
            // Its role has been seen.
            StoreError::NoServer(_) => {}
            error => seen.role = error.is_read_only().then_some(Role::ReadOnly),
        }
        seen.renew();
    }

    /// True if it is worth while to wait for a server after this error.
    pub(crate) fn may_return(&self, error: &StoreError) -> bool {
        error.is_away() && (!error.is_read_only() || self.address.wants_writes())
    }

    /// Asks the server what it is now.
    ///
    /// # Errors
    /// When it cannot be reached.
    pub(crate) async fn ask_role(&self) -> Result<Role, StoreError> {
        let role = Role::of(&mut *self.pool.acquire().await?).await?;
        let mut seen = Seen::lock(&self.seen);
        seen.role = Some(role);
        if role != Role::Writes {
            // A connection may keep what the server was when it was opened.
            seen.renew();
        }
        Ok(role)
    }

    /// A connection of the pool.
    ///
    /// # Errors
    /// When there is none in time.
    pub(crate) async fn acquire(&self) -> Result<PoolConnection<Postgres>, StoreError> {
        self.patiently(Instant::now() + PATIENCE, |pool| Box::pin(async move { pool.acquire().await })).await
    }

    /// A transaction.
    ///
    /// # Errors
    /// When none begins in time.
    pub(crate) async fn begin(
        &self,
        begin: &'static str,
        deadline: Instant,
    ) -> Result<Transaction<'static, Postgres>, StoreError> {
        self.patiently(deadline, move |pool| Box::pin(begin_on(pool, begin))).await
    }

    /// Tries until it works, on whatever server the address leads to then.
    async fn patiently<T>(
        &self,
        deadline: Instant,
        attempt: impl Fn(PgPool) -> BoxFuture<'static, Result<T, sqlx::Error>> + Send,
    ) -> Result<T, StoreError> {
        let mut failure = None;
        let trying = async {
            loop {
                failure = match attempt(self.pool.clone()).await.map_err(StoreError::from) {
                    Ok(got) => match self.admit() {
                        Ok(()) => return Ok(got),
                        Err(refused) => Some(refused),
                    },
                    Err(error) if error.is_away() => {
                        self.suspect(&error);
                        Some(error)
                    }
                    Err(error) => return Err(error),
                };
                sleep(PAUSE).await;
            }
        };
        if let Ok(outcome) = timeout_at(deadline, trying).await {
            return outcome;
        }
        Err(failure.unwrap_or_else(|| {
            let error = StoreError::from(sqlx::Error::PoolTimedOut);
            self.suspect(&error);
            error
        }))
    }

    /// Checks that a server that accepted a connection may be used.
    fn admit(&self) -> Result<(), StoreError> {
        let mut seen = Seen::lock(&self.seen);
        let role = *seen.role.get_or_insert(Role::Writes);
        if self.address.accepts(role) {
            return Ok(());
        }
        seen.renew();
        Err(StoreError::NoServer(role.words().to_owned()))
    }

    /// Closes the connections.
    pub(crate) async fn close(&self) {
        if timeout(FAREWELL, self.pool.close()).await.is_err() {
            tracing::warn!("connections to the database were not closed in time");
        }
    }
}

/// Begins a transaction, in a task of its own: sqlx does not undo one whose beginning is not waited for to its end, and
/// whoever got that connection next would be inside it.
async fn begin_on(pool: PgPool, begin: &'static str) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    let beginning = tokio::spawn(async move { pool.begin_with(begin).await });
    beginning.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

//! The server that works now, and the connections to it.

use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures_util::future::BoxFuture;
use sqlx::pool::PoolConnection;
use sqlx::{Connection as _, Transaction};
use sqlx_postgres::{PgPool, PgPoolOptions, Postgres};
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout, timeout_at};
use tokio_util::sync::CancellationToken;

use super::hosts::{Hosts, Role};
use super::watch::watch;
use crate::connection::{StoreError, given_up};

/// How long work waits for a server that it can be done on.
pub(crate) const PATIENCE: Duration = Duration::from_secs(10);
/// How long it waits between two tries.
const PAUSE: Duration = Duration::from_millis(50);
/// A connection that was idle for longer than this is checked before it is used.
const RESTED: Duration = Duration::from_secs(1);
/// How long a server that said nothing may take to finish what it was at.
pub(super) const LATE: Duration = Duration::from_secs(10);
/// How long closing connections may take.
const FAREWELL: Duration = Duration::from_secs(3);

/// What is known of the server that was worked with last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum State {
    /// It answers, and takes writes.
    Working,
    /// It answers, and takes no writes.
    ReadOnly,
    /// It does not answer, and there is no other one. Why.
    Away(String),
}

/// Connections that lead to one server.
#[derive(Clone, Debug)]
pub(crate) struct Generation {
    /// Counts up.
    pub(crate) number: u64,
    pub(crate) pool: PgPool,
    /// Cancelled when these connections are given up: nothing on them is waited for any more.
    pub(crate) ended: CancellationToken,
    /// The parent of that token, and of those of the connections before to the same server.
    server_ended: CancellationToken,
    pub(super) host: usize,
}

/// The server that works now. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Primary(Arc<Shared>);

#[derive(Debug)]
pub(super) struct Shared {
    pub(super) hosts: Hosts,
    max_connections: u32,
    generation: watch::Sender<Generation>,
    state: Mutex<State>,
    /// Wakes up the one who watches.
    pub(super) suspicion: Notify,
    pub(super) closed: CancellationToken,
}

impl Primary {
    /// Connects, and begins to watch the server.
    ///
    /// # Errors
    /// When there is no server to work with.
    pub(crate) async fn open(hosts: Hosts, max_connections: u32) -> Result<Self, StoreError> {
        let reached = hosts.connect().await?;
        let shared = Shared::new(hosts, max_connections, reached.host, State::of(reached.role));
        let shared = Arc::new(shared.ok_or(StoreError::Closed)?);
        tokio::spawn(watch(Arc::downgrade(&shared), reached.connection));
        Ok(Self(shared))
    }

    /// The connections for new work.
    pub(crate) fn generation(&self) -> Generation {
        self.0.generation.borrow().clone()
    }

    /// Waits until the connections for new work are others than these.
    pub(crate) async fn wait_for_other(&self, number: u64) {
        let mut seen = self.0.generation.subscribe();
        // The sender lives as long as this.
        let _ = seen.wait_for(|generation| generation.number != number).await;
    }

    pub(crate) fn state(&self) -> State {
        self.0.state()
    }

    /// Says that the server, or a connection to it, failed. It is looked at now.
    pub(crate) fn suspect(&self) {
        self.0.suspicion.notify_one();
    }

    /// Whether it is worth while to wait for a server after this error.
    pub(crate) fn may_return(&self, error: &StoreError) -> bool {
        error.is_away() && (!error.is_read_only() || self.0.hosts.wants_writes())
    }

    /// A connection to the server that works now.
    ///
    /// # Errors
    /// When there is none in time.
    pub(crate) async fn acquire(&self) -> Result<(PoolConnection<Postgres>, Generation), StoreError> {
        self.patiently(Instant::now() + PATIENCE, |generation| {
            Box::pin(async move { generation.pool.acquire().await })
        })
        .await
    }

    /// A transaction on the server that works now.
    ///
    /// # Errors
    /// When none begins in time.
    pub(crate) async fn begin(
        &self,
        begin: &'static str,
        deadline: Instant,
    ) -> Result<(Transaction<'static, Postgres>, Generation), StoreError> {
        self.patiently(deadline, move |generation| Box::pin(begin_on(generation, begin))).await
    }

    /// Tries until it works, on whatever server works then.
    async fn patiently<T>(
        &self,
        deadline: Instant,
        attempt: impl Fn(Generation) -> BoxFuture<'static, Result<T, sqlx::Error>> + Send,
    ) -> Result<(T, Generation), StoreError> {
        let mut failure = None;
        let trying = async {
            loop {
                let generation = self.generation();
                let tried = tokio::select! {
                    tried = attempt(generation.clone()) => tried.map_err(StoreError::from),
                    () = generation.ended.cancelled() => continue,
                    () = self.0.closed.cancelled() => return Err(StoreError::Closed),
                };
                match tried {
                    Ok(value) => return Ok((value, generation)),
                    Err(error) if self.may_return(&error) && !self.0.closed.is_cancelled() => {
                        self.suspect();
                        failure = Some(error);
                        tokio::select! {
                            () = sleep(PAUSE) => {}
                            () = self.wait_for_other(generation.number) => {}
                        }
                    }
                    Err(error) => return Err(error),
                }
            }
        };
        if let Ok(outcome) = timeout_at(deadline, trying).await {
            return outcome;
        }
        self.suspect();
        Err(match (self.state(), failure) {
            (State::Away(why), _) => StoreError::NoServer(why),
            (_, Some(error)) => error,
            (_, None) => StoreError::Unreachable(sqlx::Error::PoolTimedOut),
        })
    }

    /// Closes the connections.
    pub(crate) async fn close(&self) {
        self.0.closed.cancel();
        let pool = self.generation().pool;
        if timeout(FAREWELL, pool.close()).await.is_err() {
            tracing::warn!("connections to the database were not closed in time");
        }
    }
}

impl State {
    pub(super) fn of(role: Role) -> Self {
        if role == Role::Writes { Self::Working } else { Self::ReadOnly }
    }
}

impl Shared {
    /// `None`: there is no such host.
    fn new(hosts: Hosts, max_connections: u32, host: usize, state: State) -> Option<Self> {
        let first = Generation::new(&hosts, host, (1, max_connections), Tokens::new())?;
        let (generation, _) = watch::channel(first);
        Some(Self {
            hosts,
            max_connections,
            generation,
            state: Mutex::new(state),
            suspicion: Notify::new(),
            closed: CancellationToken::new(),
        })
    }

    pub(super) fn current(&self) -> Generation {
        self.generation.borrow().clone()
    }

    pub(super) fn state(&self) -> State {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set_state(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    /// Gives new work other connections, to this host. Work on the old ones goes on.
    pub(super) fn renew(&self, host: usize) {
        let Generation { number, ended, server_ended, .. } = self.current();
        self.replace(host, number + 1, Tokens { ended, server_ended });
    }

    /// The same for a server that said nothing for a while: work on the old ones may only be slow, but the address may
    /// also lead to another machine now, where nobody would ever answer it.
    pub(super) fn renew_late(&self, host: usize) {
        let Generation { number, ended, server_ended, .. } = self.current();
        self.replace(host, number + 1, Tokens { ended: server_ended.child_token(), server_ended });
        tokio::spawn(async move {
            // Nobody has to wait once another server has taken over.
            if timeout(LATE, ended.cancelled()).await.is_err() {
                ended.cancel();
            }
        });
    }

    /// Ends all work on a server that has said nothing for too long.
    pub(super) fn give_up(&self) {
        let old = self.current();
        self.replace(old.host, old.number + 1, Tokens::new());
        old.server_ended.cancel();
    }

    /// Gives new work connections to this host, and ends all work on the server of before.
    pub(super) fn take_over(&self, host: usize) {
        let old = self.current();
        self.replace(host, old.number + 1, Tokens::new());
        if old.host != host {
            tracing::info!(server = self.hosts.name(host), "another server of the database is worked with");
        }
        old.server_ended.cancel();
    }

    fn replace(&self, host: usize, number: u64, tokens: Tokens) {
        if let Some(next) = Generation::new(&self.hosts, host, (number, self.max_connections), tokens) {
            self.generation.send_replace(next);
        }
    }
}

/// What gives connections up.
struct Tokens {
    ended: CancellationToken,
    server_ended: CancellationToken,
}

impl Tokens {
    /// Those of the first connections to a server.
    fn new() -> Self {
        let server_ended = CancellationToken::new();
        Self { ended: server_ended.child_token(), server_ended }
    }
}

impl Generation {
    fn new(
        hosts: &Hosts,
        host: usize,
        (number, max_connections): (u64, u32),
        Tokens { ended, server_ended }: Tokens,
    ) -> Option<Self> {
        let options = hosts.options(host)?.clone();
        let (wanted, over) = (hosts.clone(), ended.clone());
        let pool = PgPoolOptions::new()
            // One more for the listener, which never gives it back.
            .max_connections(max_connections.max(1).saturating_add(1))
            .acquire_timeout(PATIENCE)
            .after_connect(move |connection, _| {
                let wanted = wanted.clone();
                Box::pin(async move {
                    let role = Role::greet(connection).await?;
                    if wanted.accepts(role) { Ok(()) } else { Err(refused()) }
                })
            })
            // A connection that was in use a moment ago is still open; checking it would cost a query each time.
            .test_before_acquire(false)
            .before_acquire(|connection, meta| {
                Box::pin(async move {
                    if meta.idle_for > RESTED {
                        connection.ping().await?;
                    }
                    Ok(true)
                })
            })
            // Nothing is said on a connection that is given up.
            .after_release(move |_, _| {
                let is_over = over.is_cancelled();
                Box::pin(async move { Ok(!is_over) })
            })
            .connect_lazy_with(options);
        Some(Self { number, pool, ended, server_ended, host })
    }

    /// Runs something on these connections, as long as they are not given up.
    ///
    /// # Errors
    /// Those of the work, and when they are given up.
    pub(crate) async fn run<T>(
        &self,
        work: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        tokio::select! {
            outcome = work => outcome,
            () = self.ended.cancelled() => Err(StoreError::from(given_up())),
        }
    }
}

/// Begins a transaction, in a task of its own: sqlx does not undo one whose beginning is not waited for to its end, and
/// whoever got that connection next would be inside it.
async fn begin_on(
    generation: Generation,
    begin: &'static str,
) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    let beginning = tokio::spawn(async move {
        tokio::select! {
            begun = generation.pool.begin_with(begin) => begun,
            // These connections are closed, not used again.
            () = generation.ended.cancelled() => Err(given_up()),
        }
    });
    beginning.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}

/// The server is none that work can be done on.
fn refused() -> sqlx::Error {
    sqlx::Error::Io(std::io::Error::other("the server of the database takes no writes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shared() -> Shared {
        let hosts = Hosts::parse("postgres://knotpost@one.example,two.example/knotpost").unwrap();
        Shared::new(hosts, 2, 0, State::Working).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn work_on_a_server_that_was_silent_has_a_while_to_end() {
        let shared = shared();
        let slow = shared.current();
        shared.renew_late(0);
        sleep(LATE / 2).await;
        assert!(!slow.ended.is_cancelled());
        sleep(LATE).await;
        assert!(slow.ended.is_cancelled() && !shared.current().ended.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn all_work_on_a_server_ends_when_another_one_takes_over() {
        let shared = shared();
        let slow = shared.current();
        shared.renew_late(0);
        let later = shared.current();
        shared.renew(0);
        shared.take_over(1);
        assert!(slow.ended.is_cancelled() && later.ended.is_cancelled());
        assert!(!shared.current().ended.is_cancelled());
        let other = shared.current();
        shared.give_up();
        assert!(other.ended.is_cancelled() && !shared.current().ended.is_cancelled());
    }
}

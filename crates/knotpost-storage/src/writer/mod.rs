//! Runs writes on either database.
//!
//! On SQLite every write that waits joins the open transaction ([`group`]). On PostgreSQL a write has a transaction of its
//! own ([`alone`]). Nothing here knows what a write means.

mod alone;
mod connection;
mod group;
mod health;
mod job;

pub(crate) use alone::Isolation;
pub(crate) use health::Health;

use tokio::sync::{mpsc, oneshot};
use tokio_util::task::TaskTracker;

use crate::connection::{FileIdentity, Result, StoreError};
use crate::postgres::Primary;
use crate::transaction::{WriteError, WriteTx};
use alone::{Contention, write_alone};
use job::{Job, Order, PendingJob};

/// Most writes that share a commit.
const MAX_JOBS: usize = 128;

/// Most writes that wait in a queue; a caller with one more waits until there is space.
const QUEUE_LENGTH: usize = 1024;

/// Hands writes to the database.
#[derive(Clone)]
pub(crate) struct Writer {
    route: Route,
    pub(crate) health: Health,
}

#[derive(Clone)]
enum Route {
    Sqlite(mpsc::Sender<Order>),
    /// Each write has a connection of the pool to itself.
    Postgres(Contention, TaskTracker),
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let route = if matches!(self.route, Route::Sqlite(_)) { "Sqlite" } else { "Postgres" };
        f.debug_struct("Writer").field("route", &route).finish_non_exhaustive()
    }
}

impl Writer {
    /// A writer on a connection of its own, and on a thread of its own.
    pub(crate) fn sqlite(file: FileIdentity) -> Result<Self> {
        let (orders, queue) = mpsc::channel(QUEUE_LENGTH);
        group::begin(file, queue)?;
        Ok(Self::by(Route::Sqlite(orders)))
    }

    /// A writer on connections of the pool of the server that works now.
    pub(crate) fn postgres(primary: Primary) -> Self {
        Self::by(Route::Postgres(Contention::new(primary), TaskTracker::new()))
    }

    fn by(route: Route) -> Self {
        Self { route, health: Health::default() }
    }

    pub(crate) async fn write<T, E, W>(&self, isolation: Isolation, work: W) -> Result<T, E>
    where
        T: Send + 'static,
        E: WriteError,
        W: AsyncFn(&mut WriteTx) -> Result<T, E> + Send + 'static,
    {
        let (job, outcome) = PendingJob::new(work, self.health.clone());
        let job: Box<dyn Job> = Box::new(job);
        match &self.route {
            Route::Sqlite(orders) => {
                orders.send(Order::Write(job)).await.map_err(|_| StoreError::Closed)?;
            }
            Route::Postgres(_, running) if running.is_closed() => return Err(StoreError::Closed.into()),
            // A task of its own: a caller that goes away cannot stop a commit half-way.
            Route::Postgres(contention, running) => {
                running.spawn(write_alone(contention.clone(), isolation, job));
            }
        }
        outcome.await.unwrap_or_else(|_| Err(StoreError::Closed.into()))
    }

    /// Takes no more writes and returns when those that wait are done.
    pub(crate) async fn close(&self) {
        match &self.route {
            Route::Sqlite(orders) => {
                let (caller, closed) = oneshot::channel();
                // The queue is first in, first out. A writer that is closed already has nothing waiting.
                if orders.send(Order::Close(caller)).await.is_ok() {
                    let _ = closed.await;
                }
            }
            Route::Postgres(_, running) => {
                running.close();
                running.wait().await;
            }
        }
    }
}

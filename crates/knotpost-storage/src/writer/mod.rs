//! Runs writes on either database, in batches where they can share a transaction.
//!
//! On SQLite every write that waits joins the open transaction ([`group`]). On PostgreSQL moves are made in batches
//! ([`batch_writer`]), for which their rows are read in advance ([`prefetch`]); any other write has a transaction of its
//! own ([`alone`]). What goes in is a [`Job`], with its plan if it is a move. What comes out is an outcome for each job;
//! why a batch took no further jobs and how it ended is a [`StopReason`] and a [`BatchEnd`].
//!
//! Nothing here knows what a move means.

mod alone;
mod batch_writer;
mod connection;
mod end;
mod group;
mod health;
mod job;
mod mails;
mod prefetch;

pub use job::Work;

pub(crate) use health::Health;
pub(crate) use job::Isolation;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sqlx_sqlite::SqliteConnectOptions;
use tokio::sync::{mpsc, oneshot};

use crate::batch::MovePlan;
use crate::connection::{FileIdentity, StoreError};
use crate::postgres::Primary;
use alone::{Contention, write_alone};
use end::{BatchEnd, StopReason};
use job::{Job, Order, PendingJob};

/// How many writes share a commit at most.
const MAX_JOBS: usize = 128;

/// How many writes wait in a queue; a caller with one more waits until there is space.
const QUEUE_LENGTH: usize = 1024;

/// Hands writes to the database.
#[derive(Clone)]
pub(crate) struct Writer {
    route: Route,
    writes: Arc<AtomicU64>,
    pub(crate) health: Health,
}

#[derive(Clone)]
enum Route {
    Sqlite(mpsc::Sender<Order>),
    /// Moves are made in batches; any other write has a connection of the pool to itself.
    Postgres {
        moves: mpsc::Sender<Order>,
        contention: Contention,
    },
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let route = if matches!(self.route, Route::Sqlite(_)) { "Sqlite" } else { "Postgres" };
        f.debug_struct("Writer").field("route", &route).field("writes", &self.writes).finish_non_exhaustive()
    }
}

impl Writer {
    /// A writer on a connection of its own.
    pub(crate) async fn sqlite(
        options: SqliteConnectOptions,
        file: FileIdentity,
    ) -> Result<Self, StoreError> {
        let (orders, queue) = mpsc::channel(QUEUE_LENGTH);
        group::begin((options, file), queue).await?;
        Ok(Self::by(Route::Sqlite(orders)))
    }

    /// A writer on the server that works now: on connections of its pool, and on some of its own for moves.
    pub(crate) fn postgres(primary: Primary) -> Result<Self, StoreError> {
        let (moves, queue) = mpsc::channel(QUEUE_LENGTH);
        let contention = Contention::new(primary);
        batch_writer::begin(&contention, queue)?;
        Ok(Self::by(Route::Postgres { moves, contention }))
    }

    fn by(route: Route) -> Self {
        Self { route, writes: Arc::default(), health: Health::default() }
    }

    /// How many writes were requested.
    pub(crate) fn writes(&self) -> u64 {
        self.writes.load(Ordering::Relaxed)
    }

    pub(crate) async fn write<T: Send + 'static, W: Work<T>>(
        &self,
        plan: Option<MovePlan>,
        isolation: Isolation,
        work: W,
    ) -> Result<T, StoreError> {
        self.writes.fetch_add(1, Ordering::Relaxed);
        let is_move = plan.is_some();
        let (job, outcome) = PendingJob::new(plan, isolation, work);
        let job: Box<dyn Job> = Box::new(job);
        match &self.route {
            Route::Postgres { moves: orders, .. } if is_move => orders.send(Order::Write(job)).await,
            Route::Sqlite(orders) => orders.send(Order::Write(job)).await,
            // A task of its own: a caller that goes away cannot stop a commit half-way.
            Route::Postgres { contention, .. } => {
                tokio::spawn(write_alone(contention.clone(), job));
                Ok(())
            }
        }
        .map_err(|_| StoreError::Closed)?;
        let outcome = outcome.await.map_err(|_| StoreError::Closed)?;
        self.health.note(&outcome);
        outcome
    }

    /// Takes no more writes and returns when those that wait are done.
    pub(crate) async fn close(&self) {
        let (Route::Sqlite(orders) | Route::Postgres { moves: orders, .. }) = &self.route;
        let (caller, closed) = oneshot::channel();
        // The queue is first in, first out. A writer that is closed already has nothing waiting.
        if orders.send(Order::Close(caller)).await.is_ok() {
            let _ = closed.await;
        }
    }
}

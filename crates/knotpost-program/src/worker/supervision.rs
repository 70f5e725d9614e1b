//! Supervision of the server's loops: a loop that panics is counted and restarted; repeated panics end the server, so
//! that the service manager restarts it.

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::time::Duration;

use futures_util::FutureExt as _;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use knotpost_core::app::Condition;

/// Panics within [`WITHIN`] that end the server.
const MOST_PANICS: usize = 5;
const WITHIN: Duration = Duration::from_mins(1);
/// Pause after the first panic; doubles with each further one.
const FIRST_REST: Duration = Duration::from_millis(500);

/// One type for all loops: the compiler would else prove for each layer around each of them that it is `Send`.
type Running = Pin<Box<dyn Future<Output = ()> + Send>>;

#[derive(Debug)]
pub struct Workers {
    tasks: JoinSet<()>,
    stop: CancellationToken,
    condition: watch::Sender<Condition>,
}

impl Workers {
    /// `condition` learns of a loop that ended for good, and `stop` ends the loops.
    pub fn new(condition: watch::Sender<Condition>, stop: CancellationToken) -> Self {
        Self { tasks: JoinSet::new(), stop, condition }
    }

    /// Restarts the loop after a panic.
    pub fn spawn<L, F>(&mut self, name: &'static str, start: L)
    where
        L: Fn() -> F + Send + Sync + 'static,
        F: Future<Output = ()> + Send + 'static,
    {
        let supervised = self.supervised(name);
        let start = move || -> Running { Box::pin(start()) };
        self.tasks.spawn(supervised.run(start));
    }

    /// Spawns a loop whose state is lost by a panic: the first one ends the server.
    pub fn spawn_once(&mut self, name: &'static str, run: impl Future<Output = ()> + Send + 'static) {
        let supervised = self.supervised(name);
        let run: Running = Box::pin(run);
        self.tasks.spawn(async move {
            if AssertUnwindSafe(run).catch_unwind().await.is_err() {
                supervised.count();
                supervised.give_up();
            }
        });
    }

    fn supervised(&self, name: &'static str) -> Supervised {
        // Present from the start, so that the first growth is seen.
        metrics::counter!("knotpost_worker_panics_total", "worker" => name).increment(0);
        Supervised { name, stop: self.stop.clone(), condition: self.condition.clone() }
    }

    pub async fn join(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }

    pub async fn shutdown(&mut self) {
        self.tasks.shutdown().await;
    }
}

struct Supervised {
    name: &'static str,
    stop: CancellationToken,
    condition: watch::Sender<Condition>,
}

impl Supervised {
    async fn run(self, start: impl Fn() -> Running) {
        let mut panics = VecDeque::new();
        loop {
            let running = AssertUnwindSafe(async { start().await }).catch_unwind();
            if running.await.is_ok() {
                return;
            }
            self.count();
            let now = Instant::now();
            panics.push_back(now);
            panics.retain(|at| now.saturating_duration_since(*at) < WITHIN);
            if panics.len() >= MOST_PANICS {
                return self.give_up();
            }
            let doublings = u32::try_from(panics.len().saturating_sub(1)).unwrap_or_default();
            let rest = FIRST_REST.saturating_mul(2_u32.saturating_pow(doublings));
            if self.stop.run_until_cancelled(tokio::time::sleep(rest)).await.is_none() {
                return;
            }
        }
    }

    fn count(&self) {
        metrics::counter!("knotpost_worker_panics_total", "worker" => self.name).increment(1);
        tracing::error!(worker = self.name, "a worker stumbled over a fault in this program");
    }

    fn give_up(&self) {
        let why = format!(
            "the worker `{}` stumbles again and again; the server ends, so that it is started anew",
            self.name
        );
        tracing::error!(worker = self.name, "{why}");
        self.condition.send_replace(Condition::Broken(why));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    async fn run(panics: usize) -> (usize, Condition) {
        let (started, condition) = (Arc::new(AtomicUsize::new(0)), watch::Sender::default());
        let mut workers = Workers::new(condition.clone(), CancellationToken::new());
        let count = Arc::clone(&started);
        workers.spawn("test", move || {
            let count = Arc::clone(&count);
            async move {
                assert!(count.fetch_add(1, Ordering::Relaxed) >= panics, "a fault for the test");
            }
        });
        workers.join().await;
        (started.load(Ordering::Relaxed), condition.borrow().clone())
    }

    #[tokio::test(start_paused = true)]
    async fn a_loop_outlives_a_panic() {
        assert_eq!(run(4).await, (5, Condition::Sound));
    }

    #[tokio::test(start_paused = true)]
    async fn a_loop_that_panics_again_and_again_ends_the_server() {
        let (started, condition) = run(99).await;
        assert_eq!(started, MOST_PANICS);
        assert!(matches!(condition, Condition::Broken(why) if why.contains("`test`")));
    }

    #[tokio::test]
    async fn a_loop_that_cannot_be_started_again_ends_the_server_at_once() {
        let condition = watch::Sender::default();
        let mut workers = Workers::new(condition.clone(), CancellationToken::new());
        workers.spawn_once("test", async { panic!("a fault for the test") });
        workers.join().await;
        assert!(matches!(&*condition.borrow(), Condition::Broken(_)));
    }
}

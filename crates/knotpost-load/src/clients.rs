//! Clients that work at the same time, each doing one thing after another.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::task::JoinSet;

/// Work that is handed out to the clients one by one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Next(Arc<AtomicUsize>);

impl Next {
    /// The next number below `count`.
    pub(crate) fn below(&self, count: usize) -> Option<usize> {
        Some(self.0.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < count)
    }

    /// The next element.
    pub(crate) fn of<'a, T>(&self, all: &'a [T]) -> Option<&'a T> {
        all.get(self.below(all.len())?)
    }
}

/// Runs the clients, and returns what each of them has at the end.
pub(crate) async fn together<T, F>(clients: usize, client: impl Fn(Next) -> F) -> anyhow::Result<Vec<T>>
where
    T: Send + 'static,
    F: Future<Output = anyhow::Result<T>> + Send + 'static,
{
    let next = Next::default();
    let mut tasks = JoinSet::new();
    for _ in 0..clients {
        tasks.spawn(client(next.clone()));
    }
    let mut done = Vec::new();
    while let Some(one) = tasks.join_next().await {
        done.push(one??);
    }
    Ok(done)
}

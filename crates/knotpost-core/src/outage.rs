//! Logging of database outages: one line for thousands of failures.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use knotpost_storage::StoreError;

const QUIET: Duration = Duration::from_secs(10);

static OUTAGE: Mutex<Outage> = Mutex::new(Outage { last: None, untold: 0 });

/// Last failure, and the number of unlogged ones.
#[derive(Debug)]
struct Outage {
    last: Option<Instant>,
    untold: u64,
}

impl Outage {
    /// `Some(n)`: log this failure, and `n` unlogged ones of the previous outage; `None`: count only.
    fn count(&mut self, now: Instant) -> Option<u64> {
        let goes_on = self.last.is_some_and(|last| now.saturating_duration_since(last) < QUIET);
        self.last = Some(now);
        if goes_on {
            self.untold += 1;
            return None;
        }
        Some(std::mem::take(&mut self.untold))
    }
}

/// Logs a failure caused by the database, once per outage.
pub fn log_failure(error: &StoreError, what: &str) {
    if !error.is_away() {
        tracing::error!(error = error.with_causes(), "{what}");
        return;
    }
    let untold = OUTAGE.lock().unwrap_or_else(PoisonError::into_inner).count(Instant::now());
    match untold {
        Some(0) => tracing::warn!(error = error.with_causes(), "{what}"),
        Some(before) => {
            tracing::warn!(
                error = error.with_causes(),
                before,
                "{what}; `before` failed in the outage before"
            );
        }
        None => tracing::debug!(error = error.with_causes(), "{what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_told_once() {
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        let mut outage = Outage { last: None, untold: 0 };
        let told: Vec<_> = [0, 1, 9, 18, 28, 50].map(|second| outage.count(after(second))).to_vec();
        assert_eq!(told, [Some(0), None, None, None, Some(3), Some(0)]);
    }
}

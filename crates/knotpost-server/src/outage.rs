//! What the log says while the database is away: thousands of requests that fail for one reason are one line now and
//! then, with their number.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::store::StoreError;

/// So long after a line others like it are only counted.
const QUIET: Duration = Duration::from_secs(10);

static OUTAGE: Mutex<Outage> = Mutex::new(Outage { told_at: None, untold: 0 });

/// When it was last told that the database is away, and how often it was not.
#[derive(Debug)]
struct Outage {
    told_at: Option<Instant>,
    untold: u64,
}

impl Outage {
    /// How many failures are to be told of now, this one aside; `None`: none, it is counted.
    fn count(&mut self, now: Instant) -> Option<u64> {
        if self.told_at.is_some_and(|told_at| now.saturating_duration_since(told_at) < QUIET) {
            self.untold += 1;
            return None;
        }
        self.told_at = Some(now);
        Some(std::mem::take(&mut self.untold))
    }
}

/// Logs what could not be done because the database failed.
pub fn log_failure(error: &StoreError, what: &str) {
    if !matches!(error, StoreError::Unreachable(_)) {
        tracing::error!(error = error.with_causes(), "{what}");
        return;
    }
    let untold = OUTAGE.lock().unwrap_or_else(PoisonError::into_inner).count(Instant::now());
    match untold {
        Some(0) => tracing::error!(error = error.with_causes(), "{what}"),
        Some(untold) => tracing::error!(error = error.with_causes(), untold, "{what}, and others before it"),
        None => tracing::debug!(error = error.with_causes(), "{what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outage_is_told_at_once_and_then_now_and_then() {
        let begun = Instant::now();
        let after = |seconds| begun + Duration::from_secs(seconds);
        let mut outage = Outage { told_at: None, untold: 0 };
        let told: Vec<_> = [0, 1, 9, 10, 11, 30].map(|second| outage.count(after(second))).to_vec();
        assert_eq!(told, [Some(0), None, None, Some(2), None, Some(1)]);
    }
}

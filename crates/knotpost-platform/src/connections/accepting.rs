//! Failures to accept connections: logged now and then, never fatal to a listener.

use std::io;
use std::time::Duration;

use tokio::time::{Instant, sleep};

const LOG_EVERY: Duration = Duration::from_secs(10);
/// Prevents spinning on failures, such as a lack of descriptors.
const PAUSE: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub struct AcceptFailures {
    listener: &'static str,
    logged: Option<Instant>,
    suppressed: u64,
}

impl AcceptFailures {
    /// `listener` is its name in the log.
    pub fn new(listener: &'static str) -> Self {
        // Created at the start, so that the first increase is seen.
        ::metrics::counter!("knotpost_accept_failures_total", "listener" => listener).increment(0);
        Self { listener, logged: None, suppressed: 0 }
    }

    pub async fn pause_after(&mut self, error: &io::Error) {
        ::metrics::counter!("knotpost_accept_failures_total", "listener" => self.listener).increment(1);
        if let Some(suppressed) = self.count(Instant::now()) {
            tracing::warn!(%error, listener = self.listener, suppressed, "a connection could not be accepted");
        }
        sleep(PAUSE).await;
    }

    /// Counts a failure; `Some(n)`: a line is due, and `n` failures went unlogged.
    fn count(&mut self, now: Instant) -> Option<u64> {
        if self.logged.is_some_and(|logged| now.duration_since(logged) < LOG_EVERY) {
            self.suppressed += 1;
            return None;
        }
        self.logged = Some(now);
        Some(std::mem::take(&mut self.suppressed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_logged_once_in_ten_seconds_with_the_number_of_those_between() {
        let mut failures = AcceptFailures::new("smtp");
        let start = Instant::now();
        let logged: Vec<Option<u64>> = [0, 50, 9_999, 10_000, 10_050, 20_000]
            .iter()
            .map(|ms| failures.count(start + Duration::from_millis(*ms)))
            .collect();
        assert_eq!(logged, [Some(0), None, None, Some(2), None, Some(1)]);
    }
}

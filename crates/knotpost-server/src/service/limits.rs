//! Rates that protect a public server. Kept in memory: a restart forgives.

use std::num::NonZeroU32;
use std::sync::Mutex;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

use crate::config;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rate {
    /// New accounts, per sender.
    Signup,
    /// Challenges, per sender.
    Challenge,
    /// Passwords that are not known to be right, per account and sender.
    Password,
    /// Requests, per network address.
    Http,
}

type Keyed = DefaultKeyedRateLimiter<String>;

/// Counts who does what how often.
#[derive(Debug)]
pub struct Limits {
    enabled: bool,
    signup: Keyed,
    challenge: Keyed,
    password: Keyed,
    http: Keyed,
    calls: Mutex<u32>,
}

/// How many calls pass between two sweeps of keys that are not limited any more.
const SWEEP: u32 = 10_000;

impl Limits {
    /// The limits of a configuration.
    pub fn new(config: &config::Limits) -> Self {
        let hour = Duration::from_hours(1);
        Self {
            enabled: config.enabled,
            signup: limiter(config.signups_per_hour, hour),
            challenge: limiter(config.challenges_per_hour, hour),
            password: limiter(config.password_tries, Duration::from_mins(15)),
            http: limiter(config.http_per_minute, Duration::from_mins(1)),
            calls: Mutex::new(0),
        }
    }

    /// Counts one more; on too many, the seconds until the next is allowed.
    ///
    /// # Errors
    /// When there were too many.
    pub fn count(&self, rate: Rate, key: &str) -> Result<(), u64> {
        if !self.enabled {
            return Ok(());
        }
        self.sweep();
        let limiter = match rate {
            Rate::Signup => &self.signup,
            Rate::Challenge => &self.challenge,
            Rate::Password => &self.password,
            Rate::Http => &self.http,
        };
        limiter
            .check_key(&key.to_owned())
            .map_err(|again| again.wait_time_from(DefaultClock::default().now()).as_secs().saturating_add(1))
    }

    fn sweep(&self) {
        let Ok(mut calls) = self.calls.lock() else { return };
        *calls += 1;
        if *calls >= SWEEP {
            *calls = 0;
            for limiter in [&self.signup, &self.challenge, &self.password, &self.http] {
                limiter.retain_recent();
            }
        }
    }
}

/// `burst` at once, then as many again spread over `period`.
fn limiter(burst: u32, period: Duration) -> Keyed {
    let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
    let every = period / burst.get();
    let quota = Quota::with_period(every).unwrap_or(Quota::per_second(burst)).allow_burst(burst);
    RateLimiter::keyed(quota)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_burst() {
        let limits = Limits::new(&config::Limits { signups_per_hour: 2, ..config::Limits::default() });
        assert_eq!(limits.count(Rate::Signup, "a"), Ok(()));
        assert_eq!(limits.count(Rate::Signup, "a"), Ok(()));
        let wait = limits.count(Rate::Signup, "a").expect_err("the third in an hour");
        assert!((1700..=1801).contains(&wait), "{wait}");
        assert_eq!(limits.count(Rate::Signup, "b"), Ok(()));
    }

    #[test]
    fn switched_off_nothing_is_limited() {
        let limits =
            Limits::new(&config::Limits { enabled: false, signups_per_hour: 1, ..config::Limits::default() });
        assert!((0..100).all(|_| limits.count(Rate::Signup, "a").is_ok()));
    }
}

//! Rates that protect a public server. Kept in memory: a restart forgives. What was counted here is
//! told to the other processes on the same database, so that a rate holds for all of them together;
//! only the rate of requests holds for each by itself.

use std::num::NonZeroU32;
use std::sync::Mutex;
use std::time::Duration;

use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultDirectRateLimiter, DefaultKeyedRateLimiter, Quota, RateLimiter};
use serde::{Deserialize, Serialize};

use super::peers::{Announcer, Notice};
use crate::config;

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rate {
    /// New accounts, per sender.
    Signup,
    /// Challenges, per sender.
    Challenge,
    /// New passwords asked for, per sender and user.
    Reset,
    /// Messages and broadcasts, per sender and user.
    Message,
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
    reset: Keyed,
    message: Keyed,
    password: Keyed,
    http: Keyed,
    /// What all together may do, by the name of the rate.
    everybody: [(Rate, DefaultDirectRateLimiter); 4],
    calls: Mutex<u32>,
    announcer: Announcer,
}

/// All together may do as much as so many senders.
const CROWD: u32 = 100;
/// How many calls pass between two sweeps of keys that are not limited any more.
const SWEEP: u32 = 10_000;

impl Limits {
    /// The limits of a configuration; what is counted goes to `announcer` too.
    pub fn new(config: &config::Limits, announcer: Announcer) -> Self {
        let hour = Duration::from_hours(1);
        Self {
            enabled: config.enabled,
            signup: limiter(config.signups_per_hour, hour),
            challenge: limiter(config.challenges_per_hour, hour),
            reset: limiter(config.resets_per_hour, hour),
            message: limiter(config.messages_per_hour, hour),
            password: limiter(config.password_tries, Duration::from_mins(15)),
            http: limiter(config.http_per_minute, Duration::from_mins(1)),
            everybody: [
                (Rate::Signup, config.signups_per_hour),
                (Rate::Challenge, config.challenges_per_hour),
                (Rate::Reset, config.resets_per_hour),
                (Rate::Message, config.messages_per_hour),
            ]
            .map(|(rate, one)| (rate, RateLimiter::direct(quota(one.saturating_mul(CROWD), hour)))),
            calls: Mutex::new(0),
            announcer,
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
        self.keyed(rate).check_key(&key.to_owned()).map_err(|again| {
            again.wait_time_from(DefaultClock::default().now()).as_secs().saturating_add(1)
        })?;
        // Requests are too many to tell of.
        if rate != Rate::Http {
            self.announcer.announce(Notice::Counted { rate, key: Some(key.to_owned()) });
        }
        Ok(())
    }

    /// Counts what another process allowed; `None`: one of all.
    pub fn count_elsewhere(&self, rate: Rate, key: Option<&str>) {
        // Whatever the answer: it has happened.
        let _ = match key {
            Some(key) => self.keyed(rate).check_key(&key.to_owned()).is_ok(),
            None => self.together(rate).is_none_or(|all| all.check().is_ok()),
        };
    }

    fn keyed(&self, rate: Rate) -> &Keyed {
        match rate {
            Rate::Signup => &self.signup,
            Rate::Challenge => &self.challenge,
            Rate::Reset => &self.reset,
            Rate::Message => &self.message,
            Rate::Password => &self.password,
            Rate::Http => &self.http,
        }
    }

    fn together(&self, rate: Rate) -> Option<&DefaultDirectRateLimiter> {
        self.everybody.iter().find(|(known, _)| *known == rate).map(|(_, all)| all)
    }

    /// Counts one more for the sender, for the user where one is known, and for everybody together; on too many
    /// of one of them, the seconds until the next is allowed.
    ///
    /// # Errors
    /// When there were too many.
    pub fn count_all(&self, rate: Rate, sender: &str, user: Option<&str>) -> Result<(), u64> {
        self.count(rate, sender)?;
        if let Some(user) = user {
            self.count(rate, user)?;
        }
        match self.together(rate) {
            Some(all) if self.enabled => {
                all.check().map_err(|again| {
                    again.wait_time_from(DefaultClock::default().now()).as_secs().saturating_add(1)
                })?;
                self.announcer.announce(Notice::Counted { rate, key: None });
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn sweep(&self) {
        let Ok(mut calls) = self.calls.lock() else { return };
        *calls += 1;
        if *calls >= SWEEP {
            *calls = 0;
            for limiter in
                [&self.signup, &self.challenge, &self.reset, &self.message, &self.password, &self.http]
            {
                limiter.retain_recent();
            }
        }
    }
}

/// `burst` at once, then as many again spread over `period`.
fn limiter(burst: u32, period: Duration) -> Keyed {
    RateLimiter::keyed(quota(burst, period))
}

fn quota(burst: u32, period: Duration) -> Quota {
    let burst = NonZeroU32::new(burst).unwrap_or(NonZeroU32::MIN);
    let every = period / burst.get();
    Quota::with_period(every).unwrap_or(Quota::per_second(burst)).allow_burst(burst)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_key_has_its_own_burst() {
        let limits = Limits::new(
            &config::Limits { signups_per_hour: 2, ..config::Limits::default() },
            Announcer::default(),
        );
        assert_eq!(limits.count(Rate::Signup, "a"), Ok(()));
        assert_eq!(limits.count(Rate::Signup, "a"), Ok(()));
        let wait = limits.count(Rate::Signup, "a").expect_err("the third in an hour");
        assert!((1700..=1801).contains(&wait), "{wait}");
        assert_eq!(limits.count(Rate::Signup, "b"), Ok(()));
    }

    #[test]
    fn what_many_senders_do_is_limited_too() {
        let limits = Limits::new(
            &config::Limits { resets_per_hour: 1, ..config::Limits::default() },
            Announcer::default(),
        );
        for sender in 0..CROWD {
            assert_eq!(limits.count_all(Rate::Reset, &format!("sender {sender}"), None), Ok(()));
        }
        assert!(limits.count_all(Rate::Reset, "one more", None).is_err(), "all together");
        let limits = Limits::new(
            &config::Limits { messages_per_hour: 1, ..config::Limits::default() },
            Announcer::default(),
        );
        assert_eq!(limits.count_all(Rate::Message, "home", Some("user 1")), Ok(()));
        assert!(limits.count_all(Rate::Message, "work", Some("user 1")).is_err(), "the same user elsewhere");
        assert_eq!(limits.count_all(Rate::Message, "train", Some("user 2")), Ok(()));
    }

    #[test]
    fn switched_off_nothing_is_limited() {
        let limits = Limits::new(
            &config::Limits { enabled: false, signups_per_hour: 1, ..config::Limits::default() },
            Announcer::default(),
        );
        assert!((0..100).all(|_| limits.count(Rate::Signup, "a").is_ok()));
    }

    #[test]
    fn what_was_done_elsewhere_counts_here() {
        let config = config::Limits { signups_per_hour: 2, ..config::Limits::default() };
        let limits = Limits::new(&config, Announcer::default());
        limits.count_elsewhere(Rate::Signup, Some("a"));
        assert_eq!(limits.count(Rate::Signup, "a"), Ok(()));
        assert!(limits.count(Rate::Signup, "a").is_err());
        (0..2 * CROWD).for_each(|_| limits.count_elsewhere(Rate::Signup, None));
        assert!(limits.count_all(Rate::Signup, "b", None).is_err());
    }
}

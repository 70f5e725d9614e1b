//! Time and randomness as parameters. No other module asks the machine for either.

use std::fmt::Debug;
use std::sync::atomic::{AtomicI64, Ordering};

use ring::rand::{SecureRandom, SystemRandom};

use knotpost_model::Millis;

pub trait Clock: Send + Sync + Debug {
    /// Unix time in milliseconds.
    fn now(&self) -> Millis;
}

#[derive(Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "the one place that reads the machine's clock")]
    fn now(&self) -> Millis {
        Millis(jiff::Timestamp::now().as_millisecond())
    }
}

/// Stands still until moved: for tests.
#[derive(Debug)]
pub struct ManualClock(AtomicI64);

impl ManualClock {
    pub fn at(now: Millis) -> Self {
        Self(AtomicI64::new(now.0))
    }

    pub fn advance(&self, millis: i64) {
        self.0.fetch_add(millis, Ordering::Relaxed);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Millis {
        Millis(self.0.load(Ordering::Relaxed))
    }
}

pub trait Entropy: Send + Sync + Debug {
    fn fill(&self, bytes: &mut [u8]) -> std::io::Result<()>;
}

#[derive(Debug)]
pub struct SystemEntropy(SystemRandom);

impl Default for SystemEntropy {
    fn default() -> Self {
        Self(SystemRandom::new())
    }
}

impl Entropy for SystemEntropy {
    fn fill(&self, bytes: &mut [u8]) -> std::io::Result<()> {
        self.0.fill(bytes).map_err(|_| std::io::Error::other("the system gives no random bytes"))
    }
}

pub fn random_bytes<const N: usize>(entropy: &dyn Entropy) -> std::io::Result<[u8; N]> {
    let mut bytes = [0; N];
    entropy.fill(&mut bytes)?;
    Ok(bytes)
}

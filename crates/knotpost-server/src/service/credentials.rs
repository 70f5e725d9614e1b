//! Passwords: argon2id away from the async threads, bounded, with a short memory of successes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use subtle::ConstantTimeEq;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::hashing::{HashMemory, NOBODYS, hash_new};
use crate::domain::{Millis, UserKey};
use crate::secret::{Purpose, SecretKey};

/// How many hashes are computed at once; each takes 19 MiB and one core.
const PARALLEL: usize = 2;
/// How many may wait. Beyond that a request is turned away at once instead of waiting for minutes.
const WAITING: usize = 256;
/// How long a verified password is remembered.
const MEMORY_MS: i64 = 5 * 60 * 1000;
/// How many verified passwords are remembered.
const MEMORY_SIZE: usize = 65_536;

/// Who a command's password proved its sender to be.
#[derive(Clone, Debug)]
pub enum Login {
    /// The command names nobody.
    NotNeeded,
    /// This user, as long as this is still his stored hash.
    Known {
        /// The user.
        user: UserKey,
        /// The hash that was verified against.
        hash: String,
        /// The key of the API by which he was, as long as it is still his.
        key: Option<i64>,
    },
    /// No such user, or not his password: nobody can tell which.
    Wrong,
    /// Logged in, but for this the password is needed again.
    Stale,
    /// Too many tries; again in so many seconds.
    TooMany(u64),
}

/// Why a password could not be hashed.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// Too many wait already.
    #[error("too many passwords are waiting to be checked")]
    Overloaded,
    /// The hash function refused.
    #[error("the password could not be hashed: {0}")]
    Failed(String),
}

/// Until when which passwords are remembered, by digest.
type Memory = HashMap<[u8; 32], Millis>;

/// Checks passwords.
#[derive(Debug)]
pub struct Credentials {
    turns: Arc<Semaphore>,
    waiting: Semaphore,
    hashing: Arc<HashMemory>,
    memory: Arc<Mutex<Memory>>,
    computed: AtomicU64,
    secret: SecretKey,
}

impl Credentials {
    /// A checker.
    pub fn new(secret: SecretKey) -> Self {
        Self {
            turns: Arc::new(Semaphore::new(PARALLEL)),
            waiting: Semaphore::new(WAITING),
            hashing: Arc::default(),
            memory: Arc::default(),
            computed: AtomicU64::new(0),
            secret,
        }
    }

    /// The hash of a new password.
    ///
    /// # Errors
    /// When too many wait, or the hash function refuses.
    pub async fn hash(&self, password: &str) -> Result<String, HashError> {
        let password = password.to_owned();
        let turn = self.turn().await?;
        self.compute(turn, move || hash_new(&password)).await?.map_err(HashError::Failed)
    }

    /// Whether this password of this user was verified against this hash a short while ago.
    pub fn remembers(&self, user: UserKey, password: &str, hash: &str, now: Millis) -> bool {
        let key = self.memory_key(user, password, hash);
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.get(&key).is_some_and(|until| *until > now)
    }

    /// Whether `password` is the one behind `stored`, the user's hash. Without a user the answer
    /// is no and takes as long.
    ///
    /// # Errors
    /// When too many wait.
    pub async fn verify(
        &self,
        stored: Option<(UserKey, &str)>,
        password: &str,
        now: Millis,
    ) -> Result<bool, HashError> {
        let turn = self.turn().await?;
        // Somebody may have asked the same and waited less.
        if stored.is_some_and(|(user, hash)| self.remembers(user, password, hash, now)) {
            return Ok(true);
        }
        // Somebody unknown costs the same as somebody known.
        let hash = stored.map_or(NOBODYS, |(_, hash)| hash).to_owned();
        let key = stored.map(|(user, hash)| self.memory_key(user, password, hash));
        let (typed, hashing, memory) =
            (password.to_owned(), Arc::clone(&self.hashing), Arc::clone(&self.memory));
        let work = move || {
            let right = hashing.verify(&typed, &hash);
            // Before the next one has its turn, who may ask the same.
            if let (true, Some(key)) = (right, key) {
                remember(&memory, key, now);
            }
            right
        };
        let right = self.compute(turn, work).await?;
        Ok(right && stored.is_some())
    }

    /// How many hashes were computed so far: the work that passwords cost.
    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    /// Forgets every verified password, e.g. after one was changed.
    pub fn forget_all(&self) {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The stored hash is part of the key: a changed password is forgotten by itself, in every process.
    fn memory_key(&self, user: UserKey, password: &str, hash: &str) -> [u8; 32] {
        self.secret
            .digest(Purpose::Credentials, &[&user.0.to_be_bytes(), password.as_bytes(), hash.as_bytes()])
    }

    /// Waits until one of the few hashes computed at once may be this one.
    async fn turn(&self) -> Result<OwnedSemaphorePermit, HashError> {
        let _place = self.waiting.try_acquire().map_err(|_| HashError::Overloaded)?;
        Arc::clone(&self.turns).acquire_owned().await.map_err(|_| HashError::Overloaded)
    }

    async fn compute<T: Send + 'static>(
        &self,
        turn: OwnedSemaphorePermit,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, HashError> {
        self.computed.fetch_add(1, Ordering::Relaxed);
        let done = tokio::task::spawn_blocking(move || {
            let value = work();
            drop(turn);
            value
        });
        done.await.map_err(|error| HashError::Failed(error.to_string()))
    }
}

fn remember(memory: &Mutex<Memory>, key: [u8; 32], now: Millis) {
    let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    if memory.len() >= MEMORY_SIZE {
        memory.retain(|_, until| *until > now);
    }
    if memory.len() < MEMORY_SIZE {
        memory.insert(key, now.plus(MEMORY_MS));
    }
}

/// Whether two hashes are the same, in constant time.
pub(super) fn same_hash(left: &str, right: &str) -> bool {
    left.as_bytes().ct_eq(right.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemEntropy;

    fn checker() -> Credentials {
        let data = tempfile::tempdir().expect("a folder");
        let secret =
            SecretKey::load("", &data.path().join("secret.key"), &SystemEntropy::default()).expect("a key");
        Credentials::new(secret)
    }

    #[tokio::test]
    async fn only_the_right_password_of_a_known_user_is_verified() {
        let checker = checker();
        let hash = checker.hash("chocolate").await.expect("a hash");
        let stored = Some((UserKey(1), hash.as_str()));
        let now = Millis(0);
        assert!(checker.verify(stored, "chocolate", now).await.expect("checked"));
        assert!(!checker.verify(stored, "Chocolate", now).await.expect("checked"));
        assert!(!checker.verify(None, "chocolate", now).await.expect("checked"));
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    }

    #[tokio::test]
    async fn who_asks_the_same_at_once_waits_for_few_answers() {
        let checker = checker();
        let hash = checker.hash("chocolate").await.expect("a hash");
        let before = checker.computed();
        let ask = || checker.verify(Some((UserKey(1), &hash)), "chocolate", Millis(0));
        let answers = futures_util::future::join_all((0..20).map(|_| ask())).await;
        assert!(answers.into_iter().all(|right| right.expect("checked")));
        assert!(checker.computed() - before <= PARALLEL as u64, "{} hashes", checker.computed() - before);
    }

    #[tokio::test]
    async fn successes_are_remembered_for_five_minutes_for_that_hash_only() {
        let checker = checker();
        let hash = checker.hash("chocolate").await.expect("a hash");
        let (user, now) = (UserKey(1), Millis(0));
        checker.verify(Some((user, &hash)), "vanilla1", now).await.expect("checked");
        assert!(!checker.remembers(user, "vanilla1", &hash, now));
        checker.verify(Some((user, &hash)), "chocolate", now).await.expect("checked");
        assert!(checker.remembers(user, "chocolate", &hash, now));
        assert!(!checker.remembers(UserKey(2), "chocolate", &hash, now));
        assert!(!checker.remembers(user, "chocolate", "another hash", now));
        assert!(!checker.remembers(user, "chocolate", &hash, now.plus(MEMORY_MS)));
        checker.forget_all();
        assert!(!checker.remembers(user, "chocolate", &hash, now));
    }
}

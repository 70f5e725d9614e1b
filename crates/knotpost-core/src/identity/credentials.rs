//! Passwords: argon2id outside the async threads, bounded, with a short cache of successes.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use subtle::ConstantTimeEq;

use crate::fair_queue::{FairQueue, Turn};
use crate::identity::hashing::{HashMemory, NOBODYS, hash_new};
use knotpost_model::{Host, Millis, UserKey};
use knotpost_platform::secret::{KeyRing, Purpose};
use knotpost_storage::UserRow;

/// Concurrent hashes; each takes 19 MiB and a core.
const PARALLEL: usize = 2;
const OF_HOST: usize = 8;
/// Places shared by unknown hosts and this machine, which may speak for many.
const OF_UNKNOWN: usize = 64;
const OF_ALL: usize = 256;
const MEMORY_MS: i64 = 5 * 60 * 1000;
const MEMORY_SIZE: usize = 65_536;

#[derive(Clone, Debug)]
pub enum Login {
    /// The command names nobody.
    NotNeeded,
    /// Valid as long as the stored hash is unchanged.
    Known {
        user: UserKey,
        hash: String,
        /// API key used, valid until revoked.
        key: Option<i64>,
        /// Session used, valid until it ends.
        session: Option<String>,
    },
    /// Unknown user or wrong password; which one is never told.
    Wrong,
    /// Logged in, but the password is needed again.
    Stale,
    TooMany(u64),
    /// The password could not be checked, or a new one not be taken.
    Overloaded,
}

impl Login {
    /// Login of a user who answered a mail that only they got.
    pub(crate) fn of_reader(reader: &UserRow) -> Self {
        match reader.password_hash.clone() {
            Some(hash) => Self::Known { user: reader.id, hash, key: None, session: None },
            None => Self::NotNeeded,
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum HashError {
    #[error("too many passwords are waiting to be checked")]
    Overloaded,
    #[error("the password could not be hashed: {0}")]
    Failed(String),
}

/// By digest: user and expiry.
type Memory = HashMap<[u8; 32], (UserKey, Millis)>;

#[derive(Clone, Copy, Debug)]
pub struct Try<'a> {
    pub password: &'a str,
    /// Cache scope: success at one place says nothing about another.
    pub place: &'a str,
    /// Connecting host, for the fair queue.
    pub host: Option<Host>,
}

#[derive(Debug)]
pub struct Credentials {
    turns: FairQueue<Option<Host>>,
    hashing: Arc<HashMemory>,
    memory: Arc<Mutex<Memory>>,
    computed: AtomicU64,
    secret: KeyRing,
}

impl Credentials {
    pub fn waiting(&self) -> usize {
        self.turns.waiting()
    }

    pub fn new(secret: KeyRing) -> Self {
        Self {
            turns: FairQueue::new(PARALLEL, OF_ALL),
            hashing: Arc::default(),
            memory: Arc::default(),
            computed: AtomicU64::new(0),
            secret,
        }
    }

    pub async fn hash(&self, password: &str) -> Result<String, HashError> {
        self.hash_for(password, None).await
    }

    /// As [`Self::hash`], queued for this host.
    pub async fn hash_for(&self, password: &str, host: Option<Host>) -> Result<String, HashError> {
        let password = password.to_owned();
        let turn = self.turn(host).await?;
        self.compute(turn, move || hash_new(&password)).await?.map_err(HashError::Failed)
    }

    /// True if the same password of this user, place and hash was verified recently.
    pub fn has_verified(&self, user: UserKey, tried: Try<'_>, hash: &str, now: Millis) -> bool {
        let key = self.memory_key(user, tried, hash);
        let memory = self.memory.lock().unwrap_or_else(PoisonError::into_inner);
        memory.get(&key).is_some_and(|(_, until)| *until > now)
    }

    /// Checks a password against `stored`, a user and their hash. Without a user it fails, in the same time.
    pub async fn verify(
        &self,
        stored: Option<(UserKey, &str)>,
        tried: Try<'_>,
        now: Millis,
    ) -> Result<bool, HashError> {
        let turn = self.turn(tried.host).await?;
        // A parallel request may have verified it meanwhile.
        if stored.is_some_and(|(user, hash)| self.has_verified(user, tried, hash, now)) {
            return Ok(true);
        }
        let hash = stored.map_or(NOBODYS, |(_, hash)| hash).to_owned();
        let key = stored.map(|(user, hash)| (user, self.memory_key(user, tried, hash)));
        let (typed, hashing, memory) =
            (tried.password.to_owned(), Arc::clone(&self.hashing), Arc::clone(&self.memory));
        let work = move || {
            let right = hashing.verify(&typed, &hash);
            // Cached before the permit passes on, since the next may ask the same.
            if let (true, Some((user, key))) = (right, key) {
                insert(&memory, key, user, now);
            }
            right
        };
        let right = self.compute(turn, work).await?;
        Ok(right && stored.is_some())
    }

    async fn turn(&self, host: Option<Host>) -> Result<Turn<Option<Host>>, HashError> {
        // Loopback counts as unknown: it may speak for many.
        let host = host.filter(|host| !host.is_loopback());
        let most = if host.is_some() { OF_HOST } else { OF_UNKNOWN };
        self.turns.turn(host, most).await.ok_or(HashError::Overloaded)
    }

    pub fn computed(&self) -> u64 {
        self.computed.load(Ordering::Relaxed)
    }

    pub fn forget(&self, user: UserKey) {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, (whose, _)| *whose != user);
    }

    /// As after a restart.
    pub fn forget_all(&self) {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    /// The stored hash is part of the key, so that a changed password drops out in every process.
    fn memory_key(&self, user: UserKey, tried: Try<'_>, hash: &str) -> [u8; 32] {
        let parts: [&[u8]; 4] =
            [&user.0.to_be_bytes(), tried.password.as_bytes(), hash.as_bytes(), tried.place.as_bytes()];
        self.secret.digest(Purpose::Credentials, &parts)
    }

    async fn compute<T: Send + 'static>(
        &self,
        turn: Turn<Option<Host>>,
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

fn insert(memory: &Mutex<Memory>, key: [u8; 32], user: UserKey, now: Millis) {
    let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
    if memory.len() >= MEMORY_SIZE {
        memory.retain(|_, (_, until)| *until > now);
    }
    if memory.len() < MEMORY_SIZE {
        memory.insert(key, (user, now.plus(MEMORY_MS)));
    }
}

/// Constant time.
pub(crate) fn same_hash(left: &str, right: &str) -> bool {
    left.as_bytes().ct_eq(right.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_platform::clock::SystemEntropy;

    fn typed(password: &str) -> Try<'_> {
        Try { password, place: "home", host: None }
    }

    fn checker() -> Credentials {
        let data = tempfile::tempdir().expect("a folder");
        let secret =
            KeyRing::load("", &data.path().join("secret.key"), &SystemEntropy::default()).expect("a key");
        Credentials::new(secret)
    }

    #[tokio::test]
    async fn only_the_right_password_of_a_known_user_is_verified() {
        let checker = checker();
        let hash = checker.hash("chocolate").await.expect("a hash");
        let stored = Some((UserKey(1), hash.as_str()));
        let now = Millis(0);
        assert!(checker.verify(stored, typed("chocolate"), now).await.expect("checked"));
        assert!(!checker.verify(stored, typed("Chocolate"), now).await.expect("checked"));
        assert!(!checker.verify(None, typed("chocolate"), now).await.expect("checked"));
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{hash}");
    }

    #[tokio::test]
    async fn who_asks_the_same_at_once_waits_for_few_answers() {
        let checker = checker();
        let hash = checker.hash("chocolate").await.expect("a hash");
        let before = checker.computed();
        let ask = || checker.verify(Some((UserKey(1), &hash)), typed("chocolate"), Millis(0));
        let answers = futures_util::future::join_all((0..20).map(|_| ask())).await;
        assert!(answers.into_iter().all(|right| right.expect("checked")));
        assert!(checker.computed() - before <= PARALLEL as u64, "{} hashes", checker.computed() - before);
    }

    #[tokio::test]
    async fn successes_are_cached_for_five_minutes_for_that_hash_only() {
        let checker = checker();
        let hash = checker.hash("chocolate").await.expect("a hash");
        let (user, now) = (UserKey(1), Millis(0));
        checker.verify(Some((user, &hash)), typed("vanilla1"), now).await.expect("checked");
        assert!(!checker.has_verified(user, typed("vanilla1"), &hash, now));
        checker.verify(Some((user, &hash)), typed("chocolate"), now).await.expect("checked");
        assert!(checker.has_verified(user, typed("chocolate"), &hash, now));
        assert!(!checker.has_verified(UserKey(2), typed("chocolate"), &hash, now));
        assert!(!checker.has_verified(user, typed("chocolate"), "another hash", now));
        assert!(!checker.has_verified(user, typed("chocolate"), &hash, now.plus(MEMORY_MS)));
        let elsewhere = Try { place: "elsewhere", ..typed("chocolate") };
        assert!(!checker.has_verified(user, elsewhere, &hash, now), "nobody guesses it there for nothing");
        checker.forget(UserKey(2));
        assert!(checker.has_verified(user, typed("chocolate"), &hash, now), "another user's was forgotten");
        checker.forget(user);
        assert!(!checker.has_verified(user, typed("chocolate"), &hash, now));
    }
}

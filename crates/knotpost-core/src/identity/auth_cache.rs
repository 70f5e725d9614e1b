//! Cache of users by name and by API key, so that a client that makes move after move is not looked up before each.
//! Entries may be out of date: callers check in their transaction that what they found still holds.
//!
//! Users with a confirmed address are cached as well. That holds for good: the last one cannot be given up.

use std::collections::{HashMap, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::identity::bearer::Bearer;
use knotpost_model::{Millis, UserKey};

/// How long an entry is good.
const MEMORY_MS: i64 = 60_000;
/// Entries of each kind: some three megabytes.
const MOST: usize = 10_000;

/// A user as a password proves them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Named {
    pub(crate) user: UserKey,
    /// The hash of their password.
    pub(crate) hash: String,
}

/// The users looked up last.
#[derive(Debug, Default)]
pub struct AuthCache {
    by_name: Mutex<HashMap<String, (Named, Millis)>>,
    by_key: Mutex<HashMap<String, (Bearer, Millis)>>,
    confirmed: Mutex<HashSet<UserKey>>,
}

impl AuthCache {
    /// The user of this name, in lower case.
    pub(crate) fn of_name(&self, name: &str, now: Millis) -> Option<Named> {
        find(&lock(&self.by_name), name, now)
    }

    pub(crate) fn of_key(&self, digest: &str, now: Millis) -> Option<Bearer> {
        find(&lock(&self.by_key), digest, now)
    }

    pub(crate) fn insert_name(&self, name: String, named: Named, now: Millis) {
        insert(&mut lock(&self.by_name), name, named, now);
    }

    pub(crate) fn insert_key(&self, digest: String, bearer: Bearer, now: Millis) {
        insert(&mut lock(&self.by_key), digest, bearer, now);
    }

    /// Whether the user is known to have a confirmed address.
    pub(crate) fn is_confirmed(&self, user: UserKey) -> bool {
        lock(&self.confirmed).contains(&user)
    }

    pub(crate) fn insert_confirmed(&self, user: UserKey) {
        let mut confirmed = lock(&self.confirmed);
        if confirmed.len() >= MOST {
            confirmed.clear();
        }
        confirmed.insert(user);
    }

    /// Drops the entries of a user.
    pub(crate) fn forget(&self, user: UserKey) {
        lock(&self.by_name).retain(|_, (named, _)| named.user != user);
        lock(&self.by_key).retain(|_, (bearer, _)| bearer.user != user);
        lock(&self.confirmed).remove(&user);
    }
}

fn lock<T>(map: &Mutex<T>) -> MutexGuard<'_, T> {
    map.lock().unwrap_or_else(PoisonError::into_inner)
}

fn find<V: Clone>(map: &HashMap<String, (V, Millis)>, key: &str, now: Millis) -> Option<V> {
    map.get(key).filter(|(_, at)| is_fresh(*at, now)).map(|(value, _)| value.clone())
}

fn insert<V>(map: &mut HashMap<String, (V, Millis)>, key: String, value: V, now: Millis) {
    if map.len() >= MOST {
        map.retain(|_, (_, at)| is_fresh(*at, now));
    }
    if map.len() < MOST {
        map.insert(key, (value, now));
    }
}

/// An entry from the future was made before the clock was put back.
fn is_fresh(at: Millis, now: Millis) -> bool {
    at.0 <= now.0 && now.since(at).0 < MEMORY_MS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(user: i64) -> Named {
        Named { user: UserKey(user), hash: format!("hash of {user}") }
    }

    #[test]
    fn an_entry_is_cached_for_a_minute() {
        let known = AuthCache::default();
        known.insert_name("ann".to_owned(), named(1), Millis(1_000));
        assert_eq!(known.of_name("ann", Millis(60_999)), Some(named(1)));
        assert_eq!(known.of_name("ann", Millis(61_000)), None);
        assert_eq!(known.of_name("ann", Millis(999)), None, "the clock was put back");
        assert_eq!(known.of_name("bob", Millis(1_000)), None);
    }

    #[test]
    fn who_is_forgotten_is_forgotten_by_name_and_key() {
        let known = AuthCache::default();
        let bearer = |user| Bearer {
            key: 7,
            user: UserKey(user),
            userid: "x".to_owned(),
            hash: String::new(),
            is_admin: false,
            scopes: Vec::new(),
            expires_at: Millis(9_000),
        };
        for user in [1, 2] {
            known.insert_name(format!("user {user}"), named(user), Millis(0));
            known.insert_key(format!("key {user}"), bearer(user), Millis(0));
        }
        known.forget(UserKey(1));
        assert!(known.of_name("user 1", Millis(0)).is_none() && known.of_key("key 1", Millis(0)).is_none());
        assert!(known.of_name("user 2", Millis(0)).is_some() && known.of_key("key 2", Millis(0)).is_some());
    }

    #[test]
    fn a_confirmed_user_is_cached() {
        let known = AuthCache::default();
        known.insert_confirmed(UserKey(1));
        assert!(known.is_confirmed(UserKey(1)) && !known.is_confirmed(UserKey(2)));
        for number in 2..=MOST as i64 + 1 {
            known.insert_confirmed(UserKey(number));
        }
        assert!(lock(&known.confirmed).len() <= MOST && known.is_confirmed(UserKey(MOST as i64 + 1)));
        known.forget(UserKey(MOST as i64 + 1));
        assert!(!known.is_confirmed(UserKey(MOST as i64 + 1)));
    }

    #[test]
    fn a_full_cache_takes_newer_entries_later() {
        let known = AuthCache::default();
        for number in 0..MOST + 5 {
            known.insert_name(number.to_string(), named(1), Millis(0));
        }
        assert_eq!(lock(&known.by_name).len(), MOST);
        known.insert_name("late".to_owned(), named(2), Millis(70_000));
        assert_eq!(lock(&known.by_name).len(), 1);
    }
}

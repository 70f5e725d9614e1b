//! How many connections there are, in all and from each host (or of each user).

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use knotpost_model::Host;

/// One in this many connections is reserved for hosts that are neither relays nor proxies.
const RESERVE: usize = 10;

/// Counts connections against the limits.
#[derive(Clone, Debug)]
pub struct Slots<K: Eq + Hash = Host> {
    counts: Arc<Mutex<Counts<K>>>,
    total: usize,
    per_host: usize,
    /// The most of relays and proxies.
    of_many: usize,
}

#[derive(Debug)]
struct Counts<K> {
    total: usize,
    of_many: usize,
    by_host: HashMap<K, usize>,
}

/// One connection counted, until dropped.
#[derive(Debug)]
pub struct Slot<K: Eq + Hash = Host> {
    slots: Slots<K>,
    host: Option<K>,
}

/// Which limit is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    /// That of all connections.
    Total,
    /// That of this host.
    Host,
}

impl<K: Copy + Eq + Hash> Slots<K> {
    /// At most `total` connections, and `per_host` from each host.
    pub fn new(total: usize, per_host: usize) -> Self {
        let counts = Counts { total: 0, of_many: 0, by_host: HashMap::new() };
        Self { counts: Arc::new(Mutex::new(counts)), total, per_host, of_many: total - total / RESERVE }
    }

    /// Counts one more connection. `None` for a host has no limit of its own: a proxy or a mail relay has the
    /// connections of many. All of them together leave a tenth of the places to others.
    ///
    /// # Errors
    /// When there are enough.
    pub fn take(&self, host: Option<K>) -> Result<Slot<K>, Full> {
        let mut counts = self.lock();
        if counts.total >= self.total {
            return Err(Full::Total);
        }
        match host {
            Some(host) => {
                let here = counts.by_host.get(&host).copied().unwrap_or_default();
                if here >= self.per_host {
                    return Err(Full::Host);
                }
                counts.by_host.insert(host, here + 1);
            }
            None if counts.of_many >= self.of_many => return Err(Full::Total),
            None => counts.of_many += 1,
        }
        counts.total += 1;
        drop(counts);
        Ok(Slot { slots: Self { counts: Arc::clone(&self.counts), ..*self }, host })
    }
}

impl<K: Eq + Hash> Slots<K> {
    fn lock(&self) -> MutexGuard<'_, Counts<K>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash> Drop for Slot<K> {
    fn drop(&mut self) {
        let mut counts = self.slots.lock();
        counts.total = counts.total.saturating_sub(1);
        let Some(host) = &self.host else {
            counts.of_many = counts.of_many.saturating_sub(1);
            return;
        };
        let left = counts.by_host.get(host).copied().unwrap_or_default().saturating_sub(1);
        if left == 0 {
            counts.by_host.remove(host);
        } else if let Some(count) = counts.by_host.get_mut(host) {
            *count = left;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[expect(clippy::unnecessary_wraps, reason = "what `take` is given")]
    fn host(address: &str) -> Option<Host> {
        Some(address.parse().unwrap())
    }

    #[test]
    fn slots_are_given_back() {
        let slots = Slots::new(3, 2);
        let far = host("192.0.2.1");
        let first = slots.take(far).unwrap();
        let second = slots.take(far).unwrap();
        assert_eq!(slots.take(far).unwrap_err(), Full::Host);
        let third = slots.take(host("2001:db8::1")).unwrap();
        assert_eq!(slots.take(host("2001:db8::2")).unwrap_err(), Full::Total);
        drop((first, second, third));
        assert!(slots.take(far).is_ok());
        assert_eq!(slots.lock().by_host.len(), 0, "nothing is remembered of those gone");
    }

    #[test]
    fn whoever_brings_many_is_limited_in_all_only_and_networks_count_as_one() {
        let slots = Slots::<Host>::new(2, 1);
        let _held = [slots.take(None).unwrap(), slots.take(None).unwrap()];
        assert_eq!(slots.take(None).unwrap_err(), Full::Total);
        let wide = Slots::new(9, 1);
        let _one = wide.take(host("2001:db8::1")).unwrap();
        assert!(wide.take(host("2001:db8::ffff")).is_err());
        let _four = wide.take(host("::ffff:192.0.2.1")).unwrap();
        assert!(wide.take(host("192.0.2.1")).is_err(), "a mapped address is its IPv4 address");
    }

    #[test]
    fn relays_and_proxies_leave_room_for_others() {
        let slots = Slots::new(20, 1);
        let held: Vec<_> = (0..18).map(|_| slots.take(None).unwrap()).collect();
        assert_eq!(slots.take(None).unwrap_err(), Full::Total);
        let other = slots.take(host("192.0.2.1")).unwrap();
        drop(held);
        assert!(slots.take(None).is_ok());
        drop(other);
        let counts = slots.lock();
        assert_eq!((counts.total, counts.of_many), (0, 0));
    }
}

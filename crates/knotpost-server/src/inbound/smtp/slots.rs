//! How many connections there are, in all, from each host and from relays.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::domain::{Host, Networks};

/// One in so many connections is kept from relays, for others.
const RESERVE: usize = 10;

/// As whom a connection counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Client {
    /// A mail server that brings the mail of many.
    Relay,
    /// Anybody else.
    Host(Host),
}

impl Client {
    /// Unix sockets have no address: the operator decides who may connect there.
    pub(super) fn of(peer: Option<IpAddr>, relays: &Networks) -> Self {
        match peer {
            Some(peer) if !relays.contain(peer) => Self::Host(Host::of(peer)),
            _ => Self::Relay,
        }
    }
}

/// Counts connections against the limits.
#[derive(Clone)]
pub(super) struct Slots {
    counts: Arc<Mutex<Counts>>,
    total: usize,
    per_host: usize,
    for_relays: usize,
}

#[derive(Default)]
struct Counts {
    total: usize,
    relays: usize,
    by_host: HashMap<Host, usize>,
}

/// One connection counted, until dropped.
pub(super) struct Slot {
    slots: Slots,
    client: Client,
}

impl Slots {
    pub(super) fn new(total: usize, per_host: usize) -> Self {
        Self { counts: Arc::default(), total, per_host, for_relays: total - total / RESERVE }
    }

    /// Counts one more connection; `None` when there are enough.
    pub(super) fn take(&self, client: Client) -> Option<Slot> {
        let mut counts = self.lock();
        if counts.total >= self.total {
            return None;
        }
        match client {
            Client::Relay if counts.relays >= self.for_relays => return None,
            Client::Relay => counts.relays += 1,
            Client::Host(host) => {
                let here = counts.by_host.entry(host).or_default();
                if *here >= self.per_host {
                    return None;
                }
                *here += 1;
            }
        }
        counts.total += 1;
        drop(counts);
        Some(Slot { slots: self.clone(), client })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut counts = self.slots.lock();
        counts.total = counts.total.saturating_sub(1);
        match self.client {
            Client::Relay => counts.relays = counts.relays.saturating_sub(1),
            Client::Host(host) => {
                let left = counts.by_host.get(&host).copied().unwrap_or_default().saturating_sub(1);
                if left == 0 {
                    counts.by_host.remove(&host);
                } else {
                    counts.by_host.insert(host, left);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn client(address: &str) -> Client {
        let relays = Networks::try_from(vec!["10.0.0.0/8".to_owned()]).unwrap();
        Client::of(Some(address.parse().unwrap()), &relays)
    }

    #[test]
    fn slots_are_given_back() {
        let slots = Slots::new(3, 2);
        let first = slots.take(client("192.0.2.1")).unwrap();
        let second = slots.take(client("::ffff:192.0.2.1")).unwrap();
        assert!(slots.take(client("192.0.2.1")).is_none(), "enough from there");
        let third = slots.take(client("2001:db8::1")).unwrap();
        assert!(slots.take(client("2001:db8:1::1")).is_none(), "enough in all");
        drop((first, second, third));
        assert!(slots.take(client("192.0.2.1")).is_some());
        assert_eq!(slots.lock().by_host.len(), 0, "nothing is remembered of those gone");
    }

    #[test]
    fn loopback_is_a_host_like_any_other_and_networks_count_as_one() {
        let slots = Slots::new(9, 1);
        let _held = (slots.take(client("127.0.0.1")).unwrap(), slots.take(client("2001:db8::1")).unwrap());
        assert!(slots.take(client("127.0.0.1")).is_none());
        assert!(slots.take(client("::ffff:127.0.0.1")).is_none());
        assert!(slots.take(client("2001:db8::ffff")).is_none());
    }

    #[test]
    fn relays_have_no_limit_of_their_own_and_leave_room_for_others() {
        assert_eq!(Client::of(None, &Networks::default()), Client::Relay, "a Unix socket");
        let slots = Slots::new(20, 1);
        let held: Vec<_> = (0..18).map(|_| slots.take(client("10.1.1.1")).unwrap()).collect();
        assert!(slots.take(client("10.2.2.2")).is_none());
        let other = slots.take(client("192.0.2.1")).unwrap();
        drop(held);
        assert!(slots.take(client("10.2.2.2")).is_some());
        drop(other);
        let counts = slots.lock();
        assert_eq!((counts.total, counts.relays), (0, 0));
    }
}

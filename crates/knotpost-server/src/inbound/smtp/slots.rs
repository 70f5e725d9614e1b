//! How many connections there are, in all and from each address.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Counts connections against two limits.
#[derive(Clone)]
pub(super) struct Slots {
    counts: Arc<Mutex<Counts>>,
    total: usize,
    per_address: usize,
}

#[derive(Default)]
struct Counts {
    total: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// One connection counted, until dropped.
pub(super) struct Slot {
    slots: Slots,
    peer: IpAddr,
}

impl Slots {
    pub(super) fn new(total: usize, per_address: usize) -> Self {
        Self { counts: Arc::default(), total, per_address }
    }

    /// Counts one more connection; `None` when there are enough.
    ///
    /// IPv6 addresses count by their /64, which is what one customer has. Loopback has no limit of its own: behind a
    /// mail server or a proxy everybody comes from there.
    pub(super) fn take(&self, peer: IpAddr) -> Option<Slot> {
        let peer = network(peer);
        let mut counts = self.lock();
        let here = counts.by_address.get(&peer).copied().unwrap_or_default();
        if counts.total >= self.total || (here >= self.per_address && !peer.is_loopback()) {
            return None;
        }
        counts.total += 1;
        counts.by_address.insert(peer, here + 1);
        drop(counts);
        Some(Slot { slots: self.clone(), peer })
    }

    fn lock(&self) -> MutexGuard<'_, Counts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        let mut counts = self.slots.lock();
        counts.total = counts.total.saturating_sub(1);
        let left = counts.by_address.get(&self.peer).copied().unwrap_or_default().saturating_sub(1);
        if left == 0 {
            counts.by_address.remove(&self.peer);
        } else {
            counts.by_address.insert(self.peer, left);
        }
    }
}

fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V6(six) if !six.is_loopback() => IpAddr::from((u128::from(six) >> 64 << 64).to_be_bytes()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn slots_are_given_back() {
        let slots = Slots::new(3, 2);
        let far: IpAddr = "192.0.2.1".parse().unwrap();
        let first = slots.take(far).unwrap();
        let second = slots.take(far).unwrap();
        assert!(slots.take(far).is_none(), "enough from there");
        let third = slots.take("2001:db8::1".parse().unwrap()).unwrap();
        assert!(slots.take("2001:db8::2".parse().unwrap()).is_none(), "enough in all");
        drop((first, second, third));
        assert!(slots.take(far).is_some());
        assert_eq!(slots.lock().by_address.len(), 0, "nothing is remembered of those gone");
    }

    #[test]
    fn loopback_is_limited_in_all_only_and_networks_count_as_one() {
        let slots = Slots::new(3, 1);
        let local: IpAddr = "127.0.0.1".parse().unwrap();
        let _held = [slots.take(local).unwrap(), slots.take(local).unwrap()];
        let _six = slots.take("2001:db8::1".parse().unwrap()).unwrap();
        let wide = Slots::new(9, 1);
        let _one = wide.take("2001:db8::1".parse().unwrap()).unwrap();
        assert!(wide.take("2001:db8::ffff".parse().unwrap()).is_none());
    }
}

//! Places of connections, in all and per client, and the choice of a connection to close for a newcomer.
//!
//! A connection is silent before its request and after its answer; an event stream is an answer without end.
//! Streams take at most half of the places. When full, a silent connection or a stream is closed, first of
//! the client closest to its limit; the last places are for monitoring and for clients without a connection.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ipnet::IpNet;
use tokio_util::sync::CancellationToken;

use knotpost_model::{UserKey, networks_of};

/// Places reserved for monitoring and clients without a connection; a tenth of a small total.
const RESERVE: usize = 20;
/// Streams per host (an IPv4 address, a /64 of IPv6).
const STREAMS_OF_HOST: usize = 16;
const STREAMS_OF_ACCOUNT: usize = 3;

/// Clones share their counts.
#[derive(Clone, Debug)]
pub struct Places {
    held: Arc<Mutex<Held>>,
    most: usize,
    of_host: usize,
}

/// Released when dropped.
#[derive(Debug)]
pub struct Place {
    places: Places,
    id: u64,
    closed: CancellationToken,
}

#[derive(Debug)]
pub struct Request(Arc<Place>);

#[derive(Debug)]
pub struct Stream(Arc<Place>);

#[derive(Clone, Copy, Debug)]
pub enum Holder {
    Network(IpAddr),
    /// The program of this account, from any address.
    Account(UserKey),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Full {
    Total,
    /// That of the client, its network or the account.
    Client,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    Connections(IpNet),
    Streams(IpNet),
    Account(UserKey),
}

type Share = (Key, usize);

#[derive(Debug, Default)]
struct Held {
    next: u64,
    connections: HashMap<u64, Connection>,
    streams: usize,
    counts: HashMap<Key, usize>,
}

#[derive(Debug)]
struct Connection {
    /// Counters of the client while it is known: behind a proxy only during a request.
    shares: Vec<Share>,
    /// True for a proxy or relay, which connects for many.
    is_of_many: bool,
    stream: Option<Vec<Share>>,
    requests: usize,
    /// Sequence number of the latest change, to find the oldest.
    since: u64,
    is_reserved: bool,
    closed: CancellationToken,
}

impl Places {
    /// At most `most` connections, and `of_host` per host.
    pub fn new(most: usize, of_host: usize) -> Self {
        Self { held: Arc::default(), most, of_host }
    }

    /// Takes a place. `client` is `None` for a proxy or relay, which has no limit of its own. Fails if the
    /// limit is reached and nothing can be closed.
    pub fn open(&self, client: Option<IpAddr>) -> Result<Arc<Place>, Full> {
        let shares = client.map(|client| self.shares(client)).unwrap_or_default();
        let mut held = self.lock();
        held.fit(&shares)?;
        if held.connections.len() >= self.most - self.reserve() {
            held.close_for_connection();
        }
        let is_reserved = held.connections.len() >= self.most - self.reserve();
        if held.connections.len() >= self.most {
            return Err(Full::Total);
        }
        held.count(&shares);
        let (id, closed) = (held.tick(), CancellationToken::new());
        let connection = Connection {
            shares,
            is_of_many: client.is_none(),
            stream: None,
            requests: 0,
            since: id,
            is_reserved,
            closed: closed.clone(),
        };
        held.connections.insert(id, connection);
        drop(held);
        Ok(Arc::new(Place { places: self.clone(), id, closed }))
    }

    fn reserve(&self) -> usize {
        RESERVE.min(self.most / 10)
    }

    fn shares(&self, client: IpAddr) -> Vec<Share> {
        let networks = networks_of(client).into_iter();
        networks.map(|(net, hosts)| (Key::Connections(net), self.of_host.saturating_mul(hosts))).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Place {
    /// Resolves when the connection is to be closed for another one.
    pub async fn closed(&self) {
        self.closed.cancelled().await;
    }

    /// Begins a request, behind a proxy for this client. Monitoring is never refused.
    pub fn begin(self: &Arc<Self>, client: Option<IpAddr>, is_monitoring: bool) -> Result<Request, Full> {
        let mut held = self.places.lock();
        let Some(connection) = held.connections.get(&self.id) else { return Err(Full::Total) };
        let is_unnamed = connection.is_of_many && connection.shares.is_empty();
        if connection.is_reserved && !is_monitoring {
            let has_room = held.connections.len() + self.places.reserve() <= self.places.most;
            let is_first = client.is_some_and(|client| {
                let networks = self.places.shares(client);
                let widest = networks.last().map_or(0, |(key, _)| held.count_of(*key));
                widest <= usize::from(!is_unnamed)
            });
            let reserved = held.connections.values().filter(|other| other.is_reserved && other.requests > 0);
            if !has_room && (!is_first || reserved.count() >= self.places.reserve() / 2) {
                return Err(Full::Total);
            }
        }
        let shares =
            client.filter(|_| is_unnamed).map(|client| self.places.shares(client)).unwrap_or_default();
        if !is_monitoring {
            held.fit(&shares)?;
        }
        held.count(&shares);
        if let Some(connection) = held.connections.get_mut(&self.id) {
            connection.shares.extend(shares);
            connection.requests += 1;
        }
        Ok(Request(Arc::clone(self)))
    }

    /// Turns the answer into an event stream, within the follower's limit.
    pub fn stream(self: &Arc<Self>, holder: Holder) -> Result<Stream, Full> {
        let shares: Vec<Share> = match holder {
            Holder::Network(address) => networks_of(address)
                .into_iter()
                .map(|(net, hosts)| (Key::Streams(net), STREAMS_OF_HOST * hosts))
                .collect(),
            Holder::Account(user) => vec![(Key::Account(user), STREAMS_OF_ACCOUNT)],
        };
        let mut held = self.places.lock();
        held.fit(&shares)?;
        if held.streams >= (self.places.most / 2).max(1) {
            held.close_first(|connection| connection.stream.is_some().then_some(0));
        }
        let since = held.tick();
        let Some(connection) = held.connections.get_mut(&self.id).filter(|own| own.stream.is_none()) else {
            return Err(Full::Total);
        };
        (connection.stream, connection.since) = (Some(shares.clone()), since);
        held.count(&shares);
        held.streams += 1;
        drop(held);
        Ok(Stream(Arc::clone(self)))
    }
}

impl Held {
    fn tick(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    fn count_of(&self, key: Key) -> usize {
        self.counts.get(&key).copied().unwrap_or_default()
    }

    fn fit(&self, shares: &[Share]) -> Result<(), Full> {
        let has_room = shares.iter().all(|(key, most)| self.count_of(*key) < *most);
        has_room.then_some(()).ok_or(Full::Client)
    }

    fn count(&mut self, shares: &[Share]) {
        for (key, _) in shares {
            *self.counts.entry(*key).or_default() += 1;
        }
    }

    fn give_back(&mut self, shares: &[Share]) {
        for (key, _) in shares {
            let left = self.count_of(*key).saturating_sub(1);
            if left == 0 {
                self.counts.remove(key);
            } else {
                self.counts.insert(*key, left);
            }
        }
    }

    /// Highest use of these counters, in thousandths of their limits.
    fn used(&self, shares: &[Share]) -> usize {
        shares.iter().map(|(key, most)| self.count_of(*key) * 1000 / (*most).max(1)).max().unwrap_or_default()
    }

    /// Closes a silent connection, else a stream, else a silent one of a proxy.
    fn close_for_connection(&mut self) {
        self.close_first(|connection| match connection {
            Connection { stream: Some(_), .. } => Some(1),
            Connection { requests: 1.., .. } => None,
            Connection { is_of_many: true, .. } => Some(0),
            Connection { .. } => Some(2),
        });
    }

    /// Closes the oldest connection of the busiest client among those of highest rank. Rank `None` is spared.
    fn close_first(&mut self, rank: impl Fn(&Connection) -> Option<u8>) {
        let ranked = self.connections.iter().filter_map(|(id, connection)| {
            let used = self.used(connection.stream.as_ref().unwrap_or(&connection.shares));
            Some((rank(connection)?, used, Reverse(connection.since), *id))
        });
        let Some((.., id)) = ranked.max() else { return };
        if let Some(connection) = self.remove(id) {
            let kind = if connection.stream.is_some() { "stream" } else { "silent" };
            ::metrics::counter!("knotpost_http_connections_closed_total", "kind" => kind).increment(1);
            connection.closed.cancel();
        }
    }

    fn remove(&mut self, id: u64) -> Option<Connection> {
        let connection = self.connections.remove(&id)?;
        self.give_back(&connection.shares);
        if let Some(stream) = &connection.stream {
            self.give_back(stream);
            self.streams -= 1;
        }
        Some(connection)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.lock().remove(self.id);
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        let mut held = self.0.places.lock();
        let since = held.tick();
        let Some(connection) = held.connections.get_mut(&self.0.id) else { return };
        (connection.requests, connection.since) = (connection.requests.saturating_sub(1), since);
        if connection.is_of_many && connection.requests == 0 {
            let shares = std::mem::take(&mut connection.shares);
            held.give_back(&shares);
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        let mut held = self.0.places.lock();
        let stream = held.connections.get_mut(&self.0.id).and_then(|connection| connection.stream.take());
        if let Some(stream) = stream {
            held.give_back(&stream);
            held.streams -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn open(places: &Places, client: &str) -> Result<Arc<Place>, Full> {
        places.open(Some(address(client)))
    }

    fn follow(
        places: &Places,
        count: u16,
        of: impl Fn(u16) -> String,
    ) -> Vec<Result<(Arc<Place>, Stream), Full>> {
        let follow = |number| {
            let place = places.open(None)?;
            let stream = place.stream(Holder::Network(address(&of(number))))?;
            Ok((place, stream))
        };
        (0..count).map(follow).collect()
    }

    #[test]
    fn places_are_given_back() {
        let places = Places::new(9, 2);
        let (first, second) =
            (open(&places, "192.0.2.1").unwrap(), open(&places, "::ffff:192.0.2.1").unwrap());
        assert_eq!(open(&places, "192.0.2.1").unwrap_err(), Full::Client);
        let request = first.begin(Some(address("192.0.2.1")), false).unwrap();
        let stream = first.stream(Holder::Account(UserKey(1))).unwrap();
        drop((request, stream, first, second));
        let proxied = places.open(None).unwrap();
        drop(proxied.begin(Some(address("192.0.2.1")), false).unwrap());
        drop(proxied);
        assert!(open(&places, "192.0.2.1").is_ok());
        let held = places.lock();
        assert!(held.counts.is_empty() && held.connections.is_empty() && held.streams == 0);
    }

    #[test]
    fn streams_are_counted_by_host_and_by_the_networks_around_it() {
        type Row = (&'static str, fn(u16) -> String, usize);
        let table: [Row; 5] = [
            ("an IPv4 address", |_| "192.0.2.1".to_owned(), 16),
            (
                "a mapped one",
                |number| if number % 2 == 0 { "192.0.2.1" } else { "::ffff:192.0.2.1" }.to_owned(),
                16,
            ),
            ("a /64", |number| format!("2001:db8::{number:x}"), 16),
            ("a /56", |number| format!("2001:db8:0:{:x}::1", number % 256), 64),
            ("a /48", |number| format!("2001:db8:0:{number:x}::1"), 256),
        ];
        for (whose, of, most) in table {
            let places = Places::new(1000, 200);
            let held = follow(&places, 600, |number| of(if most == 256 { number * 64 } else { number }));
            assert_eq!(held.iter().filter(|one| one.is_ok()).count(), most, "{whose}");
            assert!(held.iter().all(|one| !matches!(one, Err(Full::Total))), "{whose}");
        }
    }

    #[test]
    fn streams_take_half_and_the_oldest_of_whoever_has_most_gives_way() {
        let places = Places::new(100, 200);
        let many = follow(&places, 16, |_| "192.0.2.1".to_owned());
        let few = follow(&places, 34, |number| format!("198.51.100.{number}"));
        let late = follow(&places, 10, |number| format!("203.0.113.{number}"));
        assert!(late.iter().all(Result::is_ok));
        assert_eq!(places.lock().streams, 50);
        let is_closed =
            |one: &Result<(Arc<Place>, Stream), Full>| one.as_ref().unwrap().0.closed.is_cancelled();
        assert!(many[..10].iter().all(is_closed) && !many[10..].iter().any(is_closed));
        assert!(!few.iter().any(is_closed));
    }

    #[test]
    fn a_newcomer_finds_a_place_whatever_others_hold() {
        let places = Places::new(100, 10);
        let silent: Vec<_> =
            (0..200).map(|number| open(&places, &format!("192.0.2.{}", number % 20))).collect();
        assert!(silent.iter().all(Result::is_ok));
        let held = places.lock().connections.len();
        assert_eq!(held, 90, "the last tenth is kept");
        let busy: Vec<_> =
            silent.iter().flatten().filter_map(|place| place.begin(None, false).ok()).collect();
        assert_eq!(busy.len(), 90);
        let known = open(&places, "192.0.2.1").unwrap();
        assert_eq!(known.begin(Some(address("192.0.2.1")), false).unwrap_err(), Full::Total);
        assert!(known.begin(Some(address("192.0.2.1")), true).is_ok(), "monitoring is answered");
        let new = open(&places, "198.51.100.1").unwrap();
        assert!(new.begin(Some(address("198.51.100.1")), false).is_ok());
        let proxied = places.open(None).unwrap();
        assert_eq!(proxied.begin(Some(address("192.0.2.1")), false).unwrap_err(), Full::Total);
        assert!(proxied.begin(Some(address("203.0.113.1")), false).is_ok());
    }
}

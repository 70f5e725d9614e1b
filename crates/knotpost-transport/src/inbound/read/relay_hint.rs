//! Detects an unlisted mail server that relays for this one, so that all its clients count as one host.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use crate::inbound::Message;
use crate::inbound::intake::Envelope;
use knotpost_model::{Host, Networks};

/// Mails in a row from it before it is reported.
const MAILS: u32 = 100;
const CLIENTS: usize = 3;

#[derive(Debug, Default)]
pub(in crate::inbound) struct RelayHint(Mutex<Seen>);

#[derive(Debug, Default)]
struct Seen {
    peer: Option<IpAddr>,
    mails: u32,
    clients: BTreeSet<Host>,
    is_reported: bool,
}

impl RelayHint {
    /// Returns the address of an unlisted relay, once.
    pub(in crate::inbound) fn note(
        &self,
        relays: &Networks,
        envelope: &Envelope,
        message: &Message,
    ) -> Option<IpAddr> {
        let peer = envelope.peer?.to_canonical();
        let mut seen = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.is_reported || relays.contain(peer) {
            return None;
        }
        if seen.peer != Some(peer) {
            *seen = Seen { peer: Some(peer), ..Seen::default() };
        }
        seen.mails = seen.mails.saturating_add(1);
        if let Some(Some(client)) = message.received_from.first()
            && seen.clients.len() < CLIENTS
        {
            seen.clients.insert(Host::of(*client));
        }
        seen.is_reported = is_near(peer) && seen.mails >= MAILS && seen.clients.len() >= CLIENTS;
        seen.is_reported.then_some(peer)
    }
}

/// True for this machine and private networks.
fn is_near(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => four.is_loopback() || four.is_private() || four.is_link_local(),
        IpAddr::V6(six) => six.is_loopback() || six.is_unique_local() || six.is_unicast_link_local(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use knotpost_core::intake::Way;

    fn told(relays: &[&str], peer: &str, clients: u8, mails: u32) -> u32 {
        let relays: Vec<String> = relays.iter().map(|word| (*word).to_owned()).collect();
        let relays = Networks::try_from(relays).expect("networks");
        let (hint, mut told) = (RelayHint::default(), 0);
        let peer = peer.parse().expect("an address");
        let envelope = Envelope {
            way: Way::Smtp,
            peer: Some(peer),
            helo: None,
            mail_from: None,
            recipients: Vec::new(),
        };
        for number in 0..mails {
            let client = IpAddr::from([192, 0, 2, u8::try_from(number % u32::from(clients)).unwrap_or(0)]);
            let message = Message { received_from: vec![Some(client)], ..Message::default() };
            told += u32::from(hint.note(&relays, &envelope, &message) == Some(peer));
        }
        told
    }

    #[test]
    fn a_relay_that_is_not_listed_is_told_of_once() {
        assert_eq!(told(&[], "127.0.0.1", 5, 500), 1);
        assert_eq!(told(&["10.9.9.9"], "10.1.1.1", 3, 100), 1);
    }

    #[test]
    fn others_are_not_taken_for_relays() {
        assert_eq!(told(&["127.0.0.1"], "127.0.0.1", 5, 500), 0, "it is listed");
        assert_eq!(told(&[], "198.51.100.1", 5, 500), 0, "a mail server of somebody else");
        assert_eq!(told(&[], "127.0.0.1", 1, 500), 0, "one client");
        assert_eq!(told(&[], "127.0.0.1", 5, 99), 0, "too early to say");
    }
}

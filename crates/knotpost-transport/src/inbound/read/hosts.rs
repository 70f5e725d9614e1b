//! The host that a mail counts for: the one that connected, or behind a listed relay the relay's client.

use std::net::IpAddr;

use crate::inbound::Message;
use crate::inbound::intake::Envelope;
use knotpost_core::intake::Way;
use knotpost_model::{Host, Networks};

/// Finds the host that gave a mail to this server, or to the first of the relays it came through.
///
/// In a mail only the `Received` fields of relays are trusted, from the top. Listeners that only a configured mail
/// server uses (`deliver`, a Unix socket, a watched folder, `POST /inbound`) count as relays.
pub(in crate::inbound) fn connecting_host(
    relays: &Networks,
    envelope: &Envelope,
    message: &Message,
) -> Option<Host> {
    client(relays, envelope, message).address().map(Host::of)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::inbound) enum Client {
    Direct(IpAddr),
    Relayed(IpAddr),
    Unknown,
}

impl Client {
    fn address(self) -> Option<IpAddr> {
        match self {
            Self::Direct(address) | Self::Relayed(address) => Some(address),
            Self::Unknown => None,
        }
    }
}

/// Client of this server, or of the first of the relays that the mail came through.
pub(in crate::inbound) fn client(relays: &Networks, envelope: &Envelope, message: &Message) -> Client {
    let peer = match envelope.way {
        Way::Smtp | Way::Lmtp => envelope.peer,
        Way::Pipe | Way::Http | Way::Maildir => None,
    };
    let is_relay = |address: IpAddr| relays.contain(address);
    if let Some(peer) = peer.filter(|peer| !is_relay(*peer)) {
        return Client::Direct(peer);
    }
    for hop in &message.received_from {
        match hop {
            Some(client) if is_relay(*client) => {}
            client => return client.map_or(Client::Unknown, Client::Relayed),
        }
    }
    Client::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(way: Way, peer: Option<&str>, received: &[Option<&str>]) -> Option<String> {
        let relays = Networks::try_from(vec!["127.0.0.1".to_owned(), "10.0.0.0/8".to_owned()]);
        let address = |text: &str| text.parse::<IpAddr>().expect("an address");
        let envelope =
            Envelope { way, peer: peer.map(address), helo: None, mail_from: None, recipients: Vec::new() };
        let received_from = received.iter().map(|hop| hop.map(address)).collect();
        let message = Message { received_from, ..Message::default() };
        connecting_host(&relays.expect("networks"), &envelope, &message).map(|host| host.to_string())
    }

    #[test]
    fn whoever_connects_counts_unless_it_is_a_relay() {
        let forged = [Some("192.0.2.7")];
        assert_eq!(host(Way::Smtp, Some("198.51.100.1"), &forged).as_deref(), Some("198.51.100.1"));
        assert_eq!(host(Way::Lmtp, Some("127.0.0.2"), &forged).as_deref(), Some("127.0.0.2"));
        assert_eq!(host(Way::Smtp, Some("::ffff:127.0.0.1"), &forged).as_deref(), Some("192.0.2.7"));
    }

    #[test]
    fn behind_relays_the_topmost_foreign_client_counts() {
        let hops = [Some("10.1.1.1"), Some("192.0.2.7"), Some("198.51.100.9")];
        assert_eq!(host(Way::Smtp, Some("127.0.0.1"), &hops).as_deref(), Some("192.0.2.7"));
        for way in [Way::Pipe, Way::Http, Way::Maildir] {
            assert_eq!(host(way, None, &hops).as_deref(), Some("192.0.2.7"), "{way:?}");
        }
        assert_eq!(host(Way::Lmtp, None, &hops).as_deref(), Some("192.0.2.7"));
    }

    #[test]
    fn what_no_relay_tells_is_not_guessed() {
        assert_eq!(host(Way::Smtp, Some("127.0.0.1"), &[]), None);
        assert_eq!(host(Way::Smtp, Some("127.0.0.1"), &[None, Some("192.0.2.7")]), None, "sent on the relay");
        assert_eq!(host(Way::Pipe, None, &[Some("127.0.0.1")]), None);
    }
}

//! Recipients of a message without an envelope: from a pipe, a folder or a webhook.

use crate::inbound::parse::Message;
use knotpost_model::OwnAddresses;

/// Finds our own addresses in the message, delivery headers first. A message without any (a blind copy, for instance)
/// is for the server's plain address.
pub fn addressed(message: &Message, own: &OwnAddresses) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for address in message.delivered_to.iter().chain(&message.to) {
        if own.is_own(address) && !found.iter().any(|known| known.eq_ignore_ascii_case(address)) {
            found.push(address.clone());
        }
    }
    if found.is_empty() {
        found.push(own.plain());
    }
    found
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::inbound::parse;

    #[test]
    fn our_addresses_are_found_wherever_they_stand() {
        let own = OwnAddresses::new("games@example.org").unwrap();
        let of = |head: &str| addressed(&parse(format!("From: a@b.c\n{head}\n").as_bytes()).unwrap(), &own);
        assert_eq!(of("To: Games <GAMES@example.org>, fred@x.y\n"), ["GAMES@example.org"]);
        assert_eq!(of("Cc: games+r.x2y@example.org\nTo: fred@x.y\n"), ["games+r.x2y@example.org"]);
        for field in ["Delivered-To", "X-Original-To", "Envelope-To"] {
            assert_eq!(
                of(&format!("{field}: <games+r.x2y@example.org>\nTo: games@example.org\n")),
                ["games+r.x2y@example.org", "games@example.org"],
            );
        }
        assert_eq!(of("Delivered-To: games@example.org\nTo: games@Example.org\n"), ["games@example.org"]);
        assert_eq!(of("To: undisclosed-recipients:;\n"), ["games@example.org"]);
        assert_eq!(of("To: postmaster@example.org\n"), ["postmaster@example.org"]);
    }
}

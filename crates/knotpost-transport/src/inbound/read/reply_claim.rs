//! Reply addresses and answered mails, which may let a sender act without a password; the services verify them.

use crate::inbound::Message;
use knotpost_core::mailing::Claim;
use knotpost_model::{OwnAddresses, Recipient};

const MAX_TOKENS: usize = 10;
const MAX_PARENTS: usize = 5;

/// Lists the nearest of the answered mails first. Addresses in To and Cc count too: an alias or a mailbox on the way
/// drops the tag from the envelope.
pub fn read_reply_claim(own: &OwnAddresses, message: &Message, recipients: &[String]) -> Claim {
    let mut claim = Claim::default();
    for address in recipients.iter().chain(&message.to) {
        if let Some(Recipient::Reply(token)) = own.recipient(address)
            && claim.tokens.len() < MAX_TOKENS
            && !claim.tokens.contains(&token)
        {
            claim.tokens.push(token);
        }
    }
    for id in message.in_reply_to.iter().chain(message.references.iter().rev()) {
        if own.is_own_message_id(id) && claim.parents.len() < MAX_PARENTS && !claim.parents.contains(id) {
            claim.parents.push(id.clone());
        }
    }
    claim
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn own() -> OwnAddresses {
        OwnAddresses::new("games@knotpost.example").unwrap()
    }

    fn words(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    #[test]
    fn a_token_is_found_in_the_envelope_or_in_the_headers_once() {
        let message = Message {
            to: words(&["Games+R.ABC@Knotpost.example", "bob@bob.example", "games+r.def@knotpost.example"]),
            ..Message::default()
        };
        let claim = read_reply_claim(
            &own(),
            &message,
            &words(&["games@knotpost.example", "games+r.abc@knotpost.example"]),
        );
        assert_eq!(claim.tokens, ["abc", "def"]);
    }

    #[test]
    fn only_ids_of_ours_count_and_the_nearest_comes_first() {
        let message = Message {
            in_reply_to: words(&["knotpost.3@knotpost.example"]),
            references: words(&[
                "knotpost.1@knotpost.example",
                "x@elsewhere.example",
                "knotpost.2@evil.example",
                "knotpost.3@knotpost.example",
            ]),
            ..Message::default()
        };
        let claim = read_reply_claim(&own(), &message, &words(&["games@knotpost.example"]));
        assert!(claim.tokens.is_empty());
        assert_eq!(claim.parents, ["knotpost.3@knotpost.example", "knotpost.1@knotpost.example"]);
    }

    #[test]
    fn a_mail_with_many_addresses_costs_no_more_than_ten_looks() {
        let many: Vec<String> = (0..500).map(|n| format!("games+r.a{n}@knotpost.example")).collect();
        assert_eq!(read_reply_claim(&own(), &Message::default(), &many).tokens.len(), MAX_TOKENS);
    }
}

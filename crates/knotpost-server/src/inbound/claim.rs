//! Why the sender of a mail may act without a password, as far as the mail itself says.
//!
//! Knows where a mail names a reply address or a mail of ours; what that entitles to is judged by the services.

use super::Message;
use crate::domain::{OwnAddresses, Recipient};
use crate::service::Claim;

/// So many reply addresses of a mail are looked at.
const MOST_TOKENS: usize = 10;
/// So many of the mails that a mail answers are looked up.
const MOST_PARENTS: usize = 5;

/// The reply addresses a mail went to, and the mails of ours that it answers, the nearest first.
///
/// The addresses in To and Cc count too: on its way through an alias or a mailbox the envelope loses the tag, and
/// whoever knows a token may use it wherever he writes it.
pub fn read_claim(own: &OwnAddresses, message: &Message, recipients: &[String]) -> Claim {
    let mut claim = Claim::default();
    for address in recipients.iter().chain(&message.to) {
        if let Some(Recipient::Reply(token)) = own.recipient(address)
            && claim.tokens.len() < MOST_TOKENS
            && !claim.tokens.contains(&token)
        {
            claim.tokens.push(token);
        }
    }
    for id in message.in_reply_to.iter().chain(message.references.iter().rev()) {
        if own.is_own_message_id(id) && claim.parents.len() < MOST_PARENTS && !claim.parents.contains(id) {
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
        let claim =
            read_claim(&own(), &message, &words(&["games@knotpost.example", "games+r.abc@knotpost.example"]));
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
        let claim = read_claim(&own(), &message, &words(&["games@knotpost.example"]));
        assert!(claim.tokens.is_empty());
        assert_eq!(claim.parents, ["knotpost.3@knotpost.example", "knotpost.1@knotpost.example"]);
    }

    #[test]
    fn a_mail_with_many_addresses_costs_no_more_than_ten_looks() {
        let many: Vec<String> = (0..500).map(|n| format!("games+r.a{n}@knotpost.example")).collect();
        assert_eq!(read_claim(&own(), &Message::default(), &many).tokens.len(), MOST_TOKENS);
    }
}

//! The server's own addresses, as recipients and as generated.
//!
//! Knows their shape (`local`, `local+tag`, `local+r.token`, `local+b.id.sig`, `postmaster`), not the meaning
//! of tokens and signatures.

use super::address::{Address, AddressError, MAX_LOCAL, ascii_domain};

const ID_MARK: &str = "knotpost.";
/// Required on every mail server (RFC 5321, section 4.5.1).
const POSTMASTER: &str = "postmaster";
/// Required on every sending domain (RFC 2142, section 4).
const ABUSE: &str = "abuse";
const MASKED: &str = "********";

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// The server's address, with or without an unknown tag.
    Plain,
    /// A reply address; the token is in lower case and unverified.
    Reply(String),
    /// A return path; both parts are in lower case and unverified.
    Bounce {
        id: String,
        sig: String,
    },
    Postmaster,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnAddresses {
    local: String,
    domain: String,
}

impl OwnAddresses {
    /// `address` is the server's plain address, such as `knotpost@example.org`.
    pub fn new(address: &str) -> Result<Self, AddressError> {
        let address: Address = address.parse()?;
        Ok(Self { local: address.local().to_lowercase(), domain: address.domain().to_owned() })
    }

    pub fn domain(&self) -> &str {
        &self.domain
    }

    pub fn plain(&self) -> String {
        format!("{}@{}", self.local, self.domain)
    }

    pub fn reply(&self, token: &str) -> String {
        format!("{}+r.{token}@{}", self.local, self.domain)
    }

    pub fn bounce(&self, id: &str, sig: &str) -> String {
        format!("{}+b.{id}.{sig}@{}", self.local, self.domain)
    }

    /// Classifies one of our addresses, in any case; a bare `postmaster` is ours (RFC 5321, section 4.5.1).
    pub fn recipient(&self, address: &str) -> Option<Recipient> {
        let address = address.trim().to_lowercase();
        let Some((local, domain)) = address.rsplit_once('@') else {
            return (address == POSTMASTER).then_some(Recipient::Postmaster);
        };
        if !self.is_own_domain(domain) || local.len() > MAX_LOCAL {
            return None;
        }
        if local == POSTMASTER || local == ABUSE {
            return Some(Recipient::Postmaster);
        }
        let tag = local.strip_prefix(&self.local)?;
        match tag.strip_prefix('+') {
            None if tag.is_empty() => Some(Recipient::Plain),
            None => None,
            Some(tag) => Some(read_tag(tag)),
        }
    }

    /// For display and storage: the token of a reply address is as good as a password.
    pub fn masked(&self, address: &str) -> String {
        match self.recipient(address) {
            Some(Recipient::Reply(_)) => self.reply(MASKED),
            _ => address.to_owned(),
        }
    }

    pub fn is_own_domain(&self, domain: &str) -> bool {
        ascii_domain(domain).is_some_and(|domain| domain == self.domain)
    }

    /// True if mail to this address would come back to us.
    pub fn is_own(&self, address: &str) -> bool {
        self.recipient(address).is_some()
    }

    /// A Message-ID of ours, without brackets. Its prefix tells it from those of people at the same domain.
    pub fn message_id(&self, unique: &str) -> String {
        format!("{ID_MARK}{unique}@{}", self.domain)
    }

    /// True for the result of [`Self::message_id`], with or without brackets.
    pub fn is_own_message_id(&self, id: &str) -> bool {
        let id = id.trim().trim_matches(['<', '>']).to_lowercase();
        id.starts_with(ID_MARK) && id.rsplit_once('@').is_some_and(|(_, domain)| domain == self.domain)
    }
}

fn read_tag(tag: &str) -> Recipient {
    if let Some(token) = tag.strip_prefix("r.") {
        return Recipient::Reply(token.to_owned());
    }
    match tag.strip_prefix("b.").and_then(|rest| rest.split_once('.')) {
        Some((id, sig)) => Recipient::Bounce { id: id.to_owned(), sig: sig.to_owned() },
        None => Recipient::Plain,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn own() -> OwnAddresses {
        OwnAddresses::new("Games@Example.org").unwrap()
    }

    #[test]
    fn recipients_are_recognised_whatever_their_case() {
        assert_eq!(own().recipient("games@example.org"), Some(Recipient::Plain));
        assert_eq!(own().recipient("GAMES+news@EXAMPLE.ORG"), Some(Recipient::Plain));
        assert_eq!(own().recipient("games+R.ABC234@example.org"), Some(Recipient::Reply("abc234".into())));
        let bounce = Recipient::Bounce { id: "17".into(), sig: "qwe".into() };
        assert_eq!(own().recipient("games+b.17.qwe@example.org"), Some(bounce));
        assert_eq!(own().recipient("Postmaster@example.org"), Some(Recipient::Postmaster));
        assert_eq!(own().recipient("postmaster"), Some(Recipient::Postmaster));
        assert_eq!(own().recipient("Abuse@example.org"), Some(Recipient::Postmaster));
        assert_eq!(own().recipient("abuse"), None, "only the postmaster is known without a domain");
    }

    #[test]
    fn a_domain_of_other_letters_is_ours_in_both_its_forms() {
        let own = OwnAddresses::new("games@bücher.example").unwrap();
        assert_eq!(own.plain(), "games@xn--bcher-kva.example");
        for address in ["games@BÜCHER.example", "Games@xn--bcher-kva.EXAMPLE"] {
            assert_eq!(own.recipient(address), Some(Recipient::Plain), "{address}");
        }
        assert_eq!(own.recipient("gämes@bücher.example"), None);
    }

    #[test]
    fn strangers_addresses_are_not_ours() {
        for address in [
            "",
            "games",
            "games@example.com",
            "gamesx@example.org",
            "fred@example.org",
            "games@example.org.evil.net",
            "@example.org",
        ] {
            assert_eq!(own().recipient(address), None, "{address}");
        }
    }

    #[test]
    fn addresses_made_are_addresses_read() {
        let own = own();
        assert_eq!(own.recipient(&own.reply("x2y")), Some(Recipient::Reply("x2y".into())));
        assert_eq!(
            own.recipient(&own.bounce("9", "s")),
            Some(Recipient::Bounce { id: "9".into(), sig: "s".into() })
        );
        assert_eq!(own.recipient(&own.plain()), Some(Recipient::Plain));
    }

    #[test]
    fn tokens_are_masked_and_other_addresses_are_not() {
        assert_eq!(own().masked("Games+R.x2y@Example.org"), "games+r.********@example.org");
        for address in ["games@example.org", "Fred@example.org", "games+r.x2y@example.com"] {
            assert_eq!(own().masked(address), address);
        }
    }

    #[test]
    fn message_ids_of_our_domain_are_ours() {
        assert!(own().is_own_message_id(&own().message_id("17.x")));
        assert!(own().is_own_message_id("<Knotpost.17.x@EXAMPLE.org>"));
        assert!(!own().is_own_message_id("knotpost.17.x@mail.example.org"));
        assert!(!own().is_own_message_id("CAF17x@example.org"), "made by the mail program of a neighbour");
    }

    proptest! {
        #[test]
        fn no_recipient_makes_it_panic(text in "\\PC*") {
            let _ = own().recipient(&text);
        }
    }
}

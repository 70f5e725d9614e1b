//! Addresses: which of ours a mail was sent to, and whether a user's is one that mail can be sent to.
//!
//! Knows the shape of our addresses (`local`, `local+tag`, `local+r.token`, `local+b.id.sig`, `postmaster`), not
//! the meaning of tokens and signatures.

use std::fmt;
use std::str::FromStr;

/// The longest address that a path can carry: RFC 5321, section 4.5.3.1.3, without the brackets.
pub const MAX_ADDRESS: usize = 254;
/// The longest local part: RFC 5321, section 4.5.3.1.1.
pub const MAX_LOCAL: usize = 64;

const ID_MARK: &str = "knotpost.";

/// Why a text is no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// There is no `@` with something on either side of it.
    #[error("an address looks like name@example.org")]
    NoAt,
    /// Longer than mail can carry.
    #[error("the address is longer than {MAX_ADDRESS} characters")]
    TooLong,
    /// The part before the `@` is not one that mail servers accept.
    #[error("the part before the @ is not a valid mail address")]
    BadLocal,
    /// The part after the `@` is not a domain name.
    #[error("the part after the @ is not a valid domain")]
    BadDomain,
}

/// A mail address that can be written to: `local@domain`, ASCII or UTF-8, without display name, quotes, blanks
/// or control characters. The domain is kept in lower case, the local part as it was written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Mailbox {
    local: String,
    domain: String,
}

impl Mailbox {
    /// The part before the last `@`.
    pub fn local(&self) -> &str {
        &self.local
    }

    /// The part after the last `@`, in lower case.
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// The form under which an address is looked up: two addresses that differ in case alone are one.
    pub fn normal(&self) -> String {
        self.to_string().to_lowercase()
    }
}

impl fmt::Display for Mailbox {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.local, self.domain)
    }
}

impl FromStr for Mailbox {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        parse_mailbox(text)
    }
}

/// Reads a user's address: the bare `local@domain`, with blanks around it ignored.
///
/// Accepts the dot-atoms of RFC 5321 and their UTF-8 form of RFC 6531. Quoted local parts and domain literals
/// are refused: nobody receives mail there who would play, and every one of them is somebody's injection.
///
/// # Errors
/// [`AddressError`], in words for the person who typed it.
pub fn parse_mailbox(text: &str) -> Result<Mailbox, AddressError> {
    let text = text.trim_matches([' ', '\t']);
    if text.len() > MAX_ADDRESS {
        return Err(AddressError::TooLong);
    }
    let (local, domain) = text.rsplit_once('@').ok_or(AddressError::NoAt)?;
    if local.is_empty() || domain.is_empty() {
        return Err(AddressError::NoAt);
    }
    if local.len() > MAX_LOCAL || !is_dot_atom(local) {
        return Err(AddressError::BadLocal);
    }
    if !is_domain(domain) {
        return Err(AddressError::BadDomain);
    }
    Ok(Mailbox { local: local.to_owned(), domain: domain.to_lowercase() })
}

fn is_dot_atom(local: &str) -> bool {
    local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atext))
}

fn is_atext(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || is_visible_beyond_ascii(c)
}

/// Letters of other scripts, without the invisible and direction-turning characters that make two addresses look
/// alike.
fn is_visible_beyond_ascii(c: char) -> bool {
    !c.is_ascii()
        && !c.is_control()
        && !c.is_whitespace()
        && !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{ffff}')
}

fn is_domain(domain: &str) -> bool {
    domain.len() <= 253
        && domain.split('.').all(|label| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || is_visible_beyond_ascii(c))
        })
}

/// What a recipient address of ours stands for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Recipient {
    /// The server's address, with or without a tag of no meaning.
    Plain,
    /// A reply address; the token is in lower case and still to be checked.
    Reply(String),
    /// A return path of ours: the number of the mail that could not be delivered, and the signature over it, in
    /// lower case and still to be checked.
    Bounce {
        /// The outbox row's number as it stands in the address.
        id: String,
        /// The signature over it.
        sig: String,
    },
    /// The people who run the server.
    Postmaster,
}

/// The addresses of this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnAddresses {
    local: String,
    domain: String,
}

impl OwnAddresses {
    /// Takes the server's address, for example `knotpost@example.org`.
    ///
    /// # Errors
    /// [`AddressError`] when that is not a plain address.
    pub fn new(address: &str) -> Result<Self, AddressError> {
        let Mailbox { local, domain } = parse_mailbox(address)?;
        Ok(Self { local: local.to_lowercase(), domain })
    }

    /// The domain of all our addresses, in lower case.
    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// The address without a tag.
    pub fn plain(&self) -> String {
        format!("{}@{}", self.local, self.domain)
    }

    /// The reply address that carries this token.
    pub fn reply(&self, token: &str) -> String {
        format!("{}+r.{token}@{}", self.local, self.domain)
    }

    /// The return path of the mail with this number.
    pub fn bounce(&self, id: &str, sig: &str) -> String {
        format!("{}+b.{id}.{sig}@{}", self.local, self.domain)
    }

    /// Says what an address of ours stands for; `None` when it is not ours. Case does not matter, and a bare
    /// `postmaster` is ours (RFC 5321, section 4.5.1).
    pub fn recipient(&self, address: &str) -> Option<Recipient> {
        let address = address.trim().to_lowercase();
        let Some((local, domain)) = address.rsplit_once('@') else {
            return (address == "postmaster").then_some(Recipient::Postmaster);
        };
        if domain != self.domain || local.len() > MAX_LOCAL {
            return None;
        }
        if local == "postmaster" {
            return Some(Recipient::Postmaster);
        }
        let tag = local.strip_prefix(&self.local)?;
        match tag.strip_prefix('+') {
            None if tag.is_empty() => Some(Recipient::Plain),
            None => None,
            Some(tag) => Some(read_tag(tag)),
        }
    }

    /// Whether mail to this address would come back to us.
    pub fn is_own(&self, address: &str) -> bool {
        self.recipient(address).is_some()
    }

    /// A Message-ID of ours, without brackets. The mark in front tells it from those that the mail programs of
    /// people at the same domain make.
    pub fn message_id(&self, unique: &str) -> String {
        format!("{ID_MARK}{unique}@{}", self.domain)
    }

    /// Whether a Message-ID (with or without brackets) was made by [`Self::message_id`].
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
    fn message_ids_of_our_domain_are_ours() {
        assert!(own().is_own_message_id(&own().message_id("17.x")));
        assert!(own().is_own_message_id("<Knotpost.17.x@EXAMPLE.org>"));
        assert!(!own().is_own_message_id("knotpost.17.x@mail.example.org"));
        assert!(!own().is_own_message_id("CAF17x@example.org"), "made by the mail program of a neighbour");
    }

    #[test]
    fn plain_and_utf8_addresses_are_accepted() {
        for address in
            ["fred@example.org", "f.r+tag@localhost", "o'hara@a-b.example", "вася@пример.рф", " fred@x.y "]
        {
            assert!(parse_mailbox(address).is_ok(), "{address}");
        }
        assert_eq!(parse_mailbox("Fred@Example.ORG").unwrap().to_string(), "Fred@example.org");
    }

    #[test]
    fn addresses_that_could_carry_more_than_an_address_are_refused() {
        let long = format!("{}@example.org", "x".repeat(65));
        let cases = [
            "",
            "fred",
            "@x.y",
            "fred@",
            "a b@x.y",
            "a@b@c.d",
            "\"a b\"@x.y",
            "a\r\nBcc: c@d.e@x.y",
            "fred@x.y\n",
            "a@[127.0.0.1]",
            "a..b@x.y",
            ".a@x.y",
            "a@-x.y",
            "a@x..y",
            "<a@x.y>",
            "a,b@x.y",
            "a\u{200b}@x.y",
            &long,
        ];
        for address in cases {
            assert!(parse_mailbox(address).is_err(), "{address:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_accepted_has_no_room_for_a_second_line(text in "\\PC{0,40}|[a-z.@+\r\n<> ]{0,30}") {
            if let Ok(mailbox) = parse_mailbox(&text) {
                let shown = mailbox.to_string();
                prop_assert!(!shown.chars().any(|c| c.is_control() || c.is_whitespace() || "<>,;\"".contains(c)));
                prop_assert_eq!(parse_mailbox(&shown).unwrap(), mailbox);
            }
        }

        #[test]
        fn no_recipient_makes_it_panic(text in "\\PC*") {
            let _ = own().recipient(&text);
        }
    }
}

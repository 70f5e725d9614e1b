//! Validation of users' mail addresses.

use std::fmt;
use std::str::FromStr;

/// RFC 5321, section 4.5.3.1.3, without the brackets.
pub(super) const MAX_ADDRESS: usize = 254;
/// RFC 5321, section 4.5.3.1.1.
pub(super) const MAX_LOCAL: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// No `@` between two non-empty parts.
    #[error("an address looks like name@example.org")]
    NoAt,
    #[error("the address is longer than {MAX_ADDRESS} characters")]
    TooLong,
    #[error("the part before the @ is not a valid mail address")]
    BadLocal,
    #[error("the part after the @ is not a valid domain")]
    BadDomain,
}

/// `local@domain`, ASCII or UTF-8, without display name, quotes, blanks or control characters. The domain is
/// stored in lower case and ASCII (`xn--…`), so that equal domains compare equal and every mail server
/// accepts it; the local part stays as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address {
    local: String,
    domain: String,
}

impl Address {
    pub fn local(&self) -> &str {
        &self.local
    }

    pub fn domain(&self) -> &str {
        &self.domain
    }

    /// Case-insensitive lookup key.
    pub fn key(&self) -> String {
        self.to_string().to_lowercase()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}@{}", self.local, self.domain)
    }
}

impl FromStr for Address {
    type Err = AddressError;

    /// Parses a bare `local@domain`, trimmed.
    ///
    /// Accepts the dot-atoms of RFC 5321 and their UTF-8 form of RFC 6531. Quoted local parts and domain literals
    /// are refused: no player uses them, and attackers do.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim_matches([' ', '\t']);
        if text.len() > MAX_ADDRESS {
            return Err(AddressError::TooLong);
        }
        let (local, domain) = text.rsplit_once('@').ok_or(AddressError::NoAt)?;
        if local.is_empty() || domain.is_empty() {
            return Err(AddressError::NoAt);
        }
        // A leading dash could be taken for an option by a program that gets the address.
        if local.len() > MAX_LOCAL || local.starts_with('-') || !is_dot_atom(local) {
            return Err(AddressError::BadLocal);
        }
        if !is_domain(domain) {
            return Err(AddressError::BadDomain);
        }
        let domain =
            ascii_domain(domain).filter(|domain| is_domain(domain)).ok_or(AddressError::BadDomain)?;
        Ok(Self { local: local.to_owned(), domain })
    }
}

/// Domain in DNS form: RFC 5891 and UTS 46.
pub(super) fn ascii_domain(domain: &str) -> Option<String> {
    if domain.is_ascii() {
        return Some(domain.to_ascii_lowercase());
    }
    idna::domain_to_ascii(domain).ok().filter(|domain| !domain.is_empty())
}

fn is_dot_atom(local: &str) -> bool {
    local.split('.').all(|atom| !atom.is_empty() && atom.chars().all(is_atext))
}

fn is_atext(c: char) -> bool {
    c.is_ascii_alphanumeric() || "!#$%&'*+-/=?^_`{|}~".contains(c) || is_visible_beyond_ascii(c)
}

/// Excludes invisible and direction-changing characters, which make two addresses look alike.
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

impl serde::Serialize for Address {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_and_utf8_addresses_are_accepted() {
        for address in
            ["fred@example.org", "f.r+tag@localhost", "o'hara@a-b.example", "вася@пример.рф", " fred@x.y "]
        {
            assert!(address.parse::<Address>().is_ok(), "{address}");
        }
        assert_eq!("Fred@Example.ORG".parse::<Address>().unwrap().to_string(), "Fred@example.org");
        let written = "Вася@ПРИМЕР.рф".parse::<Address>().unwrap();
        assert_eq!(written.domain(), "xn--e1afmkfd.xn--p1ai");
        assert_eq!(written.key(), "вася@XN--E1AFMKFD.xn--p1ai".parse::<Address>().unwrap().key());
        assert_eq!("ann@bücher.example".parse::<Address>().unwrap().to_string(), "ann@xn--bcher-kva.example");
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
            "-oQ@x.y",
            "a,b@x.y",
            "a\u{200b}@x.y",
            &long,
        ];
        for address in cases {
            assert!(address.parse::<Address>().is_err(), "{address:?}");
        }
    }

    proptest! {
        #[test]
        fn what_is_accepted_holds_no_second_line(text in "\\PC{0,40}|[a-z.@+\r\n<> ]{0,30}") {
            if let Ok(address) = text.parse::<Address>() {
                let shown = address.to_string();
                prop_assert!(!shown.chars().any(|c| c.is_control() || c.is_whitespace() || "<>,;\"".contains(c)));
                prop_assert_eq!(shown.parse::<Address>().unwrap(), address);
            }
        }
    }
}

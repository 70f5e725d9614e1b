//! Entries of the do-not-mail list: addresses and domains.

use std::fmt;
use std::str::FromStr;

use super::address::ascii_domain;
use super::{Address, AddressError};

/// An address in lower case, or a domain behind an `@`.
///
/// An address includes all its `+tags`; a domain does not include subdomains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnmailedTarget(String);

impl UnmailedTarget {
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// `ann@example.org`, or `all of @example.org`.
    pub fn in_words(&self) -> String {
        let all = if self.0.starts_with('@') { "all of " } else { "" };
        format!("{all}{}", self.0)
    }

    /// Reason to refuse a new entry: no mail can match it. A stored one can still be removed.
    pub fn flaw(&self) -> Option<&'static str> {
        if self.0.contains('*') {
            return Some("`*` does not stand for other characters here");
        }
        let is_word = self.0.strip_prefix('@').is_some_and(|domain| !domain.contains('.'));
        is_word.then_some("a domain has a dot")
    }

    /// Entries that would cover an address, given in lower case.
    pub fn covering(address_key: &str) -> [String; 3] {
        let domain = address_key.rsplit_once('@').map_or("", |(_, domain)| domain);
        [address_key.to_owned(), without_tag(address_key), format!("@{domain}")]
    }
}

/// Drops the `+tag` of a lower-case address, which has the same reader.
pub fn without_tag(address_key: &str) -> String {
    let Some((local, domain)) = address_key.rsplit_once('@') else { return address_key.to_owned() };
    match local.split_once('+') {
        Some((mailbox, _)) if !mailbox.is_empty() => format!("{mailbox}@{domain}"),
        _ => address_key.to_owned(),
    }
}

impl fmt::Display for UnmailedTarget {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

impl FromStr for UnmailedTarget {
    type Err = AddressError;

    /// Parses `name@example.org`, `@example.org`, or `example.org`.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let domain = match text.rsplit_once('@') {
            Some((local, _)) if !local.is_empty() => return Ok(Self(text.parse::<Address>()?.key())),
            Some((_, domain)) => domain,
            None => text,
        };
        // Validated as the domain of some address.
        let domain = ascii_domain(domain).ok_or(AddressError::BadDomain)?;
        let address: Address = format!("postmaster@{domain}").parse()?;
        Ok(Self(format!("@{}", address.domain())))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn addresses_and_domains_have_one_form_each() {
        let read = |text: &str| text.parse::<UnmailedTarget>().map(|target| target.to_string());
        assert_eq!(read(" Ann@Example.ORG ").unwrap(), "ann@example.org");
        assert_eq!(read("@Example.ORG").unwrap(), "@example.org");
        assert_eq!(read("Bücher.example").unwrap(), "@xn--bcher-kva.example");
        for wrong in ["", "@", "a b@x.y", "x..y", "a@b@c"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_word_and_a_pattern_are_no_new_entries() {
        let read = |text: &str| text.parse::<UnmailedTarget>().unwrap();
        for wrong in ["foo", "@foo", "*@example.org", "a*@example.org"] {
            assert!(read(wrong).flaw().is_some(), "{wrong}");
        }
        for (right, words) in [
            ("example.org", "all of @example.org"),
            ("Ann@Example.org", "ann@example.org"),
            ("ann@localhost", "ann@localhost"),
        ] {
            assert_eq!((read(right).flaw(), read(right).in_words().as_str()), (None, words));
        }
    }

    #[test]
    fn an_address_is_covered_with_every_tag() {
        let covering = UnmailedTarget::covering("ann+games+x@example.org");
        assert_eq!(covering, ["ann+games+x@example.org", "ann@example.org", "@example.org"]);
        assert_eq!(without_tag("+ann@example.org"), "+ann@example.org");
    }
}

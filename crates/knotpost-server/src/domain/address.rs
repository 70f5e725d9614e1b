//! Mail addresses of users.

use std::fmt;
use std::str::FromStr;

/// A mail address a user may register: `local@domain`, at most 254 octets, without blanks,
/// control characters, quotes or routing characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, serde::Serialize)]
#[serde(transparent)]
pub struct Address(String);

/// Why a text is no usable address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a mail address that can be written to")]
pub struct AddressError(String);

impl Address {
    /// The address as written.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The form under which addresses are compared: lower case.
    pub fn key(&self) -> String {
        self.0.to_lowercase()
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        let refuse = || AddressError(text.chars().filter(|c| !c.is_control()).take(80).collect());
        let (local, domain) = text.rsplit_once('@').ok_or_else(refuse)?;
        let plain = |c: char| !c.is_control() && !c.is_whitespace() && !"\"(),:;<>[\\]@".contains(c);
        let label = |label: &str| {
            !label.is_empty()
                && label.len() <= 63
                && !label.starts_with('-')
                && !label.ends_with('-')
                && label.chars().all(|c| c == '-' || c.is_alphanumeric())
        };
        let local_is_good = !local.is_empty()
            && local.len() <= 64
            && !local.starts_with(['.', '-'])
            && !local.ends_with('.')
            && !local.contains("..")
            && local.chars().all(plain);
        if text.len() <= 254 && local_is_good && domain.split('.').all(label) {
            Ok(Self(text.to_owned()))
        } else {
            Err(refuse())
        }
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_addresses_are_taken() {
        for good in ["ann@example.org", "a.b+tag@sub.example.co", "jörg@exämple.de", "root@localhost"] {
            assert_eq!(good.parse::<Address>().map(|a| a.to_string()), Ok(good.to_owned()));
        }
    }

    #[test]
    fn addresses_that_could_carry_something_else_are_refused() {
        for bad in
            ["ann", "@x.org", "ann@", "a b@x.org", "ann@x.org\r\nBcc: e@x.org", "-oQ@x.org", "<a@x.org>", "a,b@x.org", "a@x..org"]
        {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}

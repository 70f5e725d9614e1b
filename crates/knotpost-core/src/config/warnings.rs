//! Settings that can be used and are hardly what their writer meant.

use std::fmt;
use std::net::IpAddr;

use super::Config;

/// What can be used and is hardly meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// The setting it is about.
    pub subject: String,
    /// What follows from it.
    pub problem: String,
    /// What an operator does about it.
    pub mend: String,
}

impl Warning {
    /// A warning about a setting.
    pub fn new(subject: impl Into<String>, problem: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { subject: subject.into(), problem: problem.into(), mend: mend.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.problem, self.mend)
    }
}

/// Adds what is to be told at the start.
pub(super) fn add(config: &mut Config) {
    let mut told = Vec::new();
    if config.really_mails() {
        if config.has_loopback_url() {
            let problem = format!(
                "mail leaves this machine, and its links lead to {}, where nobody else finds anything",
                config.server.public_url
            );
            told.push(Warning::new("server.public_url", problem, "set server.public_url"));
        }
        if config.has_loopback_address() {
            let problem = format!(
                "mail leaves this machine, and it comes from {}, where nobody can answer",
                config.server.address
            );
            told.push(Warning::new("server.address", problem, "set server.address"));
        }
    }
    config.warnings.extend(told);
}

pub(super) fn is_loopback(public_url: &str) -> bool {
    let Ok(url) = url::Url::parse(public_url) else { return false };
    url.host_str().is_some_and(is_loopback_host)
}

/// Whether the name, in lower case, is this machine's for itself alone.
pub(super) fn is_loopback_host(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost"
        || host.ends_with(".localhost")
        || host == "localhost.localdomain"
        || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_only_this_machine_knows_are_known() {
        for host in
            ["localhost", "play.localhost", "localhost.localdomain", "127.0.0.1", "[127.0.0.1]", "[::1]"]
        {
            assert!(is_loopback_host(host), "{host}");
        }
        for host in ["", "example.org", "localhost.example", "mylocalhost", "192.0.2.1", "[2001:db8::1]"] {
            assert!(!is_loopback_host(host), "{host}");
        }
        assert!(is_loopback("http://127.0.0.1:8080/") && !is_loopback("https://knotpost.example"));
    }
}

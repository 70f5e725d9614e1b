use std::fmt;
use std::net::{IpAddr, SocketAddr};

use super::Config;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    pub subject: String,
    pub problem: String,
    pub mend: String,
}

impl Warning {
    pub fn new(subject: impl Into<String>, problem: impl Into<String>, mend: impl Into<String>) -> Self {
        Self { subject: subject.into(), problem: problem.into(), mend: mend.into() }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.problem, self.mend)
    }
}

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
    for (key, networks, trust) in [
        ("http.trusted_proxies", &config.http.trusted_proxies, "from which address they come"),
        ("smtp.relays", &config.smtp.relays, "whose mail they hand on"),
    ] {
        if let Some(network) = networks.of_strangers() {
            let problem = format!("{key} has {network}: strangers connect from there, and may say {trust}");
            told.push(Warning::new(key, problem, "list the addresses of your own machines alone"));
        }
    }
    if is_open_beside_proxy(config) {
        let problem = format!(
            "http.listen is {}, without TLS for other machines too, while links lead to {}, and no proxy is named: \
             passwords can be read on their way, and all that comes by a proxy counts as one client",
            config.http.listen, config.server.public_url
        );
        let mend = "let http.listen name a loopback address, and list the proxy in http.trusted_proxies";
        told.push(Warning::new("http.listen", problem, mend));
    }
    config.warnings.extend(told);
}

/// True if the page is reachable without TLS, bypassing a configured TLS proxy.
fn is_open_beside_proxy(config: &Config) -> bool {
    let listen = config.http.listen.parse::<SocketAddr>();
    config.server.public_url.starts_with("https:")
        && config.http.trusted_proxies.is_empty()
        && listen.is_ok_and(|address| !address.ip().to_canonical().is_loopback())
}

pub(super) fn is_loopback(public_url: &str) -> bool {
    let Ok(url) = url::Url::parse(public_url) else { return false };
    url.host_str().is_some_and(is_loopback_host)
}

/// Expects lower case.
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

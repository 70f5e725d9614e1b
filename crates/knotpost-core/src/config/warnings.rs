//! Settings that can be used and are hardly what their writer meant.

use std::net::IpAddr;

use super::Config;

/// Adds what is to be told at the start.
pub(super) fn add(config: &mut Config) {
    let mut told = Vec::new();
    if config.really_mails() {
        if is_loopback(&config.server.public_url) {
            told.push(format!(
                "mail leaves this machine, and its links lead to {}, where nobody else finds anything: set \
                 server.public_url",
                config.server.public_url
            ));
        }
        if config.server.address.to_ascii_lowercase().ends_with("@localhost") {
            told.push(format!(
                "mail leaves this machine, and it comes from {}, where nobody can answer: set server.address",
                config.server.address
            ));
        }
    }
    config.warnings.extend(told);
}

fn is_loopback(public_url: &str) -> bool {
    let Ok(url) = url::Url::parse(public_url) else { return false };
    let Some(host) = url.host_str() else { return false };
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || host.ends_with(".localhost") || address.is_ok_and(|address| address.is_loopback())
}

//! The deployed profile inside the test's own process: what differs from a server of its own folder on loopback.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::Ordering;

use axum::body::Body;
use axum::http::Request;
use knotpost_core::config::{Config, Confirm};
use knotpost_model::Networks;

use super::TestApp;

/// Limits on, addresses to be confirmed, a relay and a proxy on this machine.
pub(super) fn settings(config: &mut Config) {
    let here = || Networks::try_from(vec!["127.0.0.1".to_owned()]).expect("a network");
    config.limits.enabled = true;
    config.accounts.confirm_addresses = Confirm::On;
    config.http.trusted_proxies = here();
    config.smtp.relays = here();
}

/// A mail as the relay hands it on: whoever wrote it has a host of their own.
pub(super) fn relay(mail_from: Option<&str>, raw: &[u8]) -> (Option<IpAddr>, Vec<u8>) {
    let letters = mail_from.unwrap_or_default().bytes();
    let host = letters.fold(0_u8, |sum, letter| sum.wrapping_mul(31).wrapping_add(letter));
    let received = format!(
        "Received: from client ([203.0.113.{host}]) by mx.knotpost.example with ESMTP;\r\n\
         \x20Fri, 20 Nov 2026 10:00:00 +0000\r\n"
    );
    (Some(Ipv4Addr::LOCALHOST.into()), [received.as_bytes(), raw].concat())
}

impl TestApp {
    /// Presses the buttons behind the links of the confirmations that have just been mailed; where every
    /// address is taken as confirmed, nothing is done.
    pub(crate) async fn confirm(&self) {
        if !self.app.config.confirms_addresses() {
            return;
        }
        let letters = self.letters();
        let words = letters.iter().flat_map(|letter| letter.text.split_whitespace());
        let site = self.app.config.server.public_url.as_str();
        let links = words.filter_map(|word| word.strip_prefix(site));
        let links: Vec<&str> = links.filter(|path| path.starts_with("/confirm/")).collect();
        assert!(!links.is_empty(), "no confirmation in {letters:?}");
        self.entropy.is_aside.store(true, Ordering::Relaxed);
        for link in links {
            let done = self.send(Request::post(link).body(Body::empty()).expect("a request")).await;
            assert_eq!(done.status, 200, "{}", done.text);
        }
        self.work().await;
        self.entropy.is_aside.store(false, Ordering::Relaxed);
    }
}

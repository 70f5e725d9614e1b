//! Authentication of senders: SPF, DKIM and DMARC, checked by DNS or read from the field of a trusted host.
//!
//! Nothing here refuses a mail or fails: a check that takes too long is a temporary error.

mod auth_results;
mod dns;
mod records;
mod verify;

pub use records::{NoAnswer, Records};

use std::net::IpAddr;
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt as _;
use mail_auth::MessageAuthenticator;

use self::verify::{Host, Question, SignedMail};
use crate::inbound::Message;
use crate::inbound::intake::Envelope;
use crate::inbound::read::hosts::{Client, client};
use knotpost_core::config::{AuthPolicy, Config};
use knotpost_model::{Networks, Verdict, Verdicts};

pub struct Authenticator {
    policy: AuthPolicy,
    /// `None` if this machine has no name server.
    verifier: Option<MessageAuthenticator>,
    trusted: Vec<Trusted>,
    /// Mail servers whose `Received` fields name their clients.
    relays: Networks,
    domain: String,
}

struct Trusted {
    name: String,
    /// Besides this machine.
    addresses: Vec<IpAddr>,
}

impl Authenticator {
    /// Without a name server every check ends in a temporary error.
    pub fn new(config: &Config) -> Self {
        let policy = config.inbound.auth_policy;
        let verifier = (policy != AuthPolicy::Off).then(|| dns::verifier(&config.inbound.dns).ok()).flatten();
        let trusted = config.inbound.trusted_authserv.iter().filter_map(|host| Trusted::read(host));
        let domain = config.server.address.rsplit_once('@').map_or("localhost", |(_, domain)| domain);
        let relays = config.smtp.relays.clone();
        Self { policy, verifier, trusted: trusted.collect(), relays, domain: domain.to_owned() }
    }

    /// `None` if the policy needs no verdicts. Takes a few seconds at most.
    pub async fn verify(&self, envelope: &Envelope, raw: &[u8], message: &Message) -> Option<Verdicts> {
        if self.policy == AuthPolicy::Off {
            return None;
        }
        let verdicts = match self.believed(envelope, message) {
            Some(verdicts) => verdicts,
            // A mail over which the verifier panics counts as not verified.
            None => AssertUnwindSafe(self.compute(envelope, raw, message))
                .catch_unwind()
                .await
                .unwrap_or_else(|_| unanswered(message)),
        };
        count(&verdicts);
        Some(verdicts)
    }

    /// Reads the topmost `Authentication-Results`, if a trusted host wrote it. That host adds its own on top, so
    /// fields below may be forged.
    fn believed(&self, envelope: &Envelope, message: &Message) -> Option<Verdicts> {
        let topmost = message.authentication_results.first()?;
        let host = auth_results::host(topmost)?;
        let trusts = |trusted: &Trusted| {
            let is_near = is_near(envelope)
                || envelope.peer.is_some_and(|peer| trusted.addresses.contains(&peer.to_canonical()));
            is_near && trusted.name == host
        };
        let mut verdicts = self.trusted.iter().any(trusts).then(|| auth_results::read(topmost))??;
        if verdicts.dmarc.domain.is_empty() {
            author_domain(message).clone_into(&mut verdicts.dmarc.domain);
        }
        Some(verdicts)
    }

    async fn compute(&self, envelope: &Envelope, raw: &[u8], message: &Message) -> Verdicts {
        let client = self.client(envelope, message);
        let Some(mail) = SignedMail::read(raw, author_domain(message)) else { return Verdicts::default() };
        if client == Client::Unknown && !mail.is_signed() {
            // Unsigned mail from this machine needs no query.
            return Verdicts::default();
        }
        let Some(verifier) = &self.verifier else { return unanswered(message) };
        let mail_from = envelope.mail_from.as_deref().unwrap_or_default();
        let host = match client {
            Client::Direct(address) => {
                let helo = envelope.helo.as_deref().unwrap_or_default();
                Some(Host { address, helo, mail_from, can_fail: true })
            }
            // The relay may have accepted its own users from anywhere, and the greeting names the relay itself.
            Client::Relayed(address) => Some(Host { address, helo: "", mail_from, can_fail: false }),
            Client::Unknown => None,
        };
        let question = Question { verifier, mail: &mail, host, own_name: &self.domain };
        question.answer().await
    }

    /// `None` for programs of this machine and trusted hosts, which pass on mail of all senders.
    fn client(&self, envelope: &Envelope, message: &Message) -> Client {
        match client(&self.relays, envelope, message) {
            Client::Direct(peer) if is_near(envelope) || self.is_relay(peer) => Client::Unknown,
            Client::Relayed(address) if address.to_canonical().is_loopback() => Client::Unknown,
            client => client,
        }
    }

    /// True for a trusted host, whose address says nothing about the sender.
    fn is_relay(&self, peer: IpAddr) -> bool {
        self.trusted.iter().any(|trusted| trusted.addresses.contains(&peer.to_canonical()))
    }
}

impl Trusted {
    fn read(host: &str) -> Option<Self> {
        let mut words = host.split_whitespace();
        let name = words.next()?.to_ascii_lowercase();
        let addresses =
            words.filter_map(|word| word.parse::<IpAddr>().ok()).map(|address| address.to_canonical());
        Some(Self { name, addresses: addresses.collect() })
    }
}

/// True for a mail from this machine: by a pipe, a folder, a socket, or a program that knows a secret.
fn is_near(envelope: &Envelope) -> bool {
    !envelope.way.has_session() || envelope.peer.is_none_or(|peer| peer.to_canonical().is_loopback())
}

fn author_domain(message: &Message) -> &str {
    message.author().and_then(|author| author.rsplit_once('@')).map_or("", |(_, domain)| domain)
}

fn unanswered(message: &Message) -> Verdicts {
    let temporary = Verdict::TempError;
    let mut verdicts = Verdicts::default();
    (verdicts.spf.result, verdicts.spf.helo, verdicts.dmarc.result) = (temporary, temporary, temporary);
    author_domain(message).clone_into(&mut verdicts.dmarc.domain);
    verdicts
}

pub fn begin_counting() {
    for check in ["spf", "dkim", "dmarc"] {
        for result in Verdict::ALL {
            metrics::counter!("knotpost_mail_verdicts_total", "check" => check, "result" => result.as_str())
                .increment(0);
        }
    }
}

fn count(verdicts: &Verdicts) {
    let results =
        [("spf", verdicts.spf.result), ("dkim", verdicts.best_dkim()), ("dmarc", verdicts.dmarc.result)];
    for (check, result) in results {
        metrics::counter!("knotpost_mail_verdicts_total", "check" => check, "result" => result.as_str())
            .increment(1);
    }
}

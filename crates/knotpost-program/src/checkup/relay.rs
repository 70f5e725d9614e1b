//! The way out: the relay, and settings unfit for a server that really mails.

use std::time::Duration;

use knotpost_core::config::{Config, Confirm};
use knotpost_core::identity::offers_passkeys;
use knotpost_transport::outbound::{RelayStep, SmtpRelay, Transport};

use super::Findings;

const PATIENCE: Duration = Duration::from_secs(15);

pub(super) async fn check(config: &Config, findings: &mut Findings) {
    check_public(config, findings);
    // A transport that cannot be used was found before.
    if let Ok(Transport::Smtp(relay)) = Transport::examine(config) {
        check_relay(&relay, findings).await;
    }
}

async fn check_relay(relay: &SmtpRelay, findings: &mut Findings) {
    let place = relay.place();
    let trouble = match relay.try_out(PATIENCE).await {
        Ok(is_encrypted) => {
            if !is_encrypted && !relay.is_near() {
                findings.warning(
                    "mail.transport",
                    format!("mail to the relay {place} is not encrypted on its way"),
                    "use a relay with STARTTLS, or `smtps://`",
                );
            }
            return;
        }
        Err(trouble) => trouble,
    };
    let (words, mend) = match trouble.step {
        RelayStep::Connect => (
            "cannot be connected to",
            "start the mail server there, open the firewall for it, or correct `mail.transport`",
        ),
        RelayStep::Greet => (
            "does not take the greeting",
            "look at the log of the relay; `mail.helo` is the name in the greeting, and `smtps://` is for ports that \
             begin with TLS",
        ),
        RelayStep::Encrypt => (
            "does not encrypt as it must",
            "correct its certificate, or the name in `mail.transport`; `mail.tls_ca` names an authority of your own, and \
             `?tls=opportunistic` takes any certificate",
        ),
        RelayStep::LogIn => {
            ("refuses the login", "correct user and password in `mail.transport` (percent-encoded)")
        }
    };
    findings.error("mail.transport", format!("the relay {place} {words}: {}", trouble.problem), mend);
}

/// Finds settings that are harmless only while mail stays on the machine.
fn check_public(config: &Config, findings: &mut Findings) {
    if config.server.public_url.starts_with("http:") && !config.has_loopback_url() {
        findings.warning(
            "server.public_url",
            "links in mails lead to a page without TLS: passwords can be read on their way, and browsers make no passkeys",
            "put a proxy with TLS in front, and let `server.public_url` start with https://",
        );
    }
    if config.server.public_url.starts_with("https:") && !offers_passkeys(config) {
        findings.warning(
            "server.public_url",
            "nobody can log in with a passkey: browsers make them for domains, and this is the number of a machine",
            "give the server a domain, and let `server.public_url` begin with https:// and name it",
        );
    }
    if !config.limits.enabled {
        findings.warning(
            "limits.enabled",
            "the server mails to the world, and nothing limits sign-ups, challenges and tries of passwords",
            "set `limits.enabled` to true",
        );
    }
    if config.accounts.confirm_addresses == Confirm::Off {
        findings.warning(
            "accounts.confirm_addresses",
            "whoever signs up with the address of somebody else lets them get mail",
            "set `accounts.confirm_addresses` to \"auto\"",
        );
    }
    if config.http.listen.is_empty() {
        findings.warning(
            "http.listen",
            "the web is switched off, and links in mails lead nowhere",
            "set `http.listen`",
        );
    }
}

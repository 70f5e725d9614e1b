use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use secrecy::ExposeSecret;

use super::{Config, ConfigError};
use knotpost_model::Address;

/// Days for which a mail can be answered by a reply; its row in the outbox says what the reply is about.
pub(crate) const REPLY_DAYS: u32 = 90;

/// All errors, at most one per group of settings.
pub(super) fn check(config: &Config) -> Vec<ConfigError> {
    let groups = [
        identity(config),
        listeners(config),
        signing(config),
        verification(config),
        own_name(config),
        ways_in(config),
        super::log_level::check_level(&config.log.level).or_else(|problem| refuse("log.level", problem)),
        push(config),
        numbers(config),
    ];
    groups.into_iter().filter_map(Result::err).collect()
}

fn refuse<T>(key: &'static str, problem: impl Into<String>) -> Result<T, ConfigError> {
    Err(ConfigError::Value { key, problem: problem.into() })
}

fn identity(config: &Config) -> Result<(), ConfigError> {
    if let Err(error) = config.server.address.parse::<Address>() {
        return refuse("server.address", error.to_string());
    }
    let local = config.server.address.rsplit_once('@').map_or("", |(local, _)| local);
    if !local.is_ascii() {
        return refuse("server.address", "must be ASCII before the @: not every mail server carries more");
    }
    if config.server.address.contains('+') {
        return refuse("server.address", "must not contain `+`: the server appends its own tags");
    }
    if config.server.name.trim().is_empty() || config.server.name.chars().any(char::is_control) {
        return refuse("server.name", "must be one line of text");
    }
    if config.server.contact.chars().any(char::is_control) {
        return refuse("server.contact", "must be one line of text");
    }
    let url = url::Url::parse(&config.server.public_url).ok();
    let Some(url) = url.filter(|url| ["http", "https"].contains(&url.scheme())) else {
        return refuse(
            "server.public_url",
            "must start with http:// or https://, with the name of a host behind it, such as https://games.example",
        );
    };
    // Pages link to `/…`, and browsers send the bare origin.
    let origin = url.origin().ascii_serialization();
    if url.as_str().strip_suffix('/') != Some(origin.as_str()) {
        return refuse(
            "server.public_url",
            format!(
                "must end with the host and its port: the server has a host of its own, and no path on one; write {origin}"
            ),
        );
    }
    if config.server.data.as_os_str().is_empty() {
        return refuse("server.data", "must name a folder");
    }
    if let Err(problem) = knotpost_storage::check_address(&config.database.url) {
        return refuse("database.url", problem);
    }
    let key = config.secrets.key.expose_secret();
    if !key.is_empty() && knotpost_platform::secret::KeyRing::parse(key).is_none() {
        return refuse(
            "secrets.key",
            "must be 64 hexadecimal digits (32 bytes), or several of these marked as in the key file",
        );
    }
    Ok(())
}

fn listeners(config: &Config) -> Result<(), ConfigError> {
    for (key, listen) in [("http.listen", &config.http.listen), ("smtp.listen", &config.smtp.listen)] {
        if !listen.is_empty() && listen.parse::<SocketAddr>().is_err() {
            return refuse(key, format!("`{listen}` is not an address and port such as 127.0.0.1:8080"));
        }
    }
    for (key, most) in [
        ("http.max_connections", config.http.max_connections),
        ("http.max_per_client", config.http.max_per_client),
    ] {
        if most == 0 {
            return refuse(key, "must be at least 1; to switch the web off, `http.listen` is empty");
        }
    }
    let lmtp = &config.lmtp.listen;
    match super::unix_path(lmtp) {
        Some(path) if path.file_name().is_none() => {
            return refuse("lmtp.listen", "`unix:` is followed by the path of a socket");
        }
        None if !lmtp.is_empty() && lmtp.parse::<SocketAddr>().is_err() => {
            let text =
                format!("`{lmtp}` is neither an address and port such as 127.0.0.1:2424 nor `unix:PATH`");
            return refuse("lmtp.listen", text);
        }
        _ => {}
    }
    if config.smtp.tls_cert.is_empty() != config.smtp.tls_key.is_empty() {
        return refuse("smtp.tls_cert", "needs smtp.tls_key beside it, and the other way round");
    }
    Ok(())
}

fn verification(config: &Config) -> Result<(), ConfigError> {
    for host in &config.inbound.trusted_authserv {
        let mut words = host.split_whitespace();
        let is_name = words.next().is_some_and(|name| !name.contains(['=', ';', '"', '(']));
        if !is_name || !words.all(|address| address.parse::<IpAddr>().is_ok()) {
            return refuse(
                "inbound.trusted_authserv",
                format!("`{host}` is not a host such as mx.example.org, or one with its addresses behind it"),
            );
        }
    }
    for server in &config.inbound.dns {
        if server.parse::<SocketAddr>().is_err() && server.parse::<IpAddr>().is_err() {
            return refuse("inbound.dns", format!("`{server}` is not an address such as 127.0.0.1"));
        }
    }
    Ok(())
}

/// Checks names only; the key itself is checked when it is read.
fn signing(config: &Config) -> Result<(), ConfigError> {
    let selector = &config.dkim.selector;
    if selector.is_empty() != config.dkim.key.expose_secret().is_empty() {
        return refuse("dkim.selector", "needs dkim.key beside it, and the other way round");
    }
    if !selector.is_empty() && !selector.split('.').all(is_label) {
        return refuse("dkim.selector", "must be a part of a domain name, such as `mail` or `2026`");
    }
    let domain = config.server.address.rsplit_once('@').map_or("", |(_, domain)| domain);
    if !selector.is_empty() && !domain.is_ascii() {
        return refuse("dkim.selector", "needs a server.address whose domain is written in ASCII (xn--…)");
    }
    Ok(())
}

/// RFC 5321, section 4.1.1.1: a domain, or an address in brackets.
fn own_name(config: &Config) -> Result<(), ConfigError> {
    let name = &config.mail.helo;
    let is_literal = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).is_some_and(|address| {
        address.parse::<Ipv4Addr>().is_ok()
            || address.strip_prefix("IPv6:").is_some_and(|six| six.parse::<Ipv6Addr>().is_ok())
    });
    let is_domain = name.len() <= 255
        && name.split('.').all(is_label)
        && name.contains(|c: char| c.is_ascii_alphabetic());
    if name.is_empty() || is_literal || is_domain {
        return Ok(());
    }
    refuse(
        "mail.helo",
        format!("`{name}` is neither a domain such as games.example nor an address such as [192.0.2.1]"),
    )
}

fn is_label(label: &str) -> bool {
    (1..=63).contains(&label.len())
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Minimum characters of `inbound.secret`: guessing it allows mail under any name.
const SECRET_LENGTH: usize = 16;

fn ways_in(config: &Config) -> Result<(), ConfigError> {
    let poll = config.maildir.poll_seconds;
    if !(0.01..=86_400.0).contains(&poll) {
        return refuse("maildir.poll_seconds", "must be seconds between 0.01 and 86400");
    }
    let secret = config.inbound.secret.expose_secret();
    if !secret.bytes().all(|byte| byte.is_ascii_graphic()) {
        return refuse("inbound.secret", "must be ASCII without blanks: it travels in a header field");
    }
    if (1..SECRET_LENGTH).contains(&secret.len()) {
        return refuse(
            "inbound.secret",
            format!(
                "must have at least {SECRET_LENGTH} characters, so that nobody guesses it: `openssl rand -hex 16` makes one"
            ),
        );
    }
    Ok(())
}

/// RFC 8292, section 2.1: a mail or web address.
fn push(config: &Config) -> Result<(), ConfigError> {
    let subject = &config.push.subject;
    let is_mail = subject.strip_prefix("mailto:").is_some_and(|to| to.parse::<Address>().is_ok());
    let is_page = subject.starts_with("https://") && url::Url::parse(subject).is_ok_and(|url| url.has_host());
    if subject.is_empty() || is_mail || is_page {
        return Ok(());
    }
    refuse(
        "push.subject",
        format!(
            "`{subject}` is neither mailto:games@example.org nor an address such as https://games.example/"
        ),
    )
}

fn numbers(config: &Config) -> Result<(), ConfigError> {
    if config.retention.inbox_days < 30 {
        return refuse(
            "retention.inbox_days",
            "must be 30 or more: repeated mails are recognised for 30 days",
        );
    }
    if config.retention.outbox_days < REPLY_DAYS {
        return refuse(
            "retention.outbox_days",
            format!("must be {REPLY_DAYS} or more: as long, a mail can be answered by a reply"),
        );
    }
    if config.retention.audit_days == 0 {
        return refuse("retention.audit_days", "must be 1 or more");
    }
    for (key, number) in [
        ("limits.password_tries", config.limits.password_tries),
        ("limits.http_per_minute", config.limits.http_per_minute),
    ] {
        if number == 0 {
            return refuse(
                key,
                "must be 1 or more: with 0 nobody could do anything; limits.enabled = false ends all limits",
            );
        }
    }
    for (key, number, most) in [
        ("bots.threads", config.bots.threads, 64),
        ("bots.move_ms", config.bots.move_ms, 60_000),
        ("bots.hour_cpu_s", config.bots.hour_cpu_s, 64 * 3600),
    ] {
        if !(1..=most).contains(&number) {
            return refuse(
                key,
                format!("must be between 1 and {most}; bots.enabled = false switches them off"),
            );
        }
    }
    if config.database.max_connections == 0 {
        return refuse("database.max_connections", "must be 1 or more");
    }
    if !(1..=60).contains(&config.webhooks.timeout_seconds) {
        return refuse("webhooks.timeout_seconds", "must be seconds between 1 and 60");
    }
    let places = [
        ("inbound.waiting_per_host", config.inbound.waiting_per_host),
        ("inbound.waiting_per_domain", config.inbound.waiting_per_domain),
        ("inbound.waiting_total", config.inbound.waiting_total),
    ];
    for (key, value) in places {
        if value == 0 {
            return refuse(key, "must be 1 or more: a mail that waits for nobody needs a place too");
        }
    }
    if config.inbound.max_bytes < 1024 {
        return refuse("inbound.max_bytes", "must be 1024 or more");
    }
    let days = [("time.nag_days", config.time.nag_days), ("time.forfeit_days", config.time.forfeit_days)];
    for (key, value) in days {
        if !value.is_finite() || value <= 0.0 {
            return refuse(key, "must be a positive number of days");
        }
    }
    if config.time.nag_days > config.time.forfeit_days {
        return refuse("time.nag_days", "must not be more than time.forfeit_days: nobody would be reminded");
    }
    Ok(())
}

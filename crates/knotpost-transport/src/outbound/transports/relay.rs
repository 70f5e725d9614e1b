//! The URL that names a relay.

use super::TransportError;

/// Encryption of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Security {
    /// Without encryption.
    None,
    /// By STARTTLS where offered, with any certificate. Protects from eavesdropping only.
    Opportunistic,
    /// By STARTTLS with a valid certificate.
    Required,
    /// By TLS from the first byte, with a valid certificate.
    Wrapped,
}

/// The parts of an `smtp://` or `smtps://` URL.
#[derive(PartialEq, Eq)]
pub(super) struct Relay {
    pub(super) host: String,
    pub(super) port: u16,
    pub(super) credentials: Option<(String, String)>,
    pub(super) security: Security,
}

/// Parses what follows `smtp:` or `smtps:`.
pub(super) fn parse_relay(scheme: &str, rest: &str) -> Result<Relay, TransportError> {
    let rest = rest.strip_prefix("//").ok_or(TransportError::Relay)?;
    let (authority, query) = rest.split_once('?').unwrap_or((rest, ""));
    let authority = authority.trim_end_matches('/');
    let (credentials, place) = match authority.rsplit_once('@') {
        None => (None, authority),
        Some((login, place)) => {
            let (user, password) = login.split_once(':').unwrap_or((login, ""));
            (Some((percent_decode(user)?, percent_decode(password)?)), place)
        }
    };
    let wrapped = scheme == "smtps";
    let default_port = match (wrapped, &credentials) {
        (true, _) => 465,
        (false, Some(_)) => 587,
        (false, None) => 25,
    };
    let (host, port) = split_port(place, default_port)?;
    let security = match query.strip_prefix("tls=") {
        None if !query.is_empty() => return Err(TransportError::Relay),
        None if wrapped => Security::Wrapped,
        None if is_loopback(&host) => Security::None,
        // A password is sent only to a relay whose certificate was verified.
        None if credentials.is_some() => Security::Required,
        None => Security::Opportunistic,
        Some("none") if !wrapped => Security::None,
        Some("opportunistic") if !wrapped => Security::Opportunistic,
        Some("required") => {
            if wrapped {
                Security::Wrapped
            } else {
                Security::Required
            }
        }
        Some(_) => return Err(TransportError::Relay),
    };
    Ok(Relay { host, port, credentials, security })
}

fn split_port(place: &str, default_port: u16) -> Result<(String, u16), TransportError> {
    let (host, port) = match place.strip_prefix('[') {
        Some(six) => {
            let (host, after) = six.split_once(']').ok_or(TransportError::Relay)?;
            (host, after.strip_prefix(':'))
        }
        None => match place.split_once(':') {
            Some((host, port)) => (host, Some(port)),
            None => (place, None),
        },
    };
    let port = match port {
        None => default_port,
        Some(port) => port.parse().map_err(|_| TransportError::Relay)?,
    };
    let plain = !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-._:".contains(c));
    if plain { Ok((host.to_owned(), port)) } else { Err(TransportError::Relay) }
}

pub(super) fn is_loopback(host: &str) -> bool {
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn percent_decode(text: &str) -> Result<String, TransportError> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits =
            [rest.next(), rest.next()].map(|digit| digit.and_then(|digit| char::from(digit).to_digit(16)));
        let [Some(high), Some(low)] = digits else { return Err(TransportError::Relay) };
        bytes.push((high * 16 + low) as u8);
    }
    String::from_utf8(bytes).map_err(|_| TransportError::Relay)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn relay(scheme: &str, rest: &str) -> Relay {
        parse_relay(scheme, rest).unwrap_or_else(|error| unreachable!("{rest}: {error}"))
    }

    #[test]
    fn urls_name_relays() {
        let sent = relay("smtp", "//fred:p%40ss%3A@mail.example.org");
        assert_eq!((sent.host.as_str(), sent.port), ("mail.example.org", 587));
        assert_eq!(sent.credentials.unwrap(), ("fred".to_owned(), "p@ss:".to_owned()));
        assert_eq!(relay("smtp", "//mail.example.org/").port, 25);
        assert_eq!(relay("smtps", "//mail.example.org").port, 465);
        assert_eq!(relay("smtp", "//[::1]:2525").host, "::1");
    }

    #[test]
    fn security_follows_the_place_and_the_password() {
        assert!(relay("smtp", "//127.0.0.1:2525").security == Security::None);
        assert!(relay("smtp", "//localhost").security == Security::None);
        assert!(relay("smtp", "//mail.example.org").security == Security::Opportunistic);
        assert!(relay("smtp", "//a:b@mail.example.org").security == Security::Required);
        assert!(relay("smtp", "//a:b@mail.example.org?tls=none").security == Security::None);
        assert!(relay("smtps", "//mail.example.org").security == Security::Wrapped);
    }

    #[test]
    fn what_is_no_relay_is_refused_without_repeating_it() {
        for rest in [
            "",
            "//",
            "host",
            "//host:port",
            "//a:s3cret%zz@host",
            "//host?tls=maybe",
            "//host?x=y",
            "//ho st",
            "//[::1",
        ] {
            let error = parse_relay("smtp", rest).err().unwrap();
            assert!(!error.to_string().contains("s3cret"));
        }
    }
}

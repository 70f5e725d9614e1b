//! The address of a PostgreSQL database that may be on several servers, as libpq writes it:
//! `postgres://user@one:5432,two:5433/database?target_session_attrs=read-write`. sqlx reads an address of one server.

use std::str::FromStr;
use std::time::Duration;

use sqlx_postgres::PgConnectOptions;

use crate::connection::StoreError;

/// Which servers are good enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// Any that answers.
    Any,
    /// One that takes writes.
    ReadWrite,
    /// One that is no standby.
    Primary,
}

/// A server, and how it is called where it is shown: without user and password.
#[derive(Clone, Debug)]
pub(super) struct Host {
    pub(super) name: String,
    pub(super) options: PgConnectOptions,
}

/// What an address says.
#[derive(Debug)]
pub(super) struct Address {
    pub(super) hosts: Vec<Host>,
    pub(super) target: Target,
    /// How long one server may take to let somebody in.
    pub(super) timeout: Duration,
}

/// How long one server may take when the address does not say.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Whether an address is understood; a sentence says why it is not.
///
/// # Errors
/// When it is not. The sentence repeats nothing that could be a secret.
pub fn check_address(url: &str) -> Result<(), String> {
    if url.starts_with("sqlite:") { Ok(()) } else { Address::parse(url).map(drop).map_err(|e| e.to_string()) }
}

fn refuse<T>(problem: impl Into<String>) -> Result<T, StoreError> {
    Err(StoreError::Url(problem.into()))
}

impl Address {
    /// # Errors
    /// When the address is not understood.
    pub(super) fn parse(url: &str) -> Result<Self, StoreError> {
        let Some((scheme, rest)) =
            url.split_once("://").filter(|(scheme, _)| ["postgres", "postgresql"].contains(scheme))
        else {
            return refuse("database.url starts with `sqlite:` or `postgres://`");
        };
        let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) =
            place.split_once('/').map_or((place, String::new()), |(a, path)| (a, format!("/{path}")));
        let (user, hosts) = authority
            .rsplit_once('@')
            .map_or((String::new(), authority), |(u, hosts)| (format!("{u}@"), hosts));
        let parameters = Parameters::parse(query)?;
        let places = parameters.places(hosts)?;
        let mut found = Vec::new();
        for Place { name, written, more } in &places {
            let mut url = format!("{scheme}://{user}{written}{path}");
            for (index, parameter) in parameters.others.iter().chain(more).enumerate() {
                url.push(if index == 0 { '?' } else { '&' });
                url.push_str(parameter);
            }
            // What sqlx says may repeat the address.
            let Ok(options) = PgConnectOptions::from_str(&url) else {
                return refuse(
                    "database.url is no address of a database such as postgres://user:password@host:5432/database; \
                     signs that mean something in an address are written as %40 for @ and so on",
                );
            };
            found.push(Host { name: name.clone(), options: options.application_name("knotpost") });
        }
        let one = if found.len() == 1 { Target::Any } else { Target::ReadWrite };
        Ok(Self {
            hosts: found,
            target: parameters.target.unwrap_or(one),
            timeout: parameters.timeout.unwrap_or(CONNECT_TIMEOUT),
        })
    }
}

/// Where a server is.
struct Place {
    name: String,
    /// As it stands in an address of one server.
    written: String,
    /// Parameters of that server alone.
    more: Vec<String>,
}

/// What stands behind the `?`.
#[derive(Default)]
struct Parameters<'u> {
    target: Option<Target>,
    timeout: Option<Duration>,
    hosts: Option<&'u str>,
    ports: Option<&'u str>,
    others: Vec<String>,
}

impl<'u> Parameters<'u> {
    fn parse(query: &'u str) -> Result<Self, StoreError> {
        let mut all = Self::default();
        for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
            match parameter.split_once('=') {
                Some(("target_session_attrs", word)) => all.target = Some(target(word)?),
                Some(("connect_timeout", seconds)) => all.timeout = Some(seconds_of(seconds)?),
                Some(("host", hosts)) => all.hosts = Some(hosts),
                Some(("port", ports)) => all.ports = Some(ports),
                _ => all.others.push(parameter.to_owned()),
            }
        }
        Ok(all)
    }

    /// The servers: those of `host=`, which may be folders with sockets, or else those before the path.
    fn places(&self, authority: &str) -> Result<Vec<Place>, StoreError> {
        let Some(hosts) = self.hosts else {
            let ports = self.ports.map(|ports| format!("port={ports}"));
            let place = |host: &str| Place {
                name: if host.is_empty() { "localhost".to_owned() } else { host.replace("%2F", "/") },
                written: host.to_owned(),
                more: ports.clone().into_iter().collect(),
            };
            let places: Vec<Place> = authority.split(',').map(place).collect();
            if places.len() > 1 && places.iter().any(|place| place.written.is_empty()) {
                return refuse("database.url has a comma with no host beside it");
            }
            return Ok(places);
        };
        let hosts: Vec<&str> = hosts.split([',']).flat_map(|hosts| hosts.split("%2C")).collect();
        let ports: Vec<&str> = self.ports.map_or_else(Vec::new, |ports| ports.split(',').collect());
        if hosts.iter().any(|host| host.is_empty()) || ports.len() > 1 && ports.len() != hosts.len() {
            return refuse(
                "database.url has as many ports as hosts in `host=` and `port=`, or one port for all",
            );
        }
        let places = hosts.iter().enumerate().map(|(index, host)| {
            let port = ports.get(index).or(ports.first());
            let shown = host.replace("%2F", "/");
            Place {
                name: port.map_or_else(|| shown.clone(), |port| format!("{shown}:{port}")),
                written: authority.to_owned(),
                more: [format!("host={host}")]
                    .into_iter()
                    .chain(port.map(|port| format!("port={port}")))
                    .collect(),
            }
        });
        Ok(places.collect())
    }
}

fn target(word: &str) -> Result<Target, StoreError> {
    match word {
        "any" => Ok(Target::Any),
        "read-write" => Ok(Target::ReadWrite),
        "primary" => Ok(Target::Primary),
        _ => refuse("target_session_attrs of database.url is read-write, primary or any: this server writes"),
    }
}

fn seconds_of(text: &str) -> Result<Duration, StoreError> {
    match text.parse::<u64>() {
        Ok(seconds) if (1..=60).contains(&seconds) => Ok(Duration::from_secs(seconds)),
        _ => refuse("connect_timeout of database.url is a number of seconds between 1 and 60"),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parsed(url: &str) -> Vec<String> {
        let address = Address::parse(url).unwrap();
        let shown = address.hosts.iter().map(|Host { name, options }| {
            let socket = options.get_socket().map(|path| path.display().to_string());
            format!(
                "{name} = {}@{}:{}/{}",
                options.get_username(),
                socket.unwrap_or_else(|| options.get_host().to_owned()),
                options.get_port(),
                options.get_database().unwrap_or_default()
            )
        });
        shown.chain([format!("{:?}", address.target)]).collect()
    }

    #[test]
    fn an_address_names_one_server_or_several() {
        for (url, hosts) in [
            ("postgres://u:p@h:5433/db", &["h:5433 = u@h:5433/db", "Any"][..]),
            (
                "postgres://u@h1:5432,h2:5433/db?target_session_attrs=primary",
                &["h1:5432 = u@h1:5432/db", "h2:5433 = u@h2:5433/db", "Primary"],
            ),
            (
                "postgresql://u:p%40w@h1,[::1]:5433/db",
                &["h1 = u@h1:5432/db", "[::1]:5433 = u@[::1]:5433/db", "ReadWrite"],
            ),
            (
                "postgres://u@localhost/db?host=/run/a,/run/b&port=5432,5433",
                &["/run/a:5432 = u@/run/a:5432/db", "/run/b:5433 = u@/run/b:5433/db", "ReadWrite"],
            ),
            ("postgres://u@localhost/db?host=%2Frun%2Fa", &["/run/a = u@/run/a:5432/db", "Any"]),
            ("postgres://u@%2Frun%2Fa/db", &["/run/a = u@/run/a:5432/db", "Any"]),
            (
                "postgres://u@a,b/db?port=6000&target_session_attrs=any&connect_timeout=2",
                &["a = u@a:6000/db", "b = u@b:6000/db", "Any"],
            ),
        ] {
            assert_eq!(parsed(url), hosts, "{url}");
        }
        let timeout = |url: &str| Address::parse(url).unwrap().timeout.as_secs();
        assert_eq!(timeout("postgres://u@a,b/db?connect_timeout=2"), 2);
        assert_eq!(timeout("postgres://u@a,b/db"), 5);
    }

    #[test]
    fn what_is_not_understood_is_refused_without_its_secrets() {
        for url in [
            "mysql://u:geheim@h/db",
            "postgres://u:geheim@h1,,h2/db",
            "postgres://u:geheim@h1:geheim/db",
            "postgres://u:geheim@h1/db?target_session_attrs=standby",
            "postgres://u:geheim@h1/db?connect_timeout=geheim",
            "postgres://u:geheim@/db?host=a,b,c&port=1,2",
        ] {
            let said = check_address(url).unwrap_err();
            assert!(said.contains("database.url") && !said.contains("geheim"), "{url}: {said}");
        }
        assert_eq!(check_address("sqlite:x"), Ok(()));
    }
}

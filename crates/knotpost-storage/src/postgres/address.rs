//! The address of a PostgreSQL server. sqlx reads it, except for `target_session_attrs`.

use std::str::FromStr as _;
use std::time::Duration;

use sqlx::{ConnectOptions as _, Connection as _};
use sqlx_postgres::{PgConnectOptions, PgConnection};
use tokio::time::timeout;

use super::role::Role;
use crate::connection::StoreError;

/// Limit for a server to accept a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Role that the server must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Any,
    /// One that takes writes.
    ReadWrite,
    /// One that is no standby.
    Primary,
}

/// Address of the server, and the role it must have.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    options: PgConnectOptions,
    target: Target,
}

/// Checks that an address is understood; a sentence says why it is not.
///
/// # Errors
/// When it is not. The sentence repeats nothing that could be a secret.
pub fn check_address(url: &str) -> Result<(), String> {
    if url.starts_with("sqlite:") { Ok(()) } else { Address::parse(url).map(drop).map_err(|e| e.to_string()) }
}

fn refuse<T>(problem: &str) -> Result<T, StoreError> {
    Err(StoreError::Url(problem.to_owned()))
}

impl Address {
    /// # Errors
    /// When the address is not understood, or names several servers.
    pub(crate) fn parse(url: &str) -> Result<Self, StoreError> {
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let Some((_, rest)) =
            place.split_once("://").filter(|(scheme, _)| ["postgres", "postgresql"].contains(scheme))
        else {
            return refuse("database.url starts with `sqlite:` or `postgres://`");
        };
        let (ours, theirs): (Vec<_>, Vec<_>) =
            query.split('&').partition(|parameter| parameter.starts_with("target_session_attrs="));
        if names_several(rest, &theirs) {
            return refuse(
                "database.url names several hosts, and this server connects to one: put HAProxy before the servers of \
                 the database and name its address, see docs/operations/failover.md",
            );
        }
        let target = match ours.last().and_then(|parameter| parameter.split_once('=')) {
            None | Some((_, "any")) => Target::Any,
            Some((_, "read-write")) => Target::ReadWrite,
            Some((_, "primary")) => Target::Primary,
            Some(_) => {
                return refuse(
                    "target_session_attrs of database.url is read-write, primary or any: this server writes",
                );
            }
        };
        // Errors of sqlx may repeat the address.
        let Ok(options) = PgConnectOptions::from_str(&format!("{place}?{}", theirs.join("&"))) else {
            return refuse(
                "database.url is no address of a database such as postgres://user:password@host:5432/database; \
                 signs that mean something in an address are written as %40 for @ and so on",
            );
        };
        Ok(Self { options: options.application_name("knotpost"), target })
    }

    pub(super) fn options(&self) -> PgConnectOptions {
        self.options.clone()
    }

    /// True if a server in this role may be used.
    pub(super) fn accepts(&self, role: Role) -> bool {
        match self.target {
            Target::Any => true,
            Target::Primary => role != Role::Standby,
            Target::ReadWrite => role == Role::Writes,
        }
    }

    /// True if work waits for another server to take the place of one that takes no writes.
    pub(super) fn wants_writes(&self) -> bool {
        self.target != Target::Any
    }

    /// Opens a connection of its own, once.
    ///
    /// # Errors
    /// When the server cannot be reached, or is none to work with.
    pub(crate) async fn connect(&self) -> Result<(PgConnection, Role), StoreError> {
        let connecting = async {
            let mut connection = self.options.connect().await?;
            let role = Role::greet(&mut connection).await?;
            Ok::<_, StoreError>((connection, role))
        };
        let Ok(connected) = timeout(CONNECT_TIMEOUT, connecting).await else {
            return Err(StoreError::NoServer("no answer in time".to_owned()));
        };
        let (connection, role) = connected?;
        if self.accepts(role) {
            return Ok((connection, role));
        }
        let _ = timeout(CONNECT_TIMEOUT, connection.close()).await;
        Err(StoreError::NoServer(role.words().to_owned()))
    }
}

/// True if hosts or ports are lists, as libpq takes them.
fn names_several(rest: &str, parameters: &[&str]) -> bool {
    let authority = rest.split('/').next().unwrap_or_default();
    let hosts = authority.rsplit_once('@').map_or(authority, |(_, hosts)| hosts);
    let values = parameters.iter().filter_map(|parameter| parameter.split_once('='));
    let values =
        values.filter(|(name, _)| ["host", "hostaddr", "port"].contains(name)).map(|(_, value)| value);
    values.chain([hosts]).any(|value| value.contains(',') || value.to_ascii_uppercase().contains("%2C"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn parsed(url: &str) -> String {
        let Address { options, target } = Address::parse(url).unwrap();
        let socket = options.get_socket().map(|path| path.display().to_string());
        let host = socket.unwrap_or_else(|| options.get_host().to_owned());
        let (user, port) = (options.get_username(), options.get_port());
        format!("{user}@{host}:{port}/{} {target:?}", options.get_database().unwrap_or_default())
    }

    #[test]
    fn an_address_names_a_server_and_what_it_has_to_be() {
        for (url, read) in [
            ("postgres://u:p@h:5433/db", "u@h:5433/db Any"),
            ("postgresql://u:p%40w@h/db?target_session_attrs=primary", "u@h:5432/db Primary"),
            ("postgres://u@h/db?target_session_attrs=read-write&port=6000", "u@h:6000/db ReadWrite"),
            ("postgres://u:a,b@[::1]:5433/db", "u@[::1]:5433/db Any"),
            ("postgres://u@localhost/db?host=%2Frun%2Fa", "u@/run/a:5432/db Any"),
            ("postgres:///db?host=/run/a&user=u&target_session_attrs=any", "u@/run/a:5432/db Any"),
            ("postgres://u@%2Frun%2Fa/db", "u@/run/a:5432/db Any"),
        ] {
            assert_eq!(parsed(url), read, "{url}");
        }
    }

    #[test]
    fn several_servers_are_refused_with_the_way_to_do_it() {
        for url in [
            "postgres://u:geheim@h1:5432,h2:5433/db?target_session_attrs=primary",
            "postgres://u:geheim@h1,h2/db",
            "postgres://u:geheim@h1%2ch2/db",
            "postgres://h1,/db",
            "postgres://u:geheim@localhost/db?host=/run/a,/run/b",
            "postgres://u:geheim@localhost/db?host=h1%2Ch2",
            "postgres://u:geheim@localhost/db?hostaddr=127.0.0.1,127.0.0.2",
            "postgres://u:geheim@localhost/db?port=5432,5433",
        ] {
            let said = check_address(url).unwrap_err();
            assert!(
                said.contains("docs/operations/failover.md") && !said.contains("geheim"),
                "{url}: {said}"
            );
        }
    }

    #[test]
    fn what_is_not_understood_is_refused_without_its_secrets() {
        for url in [
            "mysql://u:geheim@h/db",
            "postgres://u:geheim@h1:geheim/db",
            "postgres://u:geheim@h1/db?target_session_attrs=standby",
            "postgres://u:geheim@/db?port=geheim",
        ] {
            let said = check_address(url).unwrap_err();
            assert!(said.contains("database.url") && !said.contains("geheim"), "{url}: {said}");
            assert!(!said.contains("several"), "{url}: {said}");
        }
        assert_eq!(check_address("sqlite:x"), Ok(()));
    }
}

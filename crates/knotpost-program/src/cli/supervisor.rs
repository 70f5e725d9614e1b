//! Reports the state to the service manager as `sd_notify(3)` describes: datagrams to the socket in `NOTIFY_SOCKET`,
//! if there is one.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::net::{SocketAddr, UnixDatagram};
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Limit for a service manager that does not read its socket.
const PATIENCE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct Supervisor {
    connection: Option<UnixDatagram>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum State<'a> {
    Starting(&'a str),
    Ready(&'a str),
    /// Followed by [`State::Ready`].
    Reloading,
    /// Work that has begun is completed; then the process ends.
    Stopping,
    Failed(&'a str),
}

impl Supervisor {
    pub(super) fn from_environment() -> Self {
        let Some(name) = notify_socket().filter(|name| !name.is_empty()) else {
            return Self { connection: None };
        };
        match connect(&name) {
            Ok(connection) => Self { connection: Some(connection) },
            Err(error) => {
                let socket = name.display().to_string();
                tracing::warn!(
                    socket,
                    %error,
                    "the socket of the service manager (NOTIFY_SOCKET) cannot be used; it is told nothing"
                );
                Self { connection: None }
            }
        }
    }

    /// Logs a failure, which stops nothing.
    pub(super) fn tell(&self, state: State<'_>) {
        let Some(connection) = &self.connection else { return };
        if let Err(error) = connection.send(state.message().as_bytes()) {
            tracing::warn!(%error, ?state, "the service manager could not be told");
        }
    }
}

impl State<'_> {
    fn message(self) -> String {
        match self {
            Self::Starting(status) => format!("STATUS=Starting: {}", one_line(status)),
            Self::Ready(status) => format!("READY=1\nSTATUS={}", one_line(status)),
            // The time lets a service manager tell this reload from earlier ones.
            Self::Reloading => {
                format!("RELOADING=1\nMONOTONIC_USEC={}\nSTATUS=Reading files again", uptime())
            }
            Self::Stopping => "STOPPING=1\nSTATUS=Stopping: what is in progress is finished".to_owned(),
            Self::Failed(status) => format!("STATUS=Failed: {}", one_line(status)),
        }
    }
}

/// A line break would begin another field of the message.
fn one_line(words: &str) -> String {
    words.split(char::is_control).collect::<Vec<_>>().join(" ")
}

/// Microseconds of the monotonic clock, which the service manager reads too.
fn uptime() -> i64 {
    let now = clock_gettime(ClockId::Monotonic);
    now.tv_sec * 1_000_000 + now.tv_nsec / 1_000
}

#[expect(clippy::disallowed_methods, reason = "a service manager names its socket in the environment alone")]
fn notify_socket() -> Option<OsString> {
    std::env::var_os("NOTIFY_SOCKET")
}

fn connect(name: &OsStr) -> io::Result<UnixDatagram> {
    let address = address(name)?;
    let connection = UnixDatagram::unbound()?;
    connection.connect_addr(&address)?;
    connection.set_write_timeout(Some(PATIENCE))?;
    Ok(connection)
}

/// Takes a path, or after `@` a name in the abstract namespace.
fn address(name: &OsStr) -> io::Result<SocketAddr> {
    match name.as_bytes() {
        [b'@', abstract_name @ ..] => abstract_address(abstract_name),
        [b'/', ..] => SocketAddr::from_pathname(name),
        _ => Err(io::Error::new(io::ErrorKind::Unsupported, "neither an absolute path nor a name after @")),
    }
}

#[cfg(target_os = "linux")]
fn abstract_address(name: &[u8]) -> io::Result<SocketAddr> {
    use std::os::linux::net::SocketAddrExt as _;
    SocketAddr::from_abstract_name(name)
}

#[cfg(not(target_os = "linux"))]
fn abstract_address(_: &[u8]) -> io::Result<SocketAddr> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_is_one_line_whatever_an_error_says() {
        let message = State::Failed("the file\nREADY=1\r\nwas \u{7}found").message();
        assert_eq!(message, "STATUS=Failed: the file READY=1  was  found");
    }

    #[test]
    fn only_paths_and_abstract_names_are_sockets() {
        assert_eq!(address(OsStr::new("/run/notify")).unwrap().as_pathname().unwrap(), "/run/notify");
        assert!(!address(OsStr::new("@name")).unwrap().is_unnamed());
        for name in ["notify", "vsock:2:1234"] {
            assert_eq!(address(OsStr::new(name)).unwrap_err().kind(), io::ErrorKind::Unsupported);
        }
    }
}

//! The listeners of a server, and the file with their addresses.

use std::fmt;
use std::fs::File;
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::Context as _;
use tokio::net::TcpListener;

use knotpost_core::config::{Config, unix_path};
use knotpost_transport::inbound::local_socket;
use knotpost_transport::inbound::unix_socket::NamedSocket;

pub const PORTS_FILE: &str = "ports.json";

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Ports {
    pub http: Option<SocketAddr>,
    pub smtp: Option<SocketAddr>,
    pub lmtp: Option<ListenAddress>,
    /// Key to `/mailbox`; `None` if mail leaves this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mailbox_key: Option<String>,
}

/// Written as `127.0.0.1:2424` or `unix:/run/knotpost/lmtp`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListenAddress {
    Tcp(SocketAddr),
    Unix(PathBuf),
}

impl fmt::Display for ListenAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tcp(address) => write!(out, "{address}"),
            Self::Unix(path) => write!(out, "unix:{}", path.display()),
        }
    }
}

impl FromStr for ListenAddress {
    type Err = std::net::AddrParseError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match unix_path(text) {
            Some(path) => Ok(Self::Unix(path.to_owned())),
            None => text.parse().map(Self::Tcp),
        }
    }
}

impl serde::Serialize for ListenAddress {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for ListenAddress {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

pub(crate) enum LmtpListener {
    Tcp(TcpListener),
    Unix(NamedSocket),
}

impl LmtpListener {
    pub(super) fn local_address(&self) -> std::io::Result<ListenAddress> {
        Ok(match self {
            Self::Tcp(listener) => ListenAddress::Tcp(listener.local_addr()?),
            Self::Unix(socket) => ListenAddress::Unix(socket.path().to_owned()),
        })
    }
}

pub(crate) async fn bind(key: &'static str, listen: &str) -> anyhow::Result<Option<TcpListener>> {
    if listen.is_empty() {
        return Ok(None);
    }
    let listener = TcpListener::bind(listen).await.with_context(|| {
        format!("{key}: {listen} cannot be listened on; choose another address, or port 0 for any free one")
    })?;
    Ok(Some(listener))
}

pub(crate) async fn bind_lmtp(config: &Config) -> anyhow::Result<Option<LmtpListener>> {
    let listen = &config.lmtp.listen;
    let Some(path) = unix_path(listen) else {
        return Ok(bind("lmtp.listen", listen).await?.map(LmtpListener::Tcp));
    };
    let socket = NamedSocket::bind(path, config.lmtp.socket_mode.bits()).with_context(|| {
        format!(
            "lmtp.listen: {} cannot be listened on; let it be in a folder that user {} may write to",
            path.display(),
            knotpost_platform::files::this_user()
        )
    })?;
    Ok(Some(LmtpListener::Unix(socket)))
}

pub(crate) fn bind_socket(config: &Config) -> anyhow::Result<local_socket::Socket> {
    let socket = config.socket();
    local_socket::Socket::bind(&socket, config.server.socket_mode.bits()).with_context(|| {
        format!(
            "the socket for `deliver` cannot be made at {}; let server.socket name a place in a folder that user {} may \
             write to",
            socket.display(),
            knotpost_platform::files::this_user()
        )
    })
}

pub(super) fn address(listener: Option<&TcpListener>) -> std::io::Result<Option<SocketAddr>> {
    listener.map(TcpListener::local_addr).transpose()
}

/// Call it after all listeners are open. The file appears complete, since another process may wait for it; its key is
/// readable by the server's user alone.
pub(super) fn write_ports(data: &Path, ports: &Ports) -> anyhow::Result<()> {
    let draft = data.join(format!("{PORTS_FILE}.{}", std::process::id()));
    // A draft that a killed server left may have another mode.
    let _ = std::fs::remove_file(&draft);
    let mut file = File::options().write(true).create_new(true).mode(0o600).open(&draft)?;
    file.write_all((serde_json::to_string(ports)? + "\n").as_bytes())?;
    drop(file);
    std::fs::rename(&draft, data.join(PORTS_FILE))?;
    Ok(())
}

pub(crate) fn read_ports(data: &Path) -> std::io::Result<Ports> {
    let text = std::fs::read_to_string(data.join(PORTS_FILE))?;
    serde_json::from_str(&text).map_err(std::io::Error::other)
}

/// The file may be absent: nothing depends on it.
pub(super) fn remove_ports(data: &Path) {
    let _ = std::fs::remove_file(data.join(PORTS_FILE));
}

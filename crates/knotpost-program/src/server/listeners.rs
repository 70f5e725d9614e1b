//! The listeners of a server, and the file with their addresses.

use std::fs::File;
use std::io::Write as _;
use std::net::SocketAddr;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::Context as _;
use tokio::net::TcpListener;

use knotpost_core::config::{Config, unix_path};
use knotpost_transport::inbound::unix_socket::NamedSocket;

pub const PORTS_FILE: &str = "ports.json";

#[derive(Clone, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct Ports {
    pub http: Option<SocketAddr>,
    pub smtp: Option<SocketAddr>,
    /// `127.0.0.1:2424` or `unix:/run/knotpost/lmtp`.
    pub lmtp: Option<String>,
    /// Key to `/mailbox`; `None` if mail leaves this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mailbox_key: Option<String>,
}

pub(crate) enum LmtpListener {
    Tcp(TcpListener),
    Unix(NamedSocket),
}

impl LmtpListener {
    pub(super) fn local_address(&self) -> std::io::Result<String> {
        Ok(match self {
            Self::Tcp(listener) => listener.local_addr()?.to_string(),
            Self::Unix(socket) => format!("unix:{}", socket.path().display()),
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

pub(crate) fn bind_socket(config: &Config) -> anyhow::Result<NamedSocket> {
    let socket = config.socket();
    NamedSocket::bind(&socket, config.server.socket_mode.bits()).with_context(|| {
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

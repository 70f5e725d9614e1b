//! `deploy/haproxy.cfg` at work, before two PostgreSQL servers of this machine.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::postgres::Node;
use crate::server::Patience;

/// The configuration that operators copy.
const CONFIG: &str = include_str!("../../../../deploy/haproxy.cfg");
/// Its placeholders for the address of haproxy, and for the servers.
const PLACES: [&str; 3] =
    ["127.0.0.1:5000", "192.0.2.11:5432 check port 8008", "192.0.2.12:5432 check port 8008"];
/// Limit for a server to tell its role.
const ANSWER: Duration = Duration::from_secs(1);
/// Limit for the start of haproxy.
const PATIENCE: Duration = Duration::from_secs(10);

/// haproxy, and the checks that it asks. All end with this value.
pub(super) struct Proxy {
    pub(super) port: u16,
    _program: Child,
    _config: tempfile::NamedTempFile,
    checks: Vec<JoinHandle<()>>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.checks.iter().for_each(JoinHandle::abort);
    }
}

impl Proxy {
    /// Starts it before these servers.
    pub(super) async fn open(nodes: &[Arc<Node>; 2]) -> anyhow::Result<Self> {
        let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let (mut words, mut checks) = (vec![format!("127.0.0.1:{port}")], Vec::new());
        for node in nodes {
            let listener = TcpListener::bind("127.0.0.1:0").await?;
            words.push(format!("{} check port {}", node.host(), listener.local_addr()?.port()));
            checks.push(tokio::spawn(answer_checks(listener, Arc::clone(node))));
        }
        let mut text = CONFIG.to_owned();
        for (place, word) in PLACES.iter().zip(words) {
            ensure!(text.contains(place), "deploy/haproxy.cfg has no {place}");
            text = text.replace(place, &word);
        }
        let config = tempfile::NamedTempFile::new()?;
        std::fs::write(config.path(), text)?;
        // Debian has it where not everybody looks.
        let program = ["/usr/sbin/haproxy", "haproxy"];
        let program =
            program.into_iter().find(|path| std::path::Path::new(path).exists()).unwrap_or("haproxy");
        let mut command = Command::new(program);
        command.arg("-db").arg("-f").arg(config.path()).stdin(Stdio::null()).stdout(Stdio::null());
        // It tells of every server that it loses.
        let started = command.stderr(Stdio::null()).kill_on_drop(true).spawn();
        let started = started.context("there is no haproxy (apt install haproxy)")?;
        let proxy = Self { port, _program: started, _config: config, checks };
        let mut patience = Patience::new(PATIENCE, Duration::from_millis(20));
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            patience.wait("haproxy does not start").await?;
        }
        Ok(proxy)
    }
}

/// Answers as patroni does at `/primary`: 200 on a server that takes writes. One that stands still says nothing in time.
async fn answer_checks(listener: TcpListener, node: Arc<Node>) {
    while let Ok((mut asking, _)) = listener.accept().await {
        let node = Arc::clone(&node);
        tokio::spawn(async move {
            let asked = timeout(ANSWER, node.ask("SELECT NOT pg_is_in_recovery()")).await;
            let is_primary = matches!(asked, Ok(Ok(answer)) if answer == "t");
            let status = if is_primary { "200 OK" } else { "503 Service Unavailable" };
            // haproxy may have gone away meanwhile.
            let _ = asking.read(&mut [0; 1024]).await;
            let _ = asking.write_all(format!("HTTP/1.0 {status}\r\n\r\n").as_bytes()).await;
        });
    }
}

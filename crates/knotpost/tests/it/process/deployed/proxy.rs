//! The reverse proxy: nginx with the settings of the repository, and a small stand-in where there is none.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::task::JoinHandle;

use crate::harness::free_address;
use crate::process::running::{has_neighbour, wait_for};

/// As it is given to operators.
const SETTINGS: &str = include_str!("../../../../../../deploy/nginx.conf");

/// What stands before the servers; ends with this value.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    process: Option<Child>,
    task: Option<JoinHandle<()>>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.iter().for_each(JoinHandle::abort);
    }
}

impl Proxy {
    /// Before these servers; nginx works in `folder`.
    pub(super) async fn start(folder: &Path, servers: &[SocketAddr]) -> Self {
        if has_neighbour("nginx") {
            Self::nginx(folder, servers).await
        } else {
            Self::stand_in(servers).await
        }
    }

    /// One process, so that it ends when it is killed.
    async fn nginx(folder: &Path, servers: &[SocketAddr]) -> Self {
        let address = free_address();
        let [first, .., last] = [servers, servers].concat()[..] else { panic!("there is a server") };
        let mut settings = SETTINGS.to_owned();
        for (own, here) in [
            ("listen 8080;", format!("listen {address};")),
            ("knotpost-1:8080", first.to_string()),
            ("knotpost-2:8080", last.to_string()),
        ] {
            assert!(settings.contains(own), "deploy/nginx.conf has no {own}");
            settings = settings.replace(own, &here);
        }
        let file = folder.join("nginx.conf");
        let log = folder.join("nginx.log");
        let globals = format!(
            "daemon off; master_process off; error_log {}; pid {};",
            log.display(),
            folder.join("pid").display()
        );
        std::fs::write(&file, settings).unwrap();
        let mut process = Command::new("nginx")
            .args(["-e", log.to_str().unwrap(), "-c", file.to_str().unwrap(), "-g", &globals])
            .stdin(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        wait_for("nginx", async || {
            let ended = process.try_wait().unwrap();
            assert!(ended.is_none(), "nginx: {}", std::fs::read_to_string(&log).unwrap_or_default());
            TcpStream::connect(address).await.ok()
        })
        .await;
        Self { address, process: Some(process), task: None }
    }

    async fn stand_in(servers: &[SocketAddr]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let servers = servers.to_vec();
        let task = tokio::spawn(async move {
            for server in servers.into_iter().cycle() {
                let Ok((stream, _)) = listener.accept().await else { return };
                tokio::spawn(pass_on(stream, server));
            }
        });
        Self { address, process: None, task: Some(task) }
    }

    pub(super) async fn stop(mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().await.unwrap();
        }
    }
}

/// One request and its answer, with the headers that nginx would set.
async fn pass_on(mut client: TcpStream, server: SocketAddr) -> std::io::Result<()> {
    let (mut request, mut buffer) = (Vec::new(), [0; 4096]);
    let (head, length) = loop {
        let read = client.read(&mut buffer).await?;
        request.extend(&buffer[..read]);
        let text = String::from_utf8_lossy(&request);
        if let Some((head, _)) = text.split_once("\r\n\r\n") {
            let head = head.to_owned();
            let length = head
                .lines()
                .find_map(|line| line.to_lowercase().strip_prefix("content-length: ")?.parse().ok());
            break (head, length.unwrap_or(0));
        }
        if read == 0 {
            return Ok(());
        }
    };
    let mut body = request.split_off(head.len() + 4);
    while body.len() < length {
        let read = client.read(&mut buffer).await?;
        body.extend(&buffer[..read]);
    }
    let (mut lines, mut clients) = (Vec::new(), String::new());
    for line in head.lines() {
        let lower = line.to_lowercase();
        if let Some(forwarded) = lower.strip_prefix("x-forwarded-for: ") {
            clients = format!("{forwarded}, ");
        } else if !lower.starts_with("connection:") {
            lines.push(line);
        }
    }
    let head = lines.join("\r\n");
    let mut server = TcpStream::connect(server).await?;
    let head = format!(
        "{head}\r\nConnection: close\r\nX-Forwarded-For: {clients}127.0.0.1\r\nX-Forwarded-Proto: http\r\n\r\n"
    );
    server.write_all(head.as_bytes()).await?;
    server.write_all(&body).await?;
    tokio::io::copy(&mut server, &mut client).await?;
    Ok(())
}

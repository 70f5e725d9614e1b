//! Where the servers of the profile run, and how players reach them.

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};

use knotpost_program::server::Ports;
use serde_json::Value;
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::outside::{Arrived, Outside};
use super::proxy::Proxy;
use crate::process::running::{PATIENCE, has_neighbour, leave_out, run_neighbour, wait_for};
use crate::process::wire::{Response, mail, request_from};

const ADDRESS: &str = "pbmserv@games.test";
const HOST: &str = "play.games.test";
/// The user that owns nothing.
const NOBODY: (u32, u32) = (65534, 65534);

/// Whether this machine can run the profile: another user takes the rights of root.
pub(super) fn is_possible() -> bool {
    let is_root = fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0);
    if !is_root {
        leave_out("servers as another user, which only root can start");
    }
    is_root && has_neighbour("setpriv")
}

/// A server of the site.
struct Server {
    process: Child,
    ports: Ports,
}

/// Servers, what stands before them, and the world.
pub(super) struct Site {
    folder: TempDir,
    servers: Vec<Server>,
    outside: Outside,
    proxy: Proxy,
    mails: AtomicUsize,
}

impl Site {
    /// Starts `count` servers, on this database or on a SQLite file.
    pub(super) async fn start(count: usize, database: Option<&str>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
        // Whoever runs it may not look into the folder the tests were built in.
        let program = folder.path().join("knotpost");
        fs::copy(env!("CARGO_BIN_EXE_knotpost"), &program).unwrap();
        let outside = Outside::open().await;
        let user = database.and_then(owner_of_socket).unwrap_or(NOBODY);
        let mut servers = Vec::new();
        for number in 1..=count {
            let settings = settings(folder.path(), number, outside.address, database);
            servers.push(Server::start(folder.path(), &program, number, &settings, user).await);
        }
        let addresses: Vec<SocketAddr> = servers.iter().map(|server| server.ports.http.unwrap()).collect();
        let proxy = Proxy::start(folder.path(), &addresses).await;
        Self { folder, servers, outside, proxy, mails: AtomicUsize::new(0) }
    }

    /// Ends everything; each server must end well, and nothing that it stored may be for others to read.
    pub(super) async fn stop(self) {
        for server in &self.servers {
            let id = server.process.id().expect("it runs");
            assert_ne!(fs::metadata(format!("/proc/{id}")).unwrap().uid(), 0, "it is no process of root");
        }
        self.proxy.stop().await;
        for mut server in self.servers {
            let id = server.process.id().expect("it runs").to_string();
            run_neighbour("kill", &["-TERM", &id]).await.succeed();
            let status = timeout(PATIENCE, server.process.wait()).await.expect("it ends").unwrap();
            assert!(status.success(), "{status}");
        }
        let key = fs::metadata(data(self.folder.path(), 1).join("secret.key"));
        if let Ok(key) = key {
            assert_eq!(key.permissions().mode() & 0o777, 0o600, "whatever the umask is");
        }
    }

    /// A player's mail to the server, as the relay hands it on.
    pub(super) async fn mail(&self, name: &str, subject: &str, body: &str) {
        self.send(name, ADDRESS, subject, body, "").await;
    }

    /// A reply to a mail with these words.
    pub(super) async fn reply(&self, name: &str, to: &Arrived, words: &str) {
        let address = to.reply_to.clone().unwrap_or_else(|| ADDRESS.to_owned());
        let subject = format!("Re: {}", to.subject);
        self.send(name, &address, &subject, words, &format!("In-Reply-To: <{}>\n", to.message_id)).await;
    }

    async fn send(&self, name: &str, to: &str, subject: &str, body: &str, headers: &str) {
        let number = self.mails.fetch_add(1, Ordering::Relaxed);
        let from = format!("{name}@home.test");
        let message = format!(
            "Received: from laptop.home.test (laptop.home.test [{}]) by mx.games.test (Postfix) with ESMTPS id {number};\n\
             \x20Fri, 20 Nov 2026 10:00:00 +0000\n\
             From: {from}\nTo: {to}\nSubject: {subject}\nMessage-ID: <{number}@home.test>\n{headers}\
             Date: Fri, 20 Nov 2026 10:00:00 +0000\n\n{body}\n",
            host_of(name)
        );
        let server = &self.servers[number % self.servers.len()];
        let reply = mail(server.ports.smtp.unwrap(), &from, to, &message).await.unwrap();
        assert!(reply.starts_with("250"), "{subject}: {reply}");
    }

    /// Waits for a mail to this player and takes it out of their mailbox.
    pub(super) async fn read(&self, name: &str, what: &str, wanted: impl Fn(&Arrived) -> bool) -> Arrived {
        let to = format!("{name}@home.test");
        let wait = async || self.outside.take(|mail| mail.to == to && wanted(mail));
        let waited = timeout(PATIENCE / 2, wait_for(what, wait)).await;
        waited.unwrap_or_else(|_| panic!("{name} never got {what}; there are {:#?}", self.outside.unread()))
    }

    /// What this player has not read.
    pub(super) fn unread(&self, name: &str) -> Vec<Arrived> {
        let to = format!("{name}@home.test");
        self.outside.unread().into_iter().filter(|mail| mail.to == to).collect()
    }

    pub(super) async fn get(&self, path: &str) -> Response {
        self.ask(&format!("GET {path} HTTP/1.1"), "").await
    }

    /// Sends a form.
    pub(super) async fn submit(&self, path: &str, form: &str) -> Response {
        let kind = "Content-Type: application/x-www-form-urlencoded";
        self.ask(&format!("POST {path} HTTP/1.1\r\n{kind}"), form).await
    }

    /// A command over HTTP.
    pub(super) async fn command(&self, line: &str) -> Response {
        let body = serde_json::json!({ "command": line }).to_string();
        self.ask("POST /commands HTTP/1.1\r\nContent-Type: application/json", &body).await
    }

    async fn ask(&self, head: &str, body: &str) -> Response {
        // Another proxy further out has named the client.
        let head = format!("{head}\r\nX-Forwarded-For: {}", host_of("ann"));
        request_from(self.proxy.address, HOST, &head, body).await.unwrap()
    }

    pub(super) async fn board(&self) -> Value {
        self.get("/api/v1/boards/osbox/101").await.json()
    }

    pub(super) async fn wait_for_ply(&self, ply: usize) {
        wait_for("the move", async || (self.board().await["ply"] == ply).then_some(())).await;
    }
}

impl Server {
    async fn start(
        root: &Path,
        program: &Path,
        number: usize,
        settings: &str,
        (user, group): (u32, u32),
    ) -> Self {
        let conf = root.join(format!("etc{number}"));
        let home = root.join(format!("var{number}"));
        for folder in [&conf, &home] {
            fs::create_dir(folder).unwrap();
            fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
        }
        std::os::unix::fs::chown(&home, Some(user), Some(group)).unwrap();
        let file = conf.join("knotpost.toml");
        fs::write(&file, settings).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::chown(&file, Some(0), Some(group)).unwrap();
        let identity = [format!("--reuid={user}"), format!("--regid={group}"), "--clear-groups".to_owned()];
        let mut process = Command::new("setpriv")
            .args(identity)
            .args(["sh", "-c", "umask 022; exec \"$@\"", "sh"])
            .arg(program)
            .arg("--config")
            .arg(&file)
            .arg("serve")
            .current_dir("/")
            .env_clear()
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(fs::File::create(root.join(format!("log{number}"))).unwrap())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let told = data(root, number).join("ports.json");
        let ports = wait_for("the server", async || {
            let ended = process.try_wait().unwrap();
            let log = || fs::read_to_string(root.join(format!("log{number}"))).unwrap_or_default();
            assert!(ended.is_none(), "the server did not start: {}", log());
            serde_json::from_str(&fs::read_to_string(&told).ok()?).ok()
        })
        .await;
        Self { process, ports }
    }
}

fn data(root: &Path, number: usize) -> PathBuf {
    root.join(format!("var{number}/knotpost"))
}

fn settings(root: &Path, number: usize, outside: SocketAddr, database: Option<&str>) -> String {
    let data = data(root, number);
    let mut settings = format!(
        "[server]\naddress = \"{ADDRESS}\"\npublic_url = \"http://{HOST}\"\ndata = \"{}\"\n\
         [http]\nlisten = \"127.0.0.1:0\"\ntrusted_proxies = [\"127.0.0.1\"]\n\
         [smtp]\nlisten = \"127.0.0.1:0\"\nrelays = [\"127.0.0.1\"]\n\
         [mail]\ntransport = \"smtp://{outside}\"\n",
        data.display()
    );
    if let Some(url) = database {
        // Servers on one database share the key.
        let key = "5e".repeat(32);
        let _ = write!(settings, "[database]\nurl = \"{url}\"\n[secrets]\nkey = \"{key}\"\n");
    }
    settings
}

/// Whoever may open the socket of a database that is reached by one.
fn owner_of_socket(url: &str) -> Option<(u32, u32)> {
    let (_, folder) = url.split_once("host=")?;
    let folder = fs::metadata(folder.split('&').next()?).ok()?;
    let owner = (folder.uid(), folder.gid());
    (owner.0 != 0).then_some((owner.0, if owner.1 == 0 { NOBODY.1 } else { owner.1 }))
}

/// Where each player's mail program runs.
fn host_of(name: &str) -> &'static str {
    if name == "ann" { "203.0.113.7" } else { "198.51.100.8" }
}

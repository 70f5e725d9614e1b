//! The reverse proxies of the manual with TLS, each by its file in `deploy`, before a real server: nginx, Caddy and Apache.
//! Only names of files, addresses and ports are replaced.

use std::fmt::Write as _;
use std::fs;
use std::net::SocketAddr;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::recipes::deployed;
use super::running::{PATIENCE, Place, Running, has_neighbour, leave_out, run_neighbour, wait_for};
use crate::harness::free_address;

/// Where Debian has the modules of Apache.
const MODULES: &str = "/usr/lib/apache2/modules";

/// A proxy that runs in the folder of a server.
struct Proxy {
    child: Child,
    open: SocketAddr,
    tls: SocketAddr,
}

/// What is replaced in every file.
struct Fit<'a> {
    root: &'a Path,
    server: SocketAddr,
    open: SocketAddr,
    tls: SocketAddr,
}

impl Fit<'_> {
    /// A file of `deploy` with this and more replaced; all of it has to be there.
    fn file(&self, name: &str, more: &[(&str, String)]) -> String {
        let mut text = fs::read_to_string(deployed(name)).unwrap();
        let server = [("127.0.0.1:8080", self.server.to_string())];
        for (own, here) in server.iter().chain(more) {
            assert!(text.contains(own), "deploy/{name} has no {own}");
            text = text.replace(own, here);
        }
        text
    }

    fn path(&self, name: &str) -> String {
        self.root.join(name).display().to_string()
    }

    /// Where certbot puts the certificate, and where this one is.
    fn certificate(&self) -> [(&'static str, String); 2] {
        [
            ("/etc/letsencrypt/live/games.example/fullchain.pem", self.path("cert.pem")),
            ("/etc/letsencrypt/live/games.example/privkey.pem", self.path("key.pem")),
        ]
    }
}

fn start_nginx(fit: &Fit<'_>) -> Command {
    let mut more = fit.certificate().to_vec();
    more.extend([
        ("listen 80;", format!("listen {};", fit.open)),
        ("    listen [::]:80;\n", String::new()),
        ("listen 443 ", format!("listen {} ", fit.tls)),
        ("    listen [::]:443 ssl http2;\n", String::new()),
        ("/var/log/nginx", fit.root.display().to_string()),
    ]);
    fs::write(fit.root.join("site.conf"), fit.file("nginx-tls.conf", &more)).unwrap();
    let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
    let folders = folders.map(|name| format!("{name}_temp_path {};", fit.path(name))).concat();
    let around = format!(
        "daemon off; master_process off; pid {}; error_log {};\nevents {{}}\nhttp {{ {folders} include {}; }}\n",
        fit.path("nginx.pid"),
        fit.path("proxy.log"),
        fit.path("site.conf")
    );
    fs::write(fit.root.join("nginx.conf"), around).unwrap();
    let mut command = Command::new("nginx");
    command.args(["-e", &fit.path("proxy.log"), "-c", &fit.path("nginx.conf")]);
    command
}

fn start_caddy(fit: &Fit<'_>) -> Command {
    let site = format!(
        "https://games.example:{} {{\n\tbind 127.0.0.1\n\ttls {} {}\n",
        fit.tls.port(),
        fit.path("cert.pem"),
        fit.path("key.pem")
    );
    let options = format!("\n{{\n\tadmin off\n\thttp_port {}\n\tauto_https disable_certs\n", fit.open.port());
    let file = fit.file("Caddyfile", &[("games.example {\n", site), ("\n{\n", options)]);
    fs::write(fit.root.join("Caddyfile"), file).unwrap();
    let mut command = Command::new("caddy");
    command.args(["run", "--adapter", "caddyfile", "--config", &fit.path("Caddyfile")]);
    command.env("HOME", fit.root).env("XDG_DATA_HOME", fit.root).env("XDG_CONFIG_HOME", fit.root);
    command
}

fn start_apache(fit: &Fit<'_>) -> Command {
    let mut more = fit.certificate().to_vec();
    more.extend([
        ("*:80>", format!("{}>", fit.open)),
        ("*:443>", format!("{}>", fit.tls)),
        ("/var/log/apache2", fit.root.display().to_string()),
        ("DocumentRoot /var/www/html", format!("DocumentRoot {}", fit.root.display())),
    ]);
    let site = fit.file("apache.conf", &more);
    let mut around = String::new();
    let modules = [
        "mpm_event",
        "authz_core",
        "alias",
        "setenvif",
        "socache_shmcb",
        "ssl",
        "headers",
        "proxy",
        "proxy_http",
        "http2",
    ];
    for module in modules {
        writeln!(around, "LoadModule {module}_module {MODULES}/mod_{module}.so").unwrap();
    }
    if fs::metadata("/proc/self").is_ok_and(|process| process.uid() == 0) {
        around += "User nobody\nGroup nogroup\n";
    }
    for address in [fit.open, fit.tls] {
        writeln!(around, "Listen {address}").unwrap();
    }
    write!(
        around,
        "ServerName games.example\nPidFile {}\nErrorLog {}\nMutex file:{}\n{site}",
        fit.path("apache.pid"),
        fit.path("proxy.log"),
        fit.root.display()
    )
    .unwrap();
    fs::write(fit.root.join("apache.conf"), around).unwrap();
    let mut command = Command::new("apache2");
    // -X: one process, which ends when it is killed.
    command.args(["-X", "-d", fit.root.to_str().unwrap(), "-f", &fit.path("apache.conf")]);
    command
}

impl Proxy {
    async fn start(place: &Place, server: &Running, make: fn(&Fit<'_>) -> Command) -> Self {
        let (made, _) = crate::smtp_peer::self_signed();
        place.write("cert.pem", made.cert.pem());
        place.write("key.pem", made.signing_key.serialize_pem());
        fs::set_permissions(place.root(), fs::Permissions::from_mode(0o755)).unwrap();
        let fit =
            Fit { root: place.root(), server: server.http(), open: free_address(), tls: free_address() };
        let mut command = make(&fit);
        let output = fs::File::create(place.root().join("output")).unwrap();
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(output).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        wait_for("the proxy", async || {
            let ended = child.try_wait().unwrap();
            assert!(
                ended.is_none(),
                "{}",
                fs::read_to_string(place.root().join("output")).unwrap_or_default()
            );
            TcpStream::connect(fit.tls).await.ok()
        })
        .await;
        Self { child, open: fit.open, tls: fit.tls }
    }

    /// A curl that takes any certificate and finds the proxy by its name.
    fn curl(&self, path: &str) -> Vec<String> {
        let port = self.tls.port();
        let resolve = format!("games.example:{port}:127.0.0.1");
        let address = format!("https://games.example:{port}{path}");
        ["-sSk", "--resolve", &resolve, &address].map(str::to_owned).to_vec()
    }

    /// The status line, the headers and the body of an answer.
    async fn ask(&self, path: &str, more: &[&str]) -> String {
        let mut arguments = self.curl(path);
        arguments.extend(["-i".to_owned()].into_iter().chain(more.iter().map(|word| (*word).to_owned())));
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        run_neighbour("curl", &arguments).await.stdout
    }
}

/// Whether the first line of an answer has this status.
fn has_status(answer: &str, status: &str) -> bool {
    answer.lines().next().is_some_and(|line| line.split_whitespace().nth(1) == Some(status))
}

async fn stands_before_a_server(make: fn(&Fit<'_>) -> Command, redirects: bool) {
    let place = Place::new()
        .with("KNOTPOST_SERVER__PUBLIC_URL", "https://games.example")
        .with("KNOTPOST_HTTP__TRUSTED_PROXIES", "127.0.0.1")
        .with("KNOTPOST_LIMITS__ENABLED", "true")
        .with("KNOTPOST_LIMITS__HTTP_PER_MINUTE", "60");
    let server = place.start().await;
    let mut proxy = Proxy::start(&place, &server, make).await;
    server.sign_up_two().await;
    server.ask("osbox challenge -size=3 ann bob").await;

    let page = proxy.ask("/boards/osbox/101", &[]).await;
    assert!(has_status(&page, "200") && page.contains("Osbox"), "{page}");
    assert!(page.to_lowercase().contains("strict-transport-security: max-age=31536000"), "{page}");
    let metrics = proxy.ask("/metrics", &[]).await;
    assert!(has_status(&metrics, "404"), "{metrics}");
    if redirects {
        let address = format!("http://{}/games?a=b", proxy.open);
        let told = run_neighbour("curl", &["-sSi", "-H", "Host: games.example", &address]).await.stdout;
        assert!(has_status(&told, "301"), "{told}");
        assert!(told.to_lowercase().contains("location: https://games.example/games?a=b"), "{told}");
    }

    // What happens on a board is there before anything else happens.
    let mut stream = Command::new("curl");
    stream.arg("-N").args(proxy.curl("/api/v1/boards/osbox/101/events"));
    let mut stream = stream.stdout(Stdio::piped()).kill_on_drop(true).spawn().unwrap();
    let mut lines = BufReader::new(stream.stdout.take().unwrap()).lines();
    let mut told = String::new();
    // The stream may begin after the first moves.
    let game = ["j2", "a8", "d5", "m12", "i3", "g11", "i1", "h11"];
    for (turn, entry) in game.into_iter().enumerate() {
        let user = if turn % 2 == 0 { "ann" } else { "bob" };
        server.ask(&format!("osbox move 101 {user} {user}-secret {entry}")).await;
        // The time to wait before coming back stands before the first event.
        while told.is_empty() || told.starts_with("retry:") {
            let Ok(line) = timeout(PATIENCE / 10, lines.next_line()).await else { break };
            let Some(line) = line.unwrap() else { break };
            told = line;
        }
        if !told.is_empty() && !told.starts_with("retry:") {
            break;
        }
    }
    assert!(told.starts_with("event:") || told.starts_with("id:") || told.starts_with("data:"), "{told:?}");
    stream.kill().await.unwrap();

    // Clients are told apart: one that asks too often does not stop another.
    let mut last = String::new();
    for _ in 0..80 {
        last = proxy
            .ask("/healthz", &["--interface", "127.0.0.2", "-o", "/dev/null", "-w", "%{http_code}"])
            .await;
        if last.contains("429") {
            break;
        }
        last = proxy
            .ask("/boards/osbox/101", &["--interface", "127.0.0.2", "-o", "/dev/null", "-w", "%{http_code}"])
            .await;
        if last.contains("429") {
            break;
        }
    }
    assert!(last.contains("429"), "{last}");
    let other = proxy.ask("/boards/osbox/101", &["--interface", "127.0.0.3"]).await;
    assert!(has_status(&other, "200"), "{other}");
    // Neither an answer nor an error leaves a key in a log.
    let secrets: Vec<String> = secret_paths().map(|path| format!("{path}canary-of-a-key")).collect();
    for path in &secrets {
        proxy.ask(path, &["-o", "/dev/null"]).await;
        let address = format!("http://{}{path}", proxy.open);
        run_neighbour("curl", &["-sS", "-H", "Host: games.example", &address]).await;
    }
    server.stop().await;
    for path in secrets.iter().map(String::as_str).chain(["/api/v1/users/ann/turns.atom?key=canary-of-a-key"])
    {
        let told = proxy.ask(path, &[]).await;
        assert!(!has_status(&told, "200"), "{told}");
    }
    proxy.child.kill().await.unwrap();
    for name in ["output", "proxy.log", "knotpost.log"] {
        let log = fs::read_to_string(place.root().join(name)).unwrap_or_default();
        assert!(!log.contains("canary"), "{name}: {log}");
    }
}

/// The beginnings of the paths that end with a key.
fn secret_paths() -> impl Iterator<Item = String> {
    let paths = knotpost_web::routes().filter_map(|route| route.path.strip_suffix("{token}"));
    paths.map(ToOwned::to_owned).collect::<std::collections::BTreeSet<_>>().into_iter()
}

#[test]
fn every_example_of_a_proxy_knows_the_paths_that_hold_a_key() {
    let known: Vec<String> = secret_paths().map(|path| path.trim_matches('/').to_owned()).collect();
    assert!(known.len() >= 7, "{known:?}");
    let manual = format!("({})/", known.join("|"));
    for file in ["nginx.conf", "nginx-tls.conf", "Caddyfile", "apache.conf"] {
        let text = fs::read_to_string(deployed(file)).unwrap();
        assert!(text.contains(&manual), "deploy/{file} lacks {manual}");
    }
}

#[tokio::test]
async fn nginx_with_tls_stands_before_a_server() {
    if has_neighbour("nginx") && has_neighbour("curl") {
        stands_before_a_server(start_nginx, true).await;
    }
}

/// Caddy's own redirection needs the ports 80 and 443 and is not tried.
#[tokio::test]
async fn caddy_with_tls_stands_before_a_server() {
    if has_neighbour("caddy") && has_neighbour("curl") {
        stands_before_a_server(start_caddy, false).await;
    }
}

#[tokio::test]
async fn apache_with_tls_stands_before_a_server() {
    if !has_neighbour("apache2") || !has_neighbour("curl") {
        return;
    }
    if !Path::new(MODULES).join("mod_http2.so").exists() {
        return leave_out("the tests with Apache, whose modules are not where Debian has them");
    }
    stands_before_a_server(start_apache, true).await;
}

//! Connections to the web: how many, how slow, and from whom; on real sockets.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::Request;
use knotpost_model::Networks;
use knotpost_transport::inbound::MailIntake;
use knotpost_web::{ServeLimits, Web, serve};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::harness::{Place, TestApp};

/// Longer than anything takes.
const PATIENCE: Duration = Duration::from_mins(1);

/// A listener of a server.
struct Listening {
    app: TestApp,
    address: SocketAddr,
    stop: CancellationToken,
    task: JoinHandle<()>,
}

impl Listening {
    async fn on(address: &str, trusted: &[&str], change: impl FnOnce(&mut ServeLimits)) -> Self {
        let trusted: Vec<String> = trusted.iter().map(|word| (*word).to_owned()).collect();
        let app = TestApp::start_with(Place::Sqlite, |config| {
            config.http.trusted_proxies = Networks::try_from(trusted).unwrap();
        })
        .await;
        let listener = TcpListener::bind(address).await.unwrap();
        let address = SocketAddr::from(([127, 0, 0, 1], listener.local_addr().unwrap().port()));
        let mut limits = ServeLimits {
            header_timeout: 2 * PATIENCE,
            idle_timeout: 2 * PATIENCE,
            ..ServeLimits::new(&app.app.config.http)
        };
        change(&mut limits);
        let web = Web::new(Arc::clone(&app.app), Arc::new(MailIntake::new(Arc::clone(&app.app))), None);
        let stop = CancellationToken::new();
        let task = tokio::spawn(serve(listener, web, limits, stop.clone()));
        Self { app, address, stop, task }
    }

    /// A connection from this address of loopback.
    async fn connect(&self, from: &str) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind(SocketAddr::new(from.parse().unwrap(), 0)).unwrap();
        socket.connect(self.address).await.unwrap()
    }

    /// A connection that has had an answer, and stays open.
    async fn hold(&self, from: &str) -> TcpStream {
        let mut stream = self.connect(from).await;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n").await.unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"ok\n") {
            let mut piece = [0; 512];
            let read = timeout(PATIENCE, stream.read(&mut piece)).await.unwrap().unwrap();
            assert!(read > 0, "{}", String::from_utf8_lossy(&answer));
            answer.extend_from_slice(&piece[..read]);
        }
        assert!(answer.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&answer));
        stream
    }

    /// What is answered to a request on a connection of its own, until the other side closes it.
    async fn ask(&self, from: &str, request: &str) -> String {
        let mut stream = self.connect(from).await;
        // Whoever is turned away may not get as far.
        let _ = stream.write_all(request.as_bytes()).await;
        read_to_end(&mut stream).await
    }

    async fn end(self) {
        self.stop.cancel();
        timeout(PATIENCE, self.task).await.expect("it ends").unwrap();
    }
}

async fn read_to_end(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut answer)).await.expect("the connection is closed");
    String::from_utf8(answer).unwrap()
}

const ONE: &str = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";

#[tokio::test]
async fn whoever_sends_half_a_header_or_nothing_is_let_go() {
    let server =
        Listening::on("127.0.0.1:0", &[], |limits| limits.header_timeout = Duration::from_millis(50)).await;
    for begun in ["GET /healthz HTTP/1.1\r\nHost: x\r\n", "POST /commands HTT"] {
        let answer = server.ask("127.0.0.1", begun).await;
        assert!(!answer.starts_with("HTTP/1.1 2"), "{begun}: {answer}");
    }
    server.end().await;
    let server =
        Listening::on("127.0.0.1:0", &[], |limits| limits.idle_timeout = Duration::from_millis(100)).await;
    assert!(!server.ask("127.0.0.1", "").await.starts_with("HTTP/1.1 2"));
    // After an answer, too.
    let mut idle = server.hold("127.0.0.1").await;
    assert_eq!(read_to_end(&mut idle).await, "");
    server.end().await;
}

#[tokio::test]
async fn connections_are_limited_for_each_client_and_given_back() {
    // A dual-stack listener sees IPv4 clients as mapped addresses.
    for address in ["127.0.0.1:0", "[::]:0"] {
        let server = Listening::on(address, &[], |limits| limits.max_per_client = 2).await;
        let held = [server.hold("127.0.0.1").await, server.hold("127.0.0.1").await];
        let refused = server.ask("127.0.0.1", ONE).await;
        assert!(refused.starts_with("HTTP/1.1 503 ") && refused.contains("Retry-After: "), "{refused}");
        assert!(refused.contains("too many connections from your network address"), "{refused}");
        let other = server.ask("127.0.0.2", ONE).await;
        assert!(other.starts_with("HTTP/1.1 200 "), "{address}: {other}");
        drop(held);
        let served = async {
            while !server.ask("127.0.0.1", ONE).await.starts_with("HTTP/1.1 200 ") {
                tokio::task::yield_now().await;
            }
        };
        timeout(PATIENCE, served).await.expect("the places are given back");
        server.end().await;
    }
}

#[tokio::test]
async fn a_trusted_proxy_has_the_connections_of_many_and_idle_ones_make_room() {
    let server = Listening::on("127.0.0.1:0", &["127.0.0.1"], |limits| {
        (limits.max_per_client, limits.max_connections) = (1, 3);
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..3 {
        held.push(server.hold("127.0.0.1").await);
    }
    for from in ["127.0.0.1", "127.0.0.2"] {
        let answer = server.ask(from, ONE).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
    assert_eq!(read_to_end(&mut held.remove(0)).await, "", "the oldest one is let go");
    server.end().await;
    for stream in &mut held {
        assert_eq!(read_to_end(stream).await, "", "a server that stops lets idle connections go");
    }
}

/// Asks like a client with no connection, which is answered whatever others hold.
async fn is_open_to(server: &Listening, from: &str, forwarded: &str) {
    for path in ["/", "/login", "/healthz", "/readyz"] {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {forwarded}\r\nConnection: close\r\n\r\n"
        );
        let answer = server.ask(from, &request).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
    }
}

/// Opens a stream; its status, and the connection.
async fn follow(server: &Listening, from: &str, forwarded: &str) -> (String, TcpStream) {
    let request = format!(
        "GET /api/v1/boards/osbox/101/events HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {forwarded}\r\n\r\n"
    );
    let mut stream = server.connect(from).await;
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut piece = [0; 12];
    timeout(PATIENCE, stream.read_exact(&mut piece)).await.unwrap().unwrap();
    (String::from_utf8_lossy(&piece[9..]).into_owned(), stream)
}

async fn with_a_board(trusted: &[&str]) -> Listening {
    let server = Listening::on("127.0.0.1:0", trusted, |limits| limits.max_connections = 100).await;
    for name in ["ann", "bob"] {
        server.app.sign_up(name).await;
    }
    server.app.post("osbox challenge -size=3 ann bob", "").await;
    server
}

#[tokio::test]
async fn streams_of_many_clients_shut_nobody_out() {
    let server = with_a_board(&[]).await;
    let mut held = Vec::new();
    for client in 1..=10 {
        for number in 0..20 {
            let (status, stream) = follow(&server, &format!("127.0.2.{client}"), "").await;
            // Later on the oldest of a client have given way, and it may open others.
            let expected = if client == 1 && number >= 16 { "503" } else { "200" };
            assert!(status == expected || client > 1 && number >= 16, "{client} {number}: {status}");
            held.push(stream);
        }
    }
    is_open_to(&server, "127.0.3.1", "").await;
    let (status, _stream) = follow(&server, "127.0.3.1", "").await;
    assert_eq!(status, "200", "a stream of whoever has most gives way");
    let text = read_to_end(&mut held[0]).await;
    assert!(text.contains("retry:") && text.contains("5000"), "it was told when to come back: {text}");
    server.end().await;
}

#[tokio::test]
async fn streams_of_one_home_behind_a_proxy_are_those_of_one_home() {
    let server = with_a_board(&["127.0.0.9"]).await;
    let mut held = Vec::new();
    let mut refused = 0;
    for network in 0..51 {
        for _ in 0..2 {
            let (status, stream) = follow(&server, "127.0.0.9", &format!("2001:db8:0:{network:x}::1")).await;
            refused += usize::from(status == "503");
            held.push(stream);
        }
    }
    assert_eq!(refused, 0, "64 of a /56, and of all streams the oldest give way");
    is_open_to(&server, "127.0.0.9", "2001:db8:1::1").await;
    let (status, _stream) = follow(&server, "127.0.0.9", "2001:db8:1::1").await;
    assert_eq!(status, "200");
    server.end().await;
}

#[tokio::test]
async fn silent_connections_of_many_clients_shut_nobody_out() {
    let server = with_a_board(&[]).await;
    let mut held = Vec::new();
    for client in 1..=20 {
        for _ in 0..10 {
            held.push(server.connect(&format!("127.0.2.{client}")).await);
        }
    }
    is_open_to(&server, "127.0.3.1", "").await;
    server.end().await;
}

#[tokio::test]
async fn a_body_that_says_it_is_too_large_is_refused_at_once_wherever_it_is_sent() {
    let server = Listening::on("127.0.0.1:0", &[], |_| {}).await;
    for path in [
        "/commands",
        "/inbound",
        "/login",
        "/",
        "/healthz",
        "/metrics",
        "/nothing/here",
        "/api/v1/tokens",
        "/mailbox",
    ] {
        for method in ["POST", "GET", "PUT"] {
            let request =
                format!("{method} {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000000\r\n\r\n");
            let answer = server.ask("127.0.0.1", &request).await;
            assert!(answer.starts_with("HTTP/1.1 413 "), "{method} {path}: {answer}");
        }
    }
    server.end().await;
}

#[tokio::test]
async fn rates_of_a_dual_stack_listener_are_those_of_each_client() {
    let server = Listening::on("[::]:0", &["127.0.0.9"], |_| {}).await;
    let key = async |from: &str, forwarded: &str| {
        let request = format!(
            "GET /api/v1/boards/osbox/101/events HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: {forwarded}\r\n\r\n"
        );
        let mut stream = server.connect(from).await;
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut piece = [0; 512];
        let read = timeout(PATIENCE, stream.read(&mut piece)).await.unwrap().unwrap();
        (String::from_utf8_lossy(&piece[..read]).into_owned(), stream)
    };
    for name in ["ann", "bob"] {
        server.app.sign_up(name).await;
    }
    server.app.post("osbox challenge -size=3 ann bob", "").await;
    let mut held = Vec::new();
    for _ in 0..16 {
        let (answer, stream) = key("127.0.0.1", "").await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
        held.push(stream);
    }
    for (from, forwarded, status) in [
        ("127.0.0.1", "192.0.2.1", "503"),
        ("127.0.0.2", "", "200"),
        // A proxy is trusted on such a listener as well.
        ("127.0.0.9", "127.0.0.1", "503"),
        ("127.0.0.9", "192.0.2.1", "200"),
    ] {
        let (answer, _stream) = key(from, forwarded).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{from} {forwarded}: {answer}");
    }
    server.end().await;
}

#[tokio::test]
async fn one_client_does_not_take_the_places_of_all_who_watch_boards() {
    let app = TestApp::with_players(Place::Sqlite, &["ann", "bob"]).await;
    app.post("osbox challenge -size=3 ann bob", "").await;
    let watch = async |from: &str| {
        let from = SocketAddr::new(from.parse::<IpAddr>().unwrap(), 4000);
        let request = Request::get("/api/v1/boards/osbox/101/events").extension(ConnectInfo(from));
        app.open(request.body(Body::empty()).unwrap()).await
    };
    let mut held = Vec::new();
    for _ in 0..16 {
        held.push(watch("2001:db8::1").await);
    }
    assert!(held.iter().all(|answer| answer.status() == 200));
    let refused = watch("2001:db8::ffff").await;
    assert_eq!((refused.status().as_u16(), refused.headers()["retry-after"].as_bytes()), (503, &b"60"[..]));
    let text = axum::body::to_bytes(refused.into_body(), 4096).await.unwrap();
    assert!(String::from_utf8_lossy(&text).contains("too many boards are watched from your network address"));
    assert_eq!(watch("192.0.2.1").await.status(), 200, "others watch");
}

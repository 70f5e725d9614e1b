//! Drives concurrent clients; each sends one request after the other.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::ensure;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::boards::{Game, Line, MOVES};
use super::rounds::Figures;
use crate::http::Http;
use crate::report::Times;
use crate::smtp::{Client, Dialect, encode};

/// How moves are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Transport {
    Smtp,
    Lmtp,
    /// `POST /commands` with passwords.
    Http,
    /// API requests with keys.
    Api,
}

/// Whether a connection is reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keeping {
    Never,
    Always,
}

impl fmt::Display for Keeping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Never => "session each,",
            Self::Always => "kept,",
        })
    }
}

/// A client's open connection.
enum Connection {
    Mail(Client),
    Http(Http),
    Api(Http),
}

async fn connect(address: SocketAddr, transport: Transport) -> anyhow::Result<Connection> {
    Ok(match transport {
        Transport::Smtp => Connection::Mail(Client::connect(address, Dialect::Smtp).await?),
        Transport::Lmtp => Connection::Mail(Client::connect(address, Dialect::Lmtp).await?),
        Transport::Http => Connection::Http(Http::connect(address).await?),
        Transport::Api => Connection::Api(Http::connect(address).await?),
    })
}

/// Makes all moves of the games, each board's one after the other.
pub(super) async fn moves(
    address: SocketAddr,
    transport: Transport,
    keeping: Keeping,
    clients: usize,
    (games, script): (&[Game], &[String]),
    to: &str,
) -> anyhow::Result<Figures> {
    let (games, next) = (Arc::new((games.to_vec(), script.to_vec())), Arc::new(AtomicUsize::new(0)));
    let mut tasks = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..clients {
        let (games, next, to) = (Arc::clone(&games), Arc::clone(&next), to.to_owned());
        tasks.spawn(async move {
            let mut times = Times::default();
            let mut kept = None;
            let (games, script) = &*games;
            while let Some(game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                for made in 0..MOVES {
                    let begun = Instant::now();
                    let mut connection = match kept.take() {
                        Some(connection) => connection,
                        None => connect(address, transport).await?,
                    };
                    make(&mut connection, &game.line(script, made), &to).await?;
                    match (keeping, connection) {
                        (Keeping::Always, connection) => kept = Some(connection),
                        (Keeping::Never, Connection::Mail(client)) => client.quit().await?,
                        (Keeping::Never, Connection::Http(_) | Connection::Api(_)) => {}
                    }
                    times.push(begun.elapsed());
                }
            }
            anyhow::Ok(times)
        });
    }
    gather(tasks, begun).await
}

/// Sends these one after the other.
pub(super) async fn hand_over(
    address: SocketAddr,
    transport: Transport,
    lines: &[Line],
    to: &str,
) -> anyhow::Result<()> {
    let mut connection = connect(address, transport).await?;
    for line in lines {
        make(&mut connection, line, to).await?;
    }
    Ok(())
}

async fn make(connection: &mut Connection, line: &Line, to: &str) -> anyhow::Result<()> {
    match connection {
        Connection::Mail(client) => {
            let reply = client.send(&line.from, to, &encode(&line.mail(to))).await?;
            ensure!(reply.is_success(), "{}: {}", line.command, reply.text);
        }
        Connection::Http(http) => {
            let json = "Content-Type: application/json\r\n";
            let response = http.post("/commands", json, line.json().as_bytes()).await?;
            ensure!(response.status == 200, "{}: {}", line.command, response.text());
        }
        Connection::Api(http) => {
            let (path, headers, body) = line.call();
            let response = http.post(&path, &headers, body.as_bytes()).await?;
            ensure!(response.status == 200, "{path}: {}", response.text());
        }
    }
    Ok(())
}

/// Sends `count` requests, cycling through the paths.
pub(super) async fn reads(
    address: SocketAddr,
    paths: &[String],
    clients: usize,
    count: usize,
) -> anyhow::Result<Figures> {
    let (paths, next) = (Arc::<[String]>::from(paths), Arc::new(AtomicUsize::new(0)));
    let mut tasks = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..clients {
        let (paths, next) = (Arc::clone(&paths), Arc::clone(&next));
        tasks.spawn(async move {
            let mut times = Times::default();
            let mut http = Http::connect(address).await?;
            let mut looks = std::iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
            while let Some(look) = looks.next().filter(|look| *look < count)
                && let Some(path) = paths.get(look % paths.len().max(1))
            {
                let begun = Instant::now();
                let response = http.get(path).await?;
                ensure!(response.status == 200 && !response.body.is_empty(), "{path}: {}", response.text());
                times.push(begun.elapsed());
            }
            anyhow::Ok(times)
        });
    }
    gather(tasks, begun).await
}

/// Sends mails of three kilobytes directly to a mail server, on reused sessions.
pub(super) async fn straight(address: SocketAddr, clients: usize, count: usize) -> anyhow::Result<Figures> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    let begun = Instant::now();
    let text = "a line of a board that is as wide as boards are\n".repeat(60);
    for _ in 0..clients {
        let (next, message) = (Arc::clone(&next), encode(&format!("Subject: a board\n\n{text}")));
        tasks.spawn(async move {
            let mut times = Times::default();
            let mut client = Client::connect(address, Dialect::Smtp).await?;
            while next.fetch_add(1, Ordering::Relaxed) < count {
                let begun = Instant::now();
                let reply = client.send("pbmserv@localhost", "ann@example.org", &message).await?;
                ensure!(reply.is_success(), "{}", reply.text);
                times.push(begun.elapsed());
            }
            anyhow::Ok(times)
        });
    }
    gather(tasks, begun).await
}

async fn gather(mut tasks: JoinSet<anyhow::Result<Times>>, begun: Instant) -> anyhow::Result<Figures> {
    let mut all = Times::default();
    while let Some(times) = tasks.join_next().await {
        all.append(times??);
    }
    Ok(Figures { elapsed: begun.elapsed(), count: all.len(), times: all })
}

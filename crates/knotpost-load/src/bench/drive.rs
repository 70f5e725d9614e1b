//! Clients at work: moves, reads, and passwords that are wrong.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{bail, ensure};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};

use super::boards::{Game, Games};
use crate::clients::{Next, together};
use crate::http::{Http, JSON};
use crate::people::{address, password};
use crate::play::ledger::{self, Ledger, Try, What};
use crate::play::post::Post;
use crate::report::{Figures, Times};
use crate::server::Endpoints;
use crate::sink::MARK;
use crate::smtp::{command_mail, hand_over};

/// The ways that moves are made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Over the API, by key.
    Key,
    /// Over the API, by password.
    Password,
    /// By mail with the password in it, a session each.
    Smtp { to: &'static str },
}

impl Way {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Password => "password",
            Self::Smtp { .. } => "smtp",
        }
    }

    /// The address at which a server takes these moves.
    pub(super) fn of(&self, endpoints: Endpoints) -> SocketAddr {
        match self {
            Self::Key | Self::Password => endpoints.http,
            Self::Smtp { .. } => endpoints.smtp,
        }
    }
}

/// Makes a part of the moves of the games, each board's one after the other.
pub(super) async fn moves(
    (server, way): (SocketAddr, &Way),
    clients: usize,
    games: &Games,
    part: fn(usize) -> Range<usize>,
    post: &Arc<Post>,
) -> anyhow::Result<Figures> {
    let client = |next: Next| {
        let (games, way, post) = (Arc::clone(games), way.clone(), Arc::clone(post));
        async move {
            let (mut times, mut http) = (Times::default(), None);
            while let Some(game) = next.of(&games) {
                for made in part(game.moves.len()) {
                    let (begun, player) = (Instant::now(), game.player(made));
                    let serial = enter(&post.ledger, game, made, &way);
                    match &way {
                        Way::Smtp { to } => mail(server, game, made, to, serial).await?,
                        Way::Key => call(&mut http, server, game, made, &player.key, serial).await?,
                        Way::Password => call(&mut http, server, game, made, &player.basic, serial).await?,
                    }
                    post.ledger.tried(serial, Try::Taken);
                    times.push(begun.elapsed());
                }
            }
            Ok(times)
        }
    };
    timed(clients, client).await
}

fn enter(ledger: &Ledger, game: &Game, made: usize, way: &Way) -> u64 {
    let userid = game.player(made).userid.clone();
    let (from, text) = (address(&userid), game.moves.get(made).cloned().unwrap_or_default());
    let (game, pair, board, number) = (game.name, game.pair, game.number, made as u64 + 1);
    let way = if matches!(way, Way::Smtp { .. }) { ledger::Way::Smtp } else { ledger::Way::Api };
    ledger.enter(What::Move { game, pair, board, number, userid, text }, way, &from)
}

async fn mail(server: SocketAddr, game: &Game, made: usize, to: &str, serial: u64) -> anyhow::Result<()> {
    let userid = &game.player(made).userid;
    let (from, word) = (address(userid), game.moves.get(made).map_or("", String::as_str));
    let (name, board, secret, number) = (game.name, game.number, password(userid), made + 1);
    let subject = format!("{name} move {board} {userid} {secret} {word}#{number}");
    hand_over(server, &from, to, &command_mail(&from, to, &subject, &format!("{MARK}{serial}"))).await
}

async fn call(
    http: &mut Option<Http>,
    server: SocketAddr,
    game: &Game,
    made: usize,
    credentials: &str,
    serial: u64,
) -> anyhow::Result<()> {
    let http = match http {
        Some(http) => http,
        none => none.insert(Http::connect(server).await?),
    };
    let comment = format!("{MARK}{serial}.");
    let body = json!({ "move": game.moves.get(made), "number": made + 1, "comment": comment }).to_string();
    let path = format!("/api/v1/boards/{}/{}/moves", game.name, game.number);
    let response = http.post(&path, &format!("{JSON}{credentials}"), body.as_bytes()).await?;
    ensure!(response.status == 200, "{path}: {}", response.text());
    Ok(())
}

/// Sends `count` requests for the paths by turns.
pub(super) async fn reads(
    server: SocketAddr,
    paths: &[String],
    clients: usize,
    count: usize,
) -> anyhow::Result<Figures> {
    let paths: Arc<[String]> = paths.into();
    let client = |next: Next| {
        let paths = Arc::clone(&paths);
        async move {
            let (mut times, mut http) = (Times::default(), Http::connect(server).await?);
            while let Some(look) = next.below(count)
                && let Some(path) = paths.get(look % paths.len().max(1))
            {
                let begun = Instant::now();
                let response = http.get(path).await?;
                ensure!(response.status == 200 && !response.body.is_empty(), "{path}: {}", response.text());
                times.push(begun.elapsed());
            }
            Ok(times)
        }
    };
    timed(clients, client).await
}

async fn timed<F>(clients: usize, client: impl Fn(Next) -> F) -> anyhow::Result<Figures>
where
    F: Future<Output = anyhow::Result<Times>> + Send + 'static,
{
    let (begun, mut times) = (Instant::now(), Times::default());
    together(clients, client).await?.into_iter().for_each(|some| times.append(some));
    Ok(Figures { count: times.len(), elapsed: begun.elapsed(), times })
}

/// Clients that try one wrong password after the other: none is cached, and each costs as much as a right one.
pub(super) struct Crowd {
    over: Arc<AtomicBool>,
    clients: JoinHandle<anyhow::Result<Vec<()>>>,
}

impl Crowd {
    pub(super) const SIZE: usize = 100;
    /// The pause of a refused client before it tries again: each host has its own share of the waiting list.
    const AGAIN: Duration = Duration::from_millis(50);

    pub(super) fn gather(server: SocketAddr) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let shared = Arc::clone(&over);
        let client = move |next: Next| {
            let over = Arc::clone(&shared);
            async move {
                let mut http = Http::connect(server).await?;
                while !over.load(Ordering::Relaxed) {
                    let number = next.below(usize::MAX);
                    let body = json!({ "command": format!("vacation ann0 wrong-{number:?}") }).to_string();
                    let response = http.post("/commands", JSON, body.as_bytes()).await?;
                    match response.status {
                        401 | 403 => {}
                        503 => sleep(Self::AGAIN).await,
                        status => bail!("{status}: {}", response.text()),
                    }
                }
                Ok(())
            }
        };
        Self { over, clients: tokio::spawn(together(Self::SIZE, client)) }
    }

    pub(super) async fn leave(self) -> anyhow::Result<()> {
        self.over.store(true, Ordering::Relaxed);
        self.clients.await?.map(drop)
    }
}

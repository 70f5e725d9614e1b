//! The cost of password checks: how many the server does, and how much they slow down other requests.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::bail;
use argon2::{Argon2, Block, Params};
use serde_json::json;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::drive::{self, Keeping, Transport};
use super::rounds::{Figures, Side, Sides};
use super::{Trial, boards};
use crate::http::Http;
use crate::report::Times;

/// The number of clients that wait with an unchecked password.
const CROWD: usize = 100;
/// How long a refused client of the crowd waits before it tries again.
const AGAIN: Duration = Duration::from_millis(50);
/// Hashes that the server computes at the same time, and the floor too.
const PARALLEL: usize = 2;

impl Trial {
    /// Different wrong passwords: none is cached, and each costs as much as a right one. The floor is argon2 alone with
    /// reused memory.
    pub(super) async fn measure_passwords(&mut self, usual: &[usize]) -> anyhow::Result<()> {
        for clients in self.clients(usual) {
            let mut sides = Sides::new(format!("cold passwords, {clients} at once"));
            let count = (self.args.count / 10).max(clients);
            for round in 0..self.args.rounds {
                let http = self.server.endpoints.http;
                sides.push(Side::Server, guess(http, clients, count, round).await?);
                sides.push(Side::Floor, tokio::task::spawn_blocking(move || hash_alone(count)).await??);
            }
            println!("{sides}");
        }
        Ok(())
    }

    /// Moves with keys by turns alone and while a crowd waits for its passwords to be checked.
    pub(super) async fn measure_crowd(&mut self, usual: &[usize]) -> anyhow::Result<()> {
        for clients in self.clients(usual) {
            let mut alone = Sides::new(format!("moves with keys, {clients} at once"));
            let mut amid = Sides::new(format!("the same while {CROWD} passwords wait"));
            for _ in 0..self.args.rounds {
                alone.push(Side::Server, self.play_by_key(clients).await?);
                let crowd = Crowd::gather(self.server.endpoints.http);
                let figures = self.play_by_key(clients).await;
                crowd.leave().await?;
                amid.push(Side::Server, figures?);
            }
            println!("{alone}\n{amid}");
        }
        Ok(())
    }

    /// A round of moves on new boards, checked afterwards.
    async fn play_by_key(&mut self, clients: usize) -> anyhow::Result<Figures> {
        let http = self.server.endpoints.http;
        let games = self.boards.begin(http, self.count(clients), clients).await?;
        self.expected += 2 * games.len() * (boards::MOVES + 1) + boards::GREETINGS;
        self.wait_until_sent().await?;
        let script = (games.as_slice(), self.script.as_slice());
        let figures = drive::moves(http, Transport::Api, Keeping::Always, clients, script, "").await?;
        self.wait_until_sent().await?;
        self.boards.check(http, &games, &self.script).await?;
        Ok(figures)
    }
}

/// Sends a wrong password. A refusal is the expected answer, and so is a full waiting list, after a pause.
async fn try_wrong(connection: &mut Http, word: &str) -> anyhow::Result<()> {
    let body = json!({ "command": format!("vacation ann0 wrong-{word}") }).to_string();
    let response =
        connection.post("/commands", "Content-Type: application/json\r\n", body.as_bytes()).await?;
    match response.status {
        401 | 403 => Ok(()),
        // Each host has its own share of the waiting list.
        503 => {
            sleep(AGAIN).await;
            Ok(())
        }
        status => bail!("{status}: {}", response.text()),
    }
}

async fn guess(http: SocketAddr, clients: usize, count: usize, round: usize) -> anyhow::Result<Figures> {
    let next = Arc::new(AtomicUsize::new(0));
    let mut tasks = JoinSet::new();
    let begun = Instant::now();
    for _ in 0..clients {
        let next = Arc::clone(&next);
        tasks.spawn(async move {
            let (mut times, mut connection) = (Times::default(), Http::connect(http).await?);
            loop {
                let turn = next.fetch_add(1, Ordering::Relaxed);
                if turn >= count {
                    return anyhow::Ok(times);
                }
                let begun = Instant::now();
                try_wrong(&mut connection, &format!("{round}-{turn}")).await?;
                times.push(begun.elapsed());
            }
        });
    }
    let mut times = Times::default();
    while let Some(some) = tasks.join_next().await {
        times.append(some??);
    }
    Ok(Figures { count: times.len(), elapsed: begun.elapsed(), times })
}

/// Computes the given number of hashes and nothing else.
fn hash_alone(count: usize) -> anyhow::Result<Figures> {
    let begun = Instant::now();
    let work = |share: usize| -> anyhow::Result<()> {
        let argon2 = Argon2::default();
        let mut memory = vec![Block::new(); Params::DEFAULT.block_count()];
        let mut hash = [0; 32];
        for number in 0..share {
            let password = format!("wrong-{number}");
            argon2
                .hash_password_into_with_memory(
                    password.as_bytes(),
                    b"sixteen bytes of",
                    &mut hash,
                    &mut memory,
                )
                .map_err(|error| anyhow::anyhow!("argon2: {error}"))?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let shares = (0..PARALLEL).map(|worker| count.saturating_sub(worker).div_ceil(PARALLEL));
        let workers: Vec<_> = shares.map(|share| scope.spawn(move || work(share))).collect();
        workers.into_iter().try_for_each(|worker| {
            worker.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a thread of the floor stumbled")))
        })
    })?;
    Ok(Figures::of(count, begun.elapsed()))
}

/// Clients that try one wrong password after the other.
struct Crowd {
    over: Arc<AtomicBool>,
    tasks: JoinSet<anyhow::Result<()>>,
}

impl Crowd {
    fn gather(http: SocketAddr) -> Self {
        let over = Arc::new(AtomicBool::new(false));
        let mut tasks = JoinSet::new();
        for number in 0..CROWD {
            let over = Arc::clone(&over);
            tasks.spawn(async move {
                let mut connection = Http::connect(http).await?;
                let mut tried = 0;
                while !over.load(Ordering::Relaxed) {
                    try_wrong(&mut connection, &format!("{number}-{tried}")).await?;
                    tried += 1;
                }
                Ok(())
            });
        }
        Self { over, tasks }
    }

    async fn leave(mut self) -> anyhow::Result<()> {
        self.over.store(true, Ordering::Relaxed);
        while let Some(left) = self.tasks.join_next().await {
            left??;
        }
        Ok(())
    }
}

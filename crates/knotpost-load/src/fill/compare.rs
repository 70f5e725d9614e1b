//! The most frequent requests, sent to both servers by turns in the same minutes.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use knotpost_rules::Registry;
use tokio::time::Instant;

use crate::dice::Dice;
use crate::games::draw_game;
use crate::http::Http;
use crate::people::{address, challenge, command, password};
use crate::report::{Comparison, Figures, Times};
use crate::server::{Place, Running};

/// Moves on a board of this measurement.
const MOVES: usize = 20;

/// What is asked: a command, or the path of a page. `{board}` is a board's number, `{user}` one of its players.
const QUESTIONS: [(&str, &str); 8] = [
    ("move, by command", "move"),
    ("show, by command", "osbox show {board}"),
    ("games of a user, by command", "osbox games {user}"),
    ("standings, by command", "osbox standings"),
    ("page of a board", "/boards/osbox/{board}"),
    ("page of standings", "/standings/osbox"),
    ("start page", "/"),
    ("page of a user", "/users/{user}"),
];

/// One of the two servers, with a board on it.
struct Side {
    server: Running,
    http: Http,
    users: [String; 2],
    registry: Registry,
    dice: Dice,
    moves: Vec<String>,
    board: u64,
    made: usize,
}

/// Measures.
pub(super) async fn run(
    small: Place,
    large: Place,
    count: usize,
    rounds: usize,
    seed: u64,
) -> anyhow::Result<bool> {
    let mut sides =
        [("small", Side::start(&small, seed).await?), ("large", Side::start(&large, seed).await?)];
    for (title, question) in QUESTIONS {
        let mut comparison = Comparison::new(title.to_owned());
        // The first round warms up both servers.
        for round in 0..=rounds {
            let mut times = [Times::default(), Times::default()];
            for _ in 0..count {
                for ((_, side), times) in sides.iter_mut().zip(&mut times) {
                    times.push(side.ask(question).await?);
                }
            }
            for ((name, _), mut times) in sides.iter().zip(times).filter(|_| round > 0) {
                // The rate of requests that all take the median, since the longest are the machine's.
                let elapsed = Duration::from_secs_f64(times.percentile(50) * count as f64 / 1000.0);
                comparison.push(name, Figures { count, elapsed, times });
            }
        }
        println!("{comparison}");
    }
    let [(_, small), (_, large)] = sides;
    large.server.stop().await?;
    small.server.stop().await?;
    Ok(true)
}

impl Side {
    async fn start(place: &Place, seed: u64) -> anyhow::Result<Self> {
        // A folder may have been measured before.
        let users = ["a", "b"].map(|seat| format!("w{seat}{}", std::process::id()));
        for userid in &users {
            place.add_user(userid, &password(userid), &address(userid)).await?;
        }
        let server = place.start().await?;
        let http = Http::connect(server.endpoints.http).await?;
        let (registry, dice) = (knotpost_games::registry(), Dice::new(seed));
        let mut side = Self { server, http, users, registry, dice, moves: Vec::new(), board: 0, made: 0 };
        side.begin().await?;
        Ok(side)
    }

    async fn begin(&mut self) -> anyhow::Result<()> {
        let [ann, bob] = &self.users;
        self.board = challenge(&mut self.http, &format!("osbox challenge {ann} {bob}")).await?;
        (self.moves, self.made) = (draw_game(&self.registry, "osbox", MOVES, &mut self.dice)?, 0);
        Ok(())
    }

    /// Sends the request and returns how long the answer took.
    async fn ask(&mut self, question: &str) -> anyhow::Result<Duration> {
        let line = if question == "move" { self.next_move().await? } else { question.to_owned() };
        let [ann, _] = &self.users;
        let line = line.replace("{board}", &self.board.to_string()).replace("{user}", ann);
        let began = Instant::now();
        if line.starts_with('/') {
            let response = self.http.get(&line).await?;
            ensure!(response.status == 200, "{line}: {}", response.text());
        } else {
            command(&mut self.http, &line).await?;
        }
        Ok(began.elapsed())
    }

    async fn next_move(&mut self) -> anyhow::Result<String> {
        if self.made == self.moves.len() {
            self.begin().await?;
        }
        let user = self.users.get(self.made % 2).context("a user")?;
        let word = self.moves.get(self.made).context("a move")?;
        self.made += 1;
        Ok(format!("osbox move {} {user} {} {word}", self.board, password(user)))
    }
}

//! The most frequent requests, sent to both servers by turns in the same minutes.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::time::Instant;

use crate::dice::Dice;
use crate::games::draw_game;
use crate::http::Http;
use crate::people::{address, challenge, command, password};
use crate::report::{Comparison, Figures, Times};
use crate::server::{Place, Server};

/// Moves on a board of this measurement.
const MOVES: usize = 20;

/// Commands, and paths of pages. `{board}` is a board's number, `{user}` one of its players.
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
    server: Server,
    http: Http,
    users: [String; 2],
    dice: Dice,
    moves: Vec<String>,
    board: u64,
    made: usize,
}

/// Measures a small server and a large one.
pub(super) async fn run(places: [Place; 2], count: usize, rounds: usize, seed: u64) -> anyhow::Result<bool> {
    let [small, large] = &places;
    let mut sides = [("small", Side::start(small, seed).await?), ("large", Side::start(large, seed).await?)];
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
    for (_, side) in sides.into_iter().rev() {
        side.server.stop().await?;
    }
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
        let http = Http::connect(place.endpoints()?.http).await?;
        let dice = Dice::with_seed(seed);
        Ok(Self { server, http, users, dice, moves: Vec::new(), board: 0, made: 0 })
    }

    /// Sends the request and returns the time until the answer.
    async fn ask(&mut self, question: &str) -> anyhow::Result<Duration> {
        let [ann, bob] = &self.users;
        if self.made == self.moves.len() {
            self.board = challenge(&mut self.http, &format!("osbox challenge {ann} {bob}"), "").await?;
            self.moves = draw_game(&knotpost_games::registry(), "osbox", MOVES, &mut self.dice)?;
            self.made = 0;
        }
        let line = if question == "move" {
            let user = if self.made.is_multiple_of(2) { ann } else { bob };
            let word = self.moves.get(self.made).context("a move")?;
            self.made += 1;
            format!("osbox move {} {user} {} {word}", self.board, password(user))
        } else {
            question.replace("{board}", &self.board.to_string()).replace("{user}", ann)
        };
        let began = Instant::now();
        if line.starts_with('/') {
            let response = self.http.get(&line).await?;
            ensure!(response.status == 200, "{line}: {}", response.text());
        } else {
            command(&mut self.http, &line).await?;
        }
        Ok(began.elapsed())
    }
}

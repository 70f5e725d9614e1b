//! Tournaments with rounds of half a minute, played over the API while their servers are killed again and again.
//!
//! Ten seconds of kills; `KNOTPOST_TEST_KILL_SECONDS` asks for more.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::time::Duration;

use serde_json::Value;
use tokio::time::{Instant, sleep};

use super::letters::{Letter, letters};
use super::running::{Place, Running};
use super::wire::{Response, command, request};
use crate::postgres::database;

const PLAYERS: usize = 12;
/// Of the ladder, which has no rounds.
const TIME: &str = "-nagtime=0.0001 -forfeittime=0.0002";
/// Tournaments that take entries at any time.
const OPEN: usize = 3;
/// Rounds of 35 seconds, lost on time after 17.
const LIMITS: &str = "-roundtime=0.0004 -nagtime=0.0001 -forfeittime=0.0002";
const FORMS: [&str; 4] = [
    "roundrobin -players=3-4",
    "roundrobin -players=2-2 -games=2",
    "swiss -players=4-5 -rounds=2",
    "roundrobin -players=5-6 -group=3 -advance=1",
];
/// The lease of a server that was killed runs out, then the last rounds do.
const LAST_ROUNDS: Duration = Duration::from_mins(6);

/// Servers of one database, of which some are being killed.
struct Fleet {
    places: Vec<Place>,
    servers: Vec<Option<Running>>,
    chance: u64,
    kills: usize,
    answered: usize,
}

impl Fleet {
    async fn start(places: Vec<Place>) -> Self {
        let mut servers = Vec::new();
        for place in &places {
            servers.push(Some(place.start().await));
        }
        let fleet = Self { places, servers, chance: 88_172_645_463_325_252, kills: 0, answered: 0 };
        let server = fleet.server(0);
        for name in (1..=PLAYERS).map(|number| format!("user{number}")).chain(["dir".to_owned()]) {
            server.ask(&format!("signup {name} {name}-secret {name}@example.org")).await;
        }
        fleet.places[0].run(&["admin", "user", "grant", "dir"]).await.succeed();
        server.ask(&format!("announce dir dir-secret osbox ladder -size=2 -players=2-20 {TIME}")).await;
        server
            .ask(&format!("announce dir dir-secret osbox league -size=2 -players=4-8 -pause=1 {LIMITS}"))
            .await;
        for number in 1..=8 {
            let who = format!("user{number} user{number}-secret");
            server.ask(&format!("enter {who} t1")).await;
            server.ask(&format!("enter {who} t2")).await;
        }
        fleet
    }

    fn server(&self, at: usize) -> &Running {
        self.servers[at].as_ref().expect("it runs")
    }

    fn below(&mut self, bound: usize) -> usize {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance >> 11) as usize % bound.max(1)
    }

    /// A command to any server; who is killed meanwhile does not answer.
    async fn ask(&mut self, line: &str) -> Option<Response> {
        let at = self.below(self.servers.len());
        let http = self.server(at).http();
        let answer = command(http, line).await.ok()?;
        assert!(answer.status != 500, "{line}: {answer:?}");
        self.answered += usize::from(answer.status == 200);
        Some(answer)
    }

    async fn get(&mut self, path: &str) -> io::Result<Value> {
        let at = self.below(self.servers.len());
        let http = self.server(at).http();
        let answer = request(http, &format!("GET {path} HTTP/1.1"), "").await?;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        Ok(answer.json())
    }

    /// Turns of players, without end.
    async fn play(&mut self, is_last: bool) -> io::Result<()> {
        loop {
            if !is_last {
                self.enter().await?;
            }
            let boards = self.get("/api/v1/boards?state=active").await?;
            let boards = boards["boards"].as_array().expect("boards").clone();
            if boards.is_empty() {
                sleep(Duration::from_millis(200)).await;
                continue;
            }
            let board = &boards[self.below(boards.len())];
            let number = board["number"].as_u64().expect("a number");
            let Some(mover) = board["to_move"][0].as_str() else { continue };
            // Some only dawdle.
            if mover == "user5" || mover == "user6" {
                continue;
            }
            let line = if self.below(100) < 15 {
                format!("osbox resign {number} {mover} {mover}-secret")
            } else {
                format!("osbox move {number} {mover} {mover}-secret o{}", 1 + self.below(12))
            };
            self.ask(&line).await;
        }
    }

    /// Announces what is missing; somebody enters each.
    async fn enter(&mut self) -> io::Result<()> {
        let open = self.get("/api/v1/tournaments?state=open").await?;
        let open = open["tournaments"].as_array().expect("tournaments").clone();
        if open.len() < OPEN {
            let form = FORMS[self.below(FORMS.len())];
            self.ask(&format!("announce dir dir-secret osbox {form} -size=2 {LIMITS}")).await;
        }
        for tournament in open {
            let (name, who) = (tournament["name"].as_str().expect("a name"), 1 + self.below(PLAYERS));
            self.ask(&format!("enter user{who} user{who}-secret {name}")).await;
        }
        let who = 1 + self.below(PLAYERS);
        let line = match self.below(20) {
            0 => format!("withdraw user{who} user{who}-secret t1"),
            1 => format!("enter user{who} user{who}-secret t1"),
            2..5 => format!("ladder challenge user{who} user{who}-secret t1"),
            _ => return Ok(()),
        };
        self.ask(&line).await;
        Ok(())
    }

    async fn kill(&mut self) {
        let at = self.below(self.servers.len());
        self.servers[at].take().expect("it runs").kill().await;
        self.kills += 1;
        self.servers[at] = Some(self.places[at].start().await);
    }

    /// Plays on without kills until nothing is played any more.
    async fn finish(&mut self) {
        let deadline = Instant::now() + LAST_ROUNDS;
        loop {
            let pause = Duration::from_secs(2);
            let _ = tokio::time::timeout(pause, self.play(true)).await;
            let running = self.get("/api/v1/tournaments?state=running").await.expect("it answers");
            let running = running["tournaments"].as_array().expect("tournaments").len();
            let boards = self.get("/api/v1/boards?state=active").await.expect("it answers");
            let boards = boards["boards"].as_array().expect("boards").len();
            // The ladder and the league have no end.
            if running <= 2 && boards == 0 {
                return;
            }
            assert!(Instant::now() < deadline, "{running} tournaments and {boards} boards do not end");
        }
    }

    async fn check(&mut self) -> (usize, usize) {
        let (mut number, mut over, mut seen) = (1, 0, BTreeSet::new());
        loop {
            let path = format!("/api/v1/tournaments/t{number}");
            let http = self.server(0).http();
            let answer = request(http, &format!("GET {path} HTTP/1.1"), "").await.expect("an answer");
            if answer.status == 404 {
                return (over, seen.len());
            }
            let tournament = answer.json();
            for pairing in tournament["pairings"].as_array().expect("pairings") {
                self.check_pairing(pairing, &mut seen).await;
            }
            if tournament["state"] == "over" {
                over += 1;
                check_table(&tournament);
            }
            number += 1;
        }
    }

    /// Its boards are over, are played for no other pairing, and give the points.
    async fn check_pairing(&mut self, pairing: &Value, seen: &mut BTreeSet<u64>) {
        assert_eq!(pairing["state"], "over", "{pairing}");
        let mut points: BTreeMap<String, f64> = BTreeMap::new();
        for board in pairing["boards"].as_array().expect("boards") {
            let number = board["number"].as_u64().expect("a number");
            assert!(seen.insert(number), "board {number} is of two pairings");
            let board = self.get(&format!("/api/v1/boards/osbox/{number}")).await.expect("it answers");
            assert_eq!(board["state"], "over", "{board}");
            let winners = board["result"]["winners"].as_array().expect("winners").clone();
            for seat in &winners {
                let seat = seat.as_u64().expect("a seat") as usize - 1;
                let userid = board["players"][seat]["userid"].as_str().expect("a player");
                *points.entry(userid.to_owned()).or_default() += 1.0 / winners.len() as f64;
            }
        }
        if pairing["boards"].as_array().is_some_and(|boards| !boards.is_empty()) {
            for seat in pairing["seats"].as_array().expect("seats") {
                let own = points.get(seat["userid"].as_str().expect("a player")).copied();
                assert_eq!(seat["points"].as_f64(), Some(own.unwrap_or_default()), "{pairing}");
            }
        }
    }
}

/// Points of the table are those of the pairings.
fn check_table(tournament: &Value) {
    let is_swiss = tournament["form"] == "swiss";
    let players = tournament["players"].as_array().expect("players");
    // Whoever leaves in a later round keeps the games of the rounds before it.
    let counts = |userid: &Value, round: &Value| {
        players.iter().any(|player| {
            player["userid"] == *userid && (is_swiss || player["counts"] == true || player["round"] != *round)
        })
    };
    let mut met = BTreeSet::new();
    for pairing in tournament["pairings"].as_array().expect("pairings") {
        let mut names: Vec<&str> = pairing["seats"]
            .as_array()
            .expect("seats")
            .iter()
            .filter_map(|seat| seat["userid"].as_str())
            .collect();
        names.sort_unstable();
        let round = pairing["round"].as_u64().expect("a round");
        // Two who have not played may meet again in a Swiss tournament.
        let has_played =
            pairing["seats"].as_array().is_some_and(|seats| seats.iter().any(|seat| seat["forfeit"] != true));
        let round = if is_swiss && names.len() == 2 && has_played { 0 } else { round };
        assert!(met.insert((round, names)), "they meet again: {pairing}");
    }
    for player in players.iter().filter(|player| player["points"].is_f64() || player["points"].is_u64()) {
        let pairings = tournament["pairings"].as_array().expect("pairings").iter();
        let of_player = pairings
            .filter(|pairing| is_swiss || pairing["round"] == player["round"])
            .filter(|pairing| {
                let seats = pairing["seats"].as_array().expect("seats");
                seats.iter().all(|seat| counts(&seat["userid"], &pairing["round"]))
            })
            .flat_map(|pairing| pairing["seats"].as_array().expect("seats"))
            .filter(|seat| seat["userid"] == player["userid"]);
        let own: f64 = of_player.filter_map(|seat| seat["points"].as_f64()).sum();
        assert_eq!(player["points"].as_f64(), Some(own), "{player} in {tournament}");
    }
}

/// One mail of each kind to each player; a mail that was on its way when a kill fell may have come twice, as one.
fn check_mails(places: &[Place]) -> usize {
    let mut told: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    let mails: Vec<Letter> = places.iter().flat_map(|place| letters(&place.maildir())).collect();
    for mail in &mails {
        let subject = mail.header("Subject").unwrap_or_default();
        let is_once = ["has begun", "is over"].iter().any(|end| subject.ends_with(end));
        if subject.starts_with("Tournament t") && is_once {
            let to = mail.header("To").unwrap_or_default();
            told.entry((to, subject)).or_default().insert(mail.message_id());
        }
    }
    for (key, ids) in &told {
        assert_eq!(ids.len(), 1, "{key:?}");
    }
    told.len()
}

async fn tournaments_go_on_while_their_servers_are_killed(places: Vec<Place>) {
    #[expect(clippy::disallowed_methods, reason = "whoever runs this by hand says how long")]
    let wanted = std::env::var("KNOTPOST_TEST_KILL_SECONDS").ok().and_then(|text| text.parse().ok());
    let mut fleet = Fleet::start(places).await;
    let end = Instant::now() + Duration::from_secs(wanted.unwrap_or(10));
    while Instant::now() < end {
        let life = Duration::from_millis(200 + fleet.below(2500) as u64);
        let life_ends = Instant::now() + life;
        // A server that is being started again does not answer: whoever asked asks again.
        while tokio::time::timeout_at(life_ends, fleet.play(false)).await.is_ok() {
            sleep(Duration::from_millis(20)).await;
        }
        fleet.kill().await;
    }
    fleet.finish().await;
    let (over, boards) = fleet.check().await;
    for server in &mut fleet.servers {
        server.take().expect("it runs").stop().await;
    }
    let mails = check_mails(&fleet.places);
    println!(
        "{} kills, {} commands carried out, {over} tournaments over, {boards} boards, {mails} mails",
        fleet.kills, fleet.answered
    );
    assert!(fleet.kills > 3 && over >= 1 && boards > 10, "{} {over} {boards}", fleet.kills);
}

fn quick() -> Place {
    Place::new()
        .with("KNOTPOST_TOURNAMENTS__RUNNING_PER_DIRECTOR", "10000")
        .with("KNOTPOST_TOURNAMENTS__ENTRIES_PER_USER", "50")
        .with("KNOTPOST_TOURNAMENTS__BOARDS_PER_USER", "500")
        .with("KNOTPOST_SECRETS__KEY", "a7".repeat(32))
}

#[tokio::test]
async fn tournaments_of_a_server_that_is_killed_go_on() {
    tournaments_go_on_while_their_servers_are_killed(vec![quick()]).await;
}

#[tokio::test]
async fn tournaments_of_two_servers_on_postgres_that_are_killed_go_on() {
    let Some(database) = database().await else { return };
    let place = || quick().with("KNOTPOST_DATABASE__URL", database.url());
    tournaments_go_on_while_their_servers_are_killed(vec![place(), place()]).await;
}

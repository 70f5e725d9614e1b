//! Kills at any moment while several games are played at once, by mail and over HTTP.
//!
//! `KNOTPOST_TEST_MOVES` asks for more moves than the few of every day, and `KNOTPOST_TEST_SEED`
//! for other moments.

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use knotpost_program::server::Ports;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::letters::{Made, Outgoing, copies};
use super::running::{PATIENCE, Place, Running};
use super::wire::{command, letter, mail};

/// Moves of each board; more moves are more boards.
const MOVES: u32 = 30;
/// Boards that are played at the same time.
const AT_ONCE: usize = 5;
/// Senders of one server: how many mails may be leased by one when it is killed.
const SENDERS: usize = 4;

fn number_from_environment(name: &str, usual: u64) -> u64 {
    #[expect(clippy::disallowed_methods, reason = "whoever runs this by hand says how long")]
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// When to kill: counted in moves, so that a fast machine is killed as often as a slow one, and a
/// moment later, so that it falls anywhere in the making of a move. The same for the same seed.
struct Moments(u64);

impl Moments {
    fn next(&mut self) -> (usize, Duration) {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let chance = self.0 >> 33;
        (4 + (chance % 16) as usize, Duration::from_micros(chance / 16 % 20_000))
    }
}

/// What players count while they play.
#[derive(Default)]
struct Tally {
    mailed: AtomicUsize,
    over_http: AtomicUsize,
    tried_again: AtomicUsize,
}

impl Tally {
    fn moves(&self) -> usize {
        self.mailed.load(Ordering::Relaxed) + self.over_http.load(Ordering::Relaxed)
    }

    /// Returns once `moves` moves are made, and a moment has passed.
    async fn reaches(&self, moves: usize, moment: Duration) {
        while self.moves() < moves {
            sleep(Duration::from_millis(1)).await;
        }
        sleep(moment).await;
    }
}

/// The players of one board: they make the moves of a fixed list, in turn by mail and over HTTP,
/// and try again when a connection breaks, as mail servers and scripts do.
struct Table {
    number: u32,
    ports: watch::Receiver<Ports>,
    tally: Arc<Tally>,
}

/// Horz pushes into the six lower lines from the left, Vert into the six right ones from the top, so
/// that nobody is in anybody's way.
fn nth_move(ply: u32) -> String {
    let turn = (ply - 1) / 2;
    let entry = if ply % 2 == 1 { 7 + turn % 6 } else { 31 + turn % 6 };
    // Crossings carry every rope straight on: no path closes, and no die leaves the board.
    format!("o{entry}")
}

/// Two of three moves come by mail.
fn is_mailed(board: u32, ply: u32) -> bool {
    !(board + ply).is_multiple_of(3)
}

impl Table {
    async fn play(self, places: Arc<Semaphore>) {
        let _place = places.acquire().await.unwrap();
        for ply in 1..=MOVES {
            if is_mailed(self.number, ply) {
                self.move_by_mail(ply).await;
            } else {
                self.move_over_http(ply).await;
            }
        }
    }

    fn line(&self, ply: u32) -> String {
        let user = if ply % 2 == 1 { "ann" } else { "bob" };
        format!("osbox move {} {user} {user}-secret {}#{ply}", self.number, nth_move(ply))
    }

    async fn move_by_mail(&self, ply: u32) {
        let user = if ply % 2 == 1 { "ann" } else { "bob" };
        let from = format!("{user}@example.org");
        let message = letter(&from, &self.line(ply), &message_id(self.number, ply));
        loop {
            match mail(self.address(|ports| ports.smtp), &from, "pbmserv@localhost", &message).await {
                Ok(reply) if reply.starts_with("250") => break,
                Ok(reply) => assert!(reply.starts_with('4'), "{reply}"),
                Err(_) => {}
            }
            self.wait().await;
        }
        self.tally.mailed.fetch_add(1, Ordering::Relaxed);
        while self.ply().await < ply {
            sleep(Duration::from_millis(5)).await;
        }
    }

    async fn move_over_http(&self, ply: u32) {
        let mut tries = 0;
        loop {
            tries += 1;
            match command(self.address(|ports| ports.http), &self.line(ply)).await {
                Ok(response) if response.status == 200 => break,
                // Made by a try whose answer was lost.
                Ok(response) if response.status == 409 && tries > 1 => {
                    assert!(self.ply().await >= ply, "{response:?}");
                    break;
                }
                Ok(response) => assert_eq!(response.status, 503, "{response:?}"),
                Err(_) => {}
            }
            self.wait().await;
        }
        self.tally.over_http.fetch_add(1, Ordering::Relaxed);
    }

    /// Moves made on this board, as soon as somebody can tell.
    async fn ply(&self) -> u32 {
        let head = format!("GET /api/v1/boards/osbox/{} HTTP/1.1", self.number);
        loop {
            match super::wire::request(self.address(|ports| ports.http), &head, "").await {
                Ok(response) if response.status == 200 => {
                    return u32::try_from(response.json()["ply"].as_u64().unwrap()).unwrap();
                }
                _ => sleep(Duration::from_millis(20)).await,
            }
        }
    }

    fn address(&self, which: impl Fn(&Ports) -> Option<SocketAddr>) -> SocketAddr {
        which(&self.ports.borrow()).unwrap()
    }

    async fn wait(&self) {
        self.tally.tried_again.fetch_add(1, Ordering::Relaxed);
        sleep(Duration::from_millis(20)).await;
    }
}

fn message_id(board: u32, ply: u32) -> String {
    format!("stream-{board}-{ply}@example.org")
}

/// Kills and starts until all players are done; the last server and the number of kills.
async fn kill_until_done(
    place: &Place,
    mut server: Running,
    ports: &watch::Sender<Ports>,
    players: &mut JoinSet<()>,
    tally: &Tally,
    mut moments: Moments,
) -> (Running, usize) {
    let mut kills = 0;
    loop {
        let (moves, moment) = moments.next();
        let due = tally.reaches(tally.moves() + moves, moment);
        tokio::pin!(due);
        loop {
            tokio::select! {
                () = &mut due => break,
                done = players.join_next() => match done {
                    Some(done) => done.unwrap(),
                    None => return (server, kills),
                },
            }
        }
        server.kill().await;
        kills += 1;
        server = place.start().await;
        ports.send_replace(server.ports.clone());
    }
}

#[tokio::test]
async fn kills_at_any_moment_lose_no_move_and_double_none() {
    let boards = number_from_environment("KNOTPOST_TEST_MOVES", 150) as u32 / MOVES;
    let seed = number_from_environment("KNOTPOST_TEST_SEED", 1);
    let place = Place::new();
    let server = place.start().await;
    server.sign_up_two().await;
    for _ in 0..boards {
        server.ask("osbox challenge -size=12 ann bob").await;
    }
    let (ports, receiver) = watch::channel(server.ports.clone());
    let tally = Arc::new(Tally::default());
    let mut players = JoinSet::new();
    let places = Arc::new(Semaphore::new(AT_ONCE));
    for number in 101..101 + boards {
        let table = Table { number, ports: receiver.clone(), tally: Arc::clone(&tally) };
        players.spawn(table.play(Arc::clone(&places)));
    }
    let playing = kill_until_done(&place, server, &ports, &mut players, &tally, Moments(seed));
    let longest = PATIENCE.max(Duration::from_millis(u64::from(boards * MOVES) * 400));
    let (server, kills) = tokio::time::timeout(longest, playing).await.expect("the games end");
    place.wait_until_idle().await;
    server.stop().await;

    println!(
        "seed {seed}: {} moves mailed, {} over HTTP, {} tries more, {kills} kills",
        tally.mailed.load(Ordering::Relaxed),
        tally.over_http.load(Ordering::Relaxed),
        tally.tried_again.load(Ordering::Relaxed),
    );
    assert!(kills > 0, "the games ended before the first kill");
    expect_every_move_once(&place, boards);
    expect_every_mail_answered_once(&place, boards);
    expect_every_board_mailed(&place, boards, kills);
}

fn expect_every_move_once(place: &Place, boards: u32) {
    let expected: Vec<Made> = (101..101 + boards)
        .flat_map(|board| (1..=MOVES).map(move |ply| (board, ply)))
        .map(|(board, ply)| Made { board: i64::from(board), number: i64::from(ply), text: nth_move(ply) })
        .collect();
    assert_eq!(place.made(), expected);
}

/// Every mail that was acknowledged has one outcome, and only one of its copies was carried out.
fn expect_every_mail_answered_once(place: &Place, boards: u32) {
    let mut outcomes: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for row in place.received() {
        assert_eq!(row.state, "done", "{row:?}");
        outcomes.entry(row.message_id.unwrap()).or_default().push(row.reason.unwrap());
    }
    let mut duplicates = 0;
    for number in 101..101 + boards {
        for ply in (1..=MOVES).filter(|ply| is_mailed(number, *ply)) {
            let id = message_id(number, ply);
            let reasons = outcomes.remove(&id).unwrap_or_else(|| panic!("{id} was lost"));
            assert_eq!(reasons.iter().filter(|reason| *reason == "executed").count(), 1, "{id}: {reasons:?}");
            assert!(
                reasons.iter().all(|reason| reason == "executed" || reason == "duplicate"),
                "{id}: {reasons:?}"
            );
            duplicates += reasons.len() - 1;
        }
    }
    assert!(outcomes.is_empty(), "mails nobody sent: {outcomes:?}");
    println!("{duplicates} mails came again and were recognised");
}

/// Each player was told of each move: by a mail about it, or by one about a later move that tells of all since the last.
/// Twice only where a crash fell between sending a mail and marking it.
fn expect_every_board_mailed(place: &Place, boards: u32, kills: usize) {
    let mut told: BTreeMap<(i64, String), Vec<(i64, Value)>> = BTreeMap::new();
    let mut copies = copies(&place.maildir());
    let mut again = 0;
    let outgoing = place.outgoing();
    let gave_way = |mail: &Outgoing| {
        let replaces =
            |newer: &&Outgoing| newer.board_id == mail.board_id && newer.recipient == mail.recipient;
        outgoing.iter().filter(replaces).any(|newer| newer.kind == "board" && newer.ply > mail.ply)
    };
    for mail in &outgoing {
        if mail.state == "dropped" {
            assert!(mail.kind == "board" && gave_way(mail), "{mail:?}");
            // A crash before its mark: it was sent, and its words go out again with the newer one's.
            again += copies.remove(&format!("<{}>", mail.message_id)).unwrap_or_default();
        } else {
            assert_eq!(mail.state, "sent", "{mail:?}");
            let copies = copies.remove(&format!("<{}>", mail.message_id)).unwrap_or_default();
            assert!(copies >= 1, "marked as sent and never seen: {mail:?}");
            again += copies - 1;
            if let (Some(board), Some(ply), Some(facts)) = (mail.board_id, mail.ply, &mail.facts) {
                let facts = serde_json::from_str(facts).unwrap();
                told.entry((board, mail.recipient.clone())).or_default().push((ply, facts));
            }
        }
    }
    assert!(copies.is_empty(), "mails the outbox knows nothing of: {copies:?}");
    assert_eq!(told.len(), (boards * 2) as usize, "each player of each board");
    for mails in told.values() {
        let (mut shown, mut moves) = (BTreeSet::new(), BTreeSet::new());
        for (ply, facts) in mails {
            assert!(shown.insert(ply), "two mails about one move: {mails:?}");
            let begins = facts["heading"] == "new" || facts["begins"] == true;
            let first = if begins { 0 } else { ply + 1 - facts["made"].as_i64().unwrap() };
            moves.extend(first..=*ply);
        }
        assert!(moves.into_iter().eq(0..=i64::from(MOVES)), "{mails:?}");
    }
    let mails: usize = told.values().map(Vec::len).sum();
    println!("{mails} board mails, {again} of all mails went out twice around {kills} kills");
    assert!(again <= SENDERS * kills, "{again} mails twice, {kills} kills");
}

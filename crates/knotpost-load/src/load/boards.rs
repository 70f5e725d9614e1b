//! Boards to play on, legal moves for them, and the check that the moves were made.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context as _, ensure};
use knotpost_rules::{Registry, Seed, Turn};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::dice::Dice;
use crate::http::Http;
use crate::report::Report;
use crate::server::Place;
use crate::sink::{Arrival, MARK};

/// Moves made on each board.
pub(super) const MOVES: usize = 20;
/// Pairs of users; their passwords are known to the server before anything is measured.
const PAIRS: u64 = 8;
/// The number of mails that checking every password causes.
pub(super) const GREETINGS: usize = 2 * PAIRS as usize;
/// The range of marks reserved for one board.
const MARKS: u64 = 100;
const JSON: &str = "Content-Type: application/json\r\n";
const SAME_ORIGIN: &str = "Sec-Fetch-Site: same-origin\r\n";

/// Which moves have a comment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Words {
    /// Every move.
    #[default]
    Each,
    /// The last move on each board, so that its mails are recognised.
    Last,
}

/// A board of two users.
#[derive(Clone, Debug)]
pub(super) struct Game {
    pub(super) number: u64,
    serial: u64,
    words: Words,
    once: bool,
    /// Its players' credentials for the API, as header lines; empty for boards that do not exist.
    keys: Arc<[String; 2]>,
}

/// A command with its sender and comment.
#[derive(Debug)]
pub(super) struct Line {
    pub(super) from: String,
    pub(super) command: String,
    pub(super) mark: u64,
    /// Empty, or the mark.
    words: String,
    /// The same as an API request; empty where there is none.
    call: Call,
}

/// A move as the API takes it.
#[derive(Debug, Default)]
struct Call {
    board: u64,
    word: String,
    number: usize,
    key: String,
    /// The header line of an `Idempotency-Key`, or nothing.
    once: String,
}

impl Line {
    /// As a mail.
    pub(super) fn mail(&self, to: &str) -> String {
        let Self { from, command, mark, words, .. } = self;
        format!(
            "From: {from}\nTo: {to}\nSubject: {command}\nMessage-ID: <{MARK}{mark}@mail.example.net>\n\
             Date: Sat, 21 Nov 2026 10:00:00 +0000\n\n{words}\n"
        )
    }

    /// As the body of a request.
    pub(super) fn json(&self) -> String {
        json!({ "command": self.command, "body": self.words }).to_string()
    }

    /// As an API request: the path, the header lines, and the body.
    pub(super) fn call(&self) -> (String, String, String) {
        let Call { board, word, number, key, once } = &self.call;
        let mut body = json!({ "move": word, "number": number });
        if !self.words.is_empty() {
            body["comment"] = json!(self.words);
        }
        (format!("/api/v1/boards/osbox/{board}/moves"), format!("{JSON}{key}{once}"), body.to_string())
    }
}

impl Game {
    fn users(&self) -> [String; 2] {
        users(self.serial % PAIRS)
    }

    fn challenge(&self) -> Line {
        let [ann, bob] = self.users();
        let command = format!("osbox challenge {ann} {bob}");
        let mark = self.serial * MARKS;
        Line { from: address(&ann), command, mark, words: words(mark), call: Call::default() }
    }

    /// The move after `made` others; every board plays the same game.
    pub(super) fn line(&self, script: &[String], made: usize) -> Line {
        let user = self.users().into_iter().nth(made % 2).unwrap_or_default();
        let word = script.get(made).map_or("", String::as_str);
        let command = format!("osbox move {} {user} {} {word}#{}", self.number, password(&user), made + 1);
        let key = self.keys.get(made % 2).cloned().unwrap_or_default();
        let mark = self.serial * MARKS + made as u64 + 1;
        let once = if self.once { format!("Idempotency-Key: {mark}\r\n") } else { String::new() };
        let call = Call { board: self.number, word: word.to_owned(), number: made + 1, key, once };
        let speaks = self.words == Words::Each || made + 1 == MOVES;
        let words = if speaks { words(mark) } else { String::new() };
        Line { from: address(&user), command, mark, words, call }
    }
}

/// A random game of two players that is not over after the given number of moves; always the same one.
pub(crate) fn script() -> anyhow::Result<Vec<String>> {
    let registry = Registry::standard();
    let game = registry.find("osbox").context("no Osbox")?;
    let options = game.parse_options(&[], 2)?;
    for seed in 0..10_000 {
        let (mut dice, mut moves) = (Dice::new(seed), Vec::new());
        let mut position = game.setup(&options, 2, &Seed::default());
        while moves.len() < MOVES
            && let Some(word) = dice.pick(&position.legal_moves())
        {
            moves.push(position.play(Turn::Move(word))?.text);
        }
        if moves.len() == MOVES && !position.status().is_over() {
            return Ok(moves);
        }
    }
    anyhow::bail!("no game of Osbox lasts {MOVES} moves")
}

fn users(pair: u64) -> [String; 2] {
    [format!("ann{pair}"), format!("bob{pair}")]
}

fn password(userid: &str) -> String {
    format!("{userid}-secret")
}

/// The mark by which a mail is recognised.
fn words(mark: u64) -> String {
    format!("{MARK}{mark}.")
}

fn address(userid: &str) -> String {
    format!("{userid}@example.org")
}

/// Enough boards for `count` moves and for each client.
fn enough(count: usize, clients: usize) -> usize {
    count.div_ceil(MOVES).max(clients)
}

/// Boards that exist only as numbers, for receivers that do not check them.
pub(super) fn made_up(count: usize, clients: usize, words: Words) -> Vec<Game> {
    let game = |serial| Game { number: 101 + serial, serial, words, once: false, keys: Arc::default() };
    (0..enough(count, clients) as u64).map(game).collect()
}

/// How API clients authenticate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Shown {
    /// By a key that they made.
    #[default]
    Key,
    /// By userid and password.
    Password,
    /// By the session of a browser.
    Session,
}

/// All boards of a trial.
#[derive(Debug)]
pub(super) struct Boards {
    shown: Shown,
    words: Words,
    once: bool,
    serials: u64,
    /// Mails of [`Self::greetings`].
    greeted: u64,
    /// Moves that were found where they belong.
    pub(super) checked: usize,
    /// The newest mark of each board, and its players.
    newest: Vec<(u64, [String; 2])>,
    /// The API credentials of each pair of users.
    keys: Vec<Arc<[String; 2]>>,
}

impl Boards {
    /// The users of a new server.
    pub(super) async fn new(place: &Place, shown: Shown, words: Words, once: bool) -> anyhow::Result<Self> {
        for userid in (0..PAIRS).flat_map(users) {
            place.add_user(&userid, &password(&userid), &address(&userid)).await?;
        }
        Ok(Self {
            shown,
            words,
            once,
            serials: 0,
            greeted: 0,
            checked: 0,
            newest: Vec::new(),
            keys: Vec::new(),
        })
    }

    /// New boards for `count` moves. Making them has the server check every password.
    pub(super) async fn begin(
        &mut self,
        http: SocketAddr,
        count: usize,
        clients: usize,
    ) -> anyhow::Result<Vec<Game>> {
        let mut connection = Http::connect(http).await?;
        if self.keys.is_empty() {
            for pair in 0..PAIRS {
                let [ann, bob] = users(pair);
                let keys = [
                    show(&mut connection, &ann, self.shown).await?,
                    show(&mut connection, &bob, self.shown).await?,
                ];
                self.keys.push(Arc::new(keys));
            }
        }
        for userid in (0..PAIRS).flat_map(users) {
            let line = format!("vacation {userid} {}", password(&userid));
            command(&mut connection, &json!({ "command": line }).to_string()).await?;
        }
        let wanted: Vec<Game> = (0..enough(count, clients) as u64)
            .map(|at| self.serials + at)
            .map(|serial| Game {
                number: 0,
                serial,
                words: self.words,
                once: self.once,
                keys: self.keys.get((serial % PAIRS) as usize).cloned().unwrap_or_default(),
            })
            .collect();
        self.serials += wanted.len() as u64;
        let (wanted, next) = (Arc::new(wanted), Arc::new(AtomicUsize::new(0)));
        let mut askers = JoinSet::new();
        for _ in 0..8 {
            let (wanted, next) = (Arc::clone(&wanted), Arc::clone(&next));
            askers.spawn(async move {
                let mut begun = Vec::new();
                let mut connection = Http::connect(http).await?;
                while let Some(game) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let answer = command(&mut connection, &game.challenge().json()).await?;
                    let number = answer.pointer("/boards/0/number").and_then(Value::as_u64);
                    begun.push(Game { number: number.context("no board")?, ..game.clone() });
                }
                anyhow::Ok(begun)
            });
        }
        let mut begun = Vec::new();
        while let Some(games) = askers.join_next().await {
            begun.extend(games??);
        }
        self.newest.extend(begun.iter().map(|game| (game.serial * MARKS, game.users())));
        Ok(begun)
    }

    /// One mail from each user, so that the server has checked their passwords for the mail's origin too. Their marks are
    /// not those of moves.
    pub(super) fn greetings(&mut self) -> Vec<Line> {
        let greet = |userid: String| {
            self.greeted += 1;
            Line {
                from: address(&userid),
                command: format!("vacation {userid} {}", password(&userid)),
                mark: u64::MAX / 2 + self.greeted,
                words: String::new(),
                call: Call::default(),
            }
        };
        (0..PAIRS).flat_map(users).map(greet).collect()
    }

    /// Checks that the move list of each board has every move, once and in order.
    pub(super) async fn check(
        &mut self,
        http: SocketAddr,
        games: &[Game],
        script: &[String],
    ) -> anyhow::Result<()> {
        let mut connection = Http::connect(http).await?;
        for game in games {
            let board = connection.get(&format!("/api/v1/boards/osbox/{}", game.number)).await?.json()?;
            let moves = board.get("moves").and_then(Value::as_array);
            let made: Vec<&str> = moves
                .into_iter()
                .flatten()
                .filter_map(|entry| entry.get("text").and_then(Value::as_str))
                .collect();
            ensure!(made == script, "osbox {}: {made:?}", game.number);
            self.checked += made.len();
            let newest = self.newest.iter_mut().find(|(mark, _)| mark / MARKS == game.serial);
            if let Some((mark, _)) = newest {
                *mark = game.serial * MARKS + MOVES as u64;
            }
        }
        Ok(())
    }

    /// Checks that every player got one mail about the last move on each of their boards.
    pub(super) fn check_told(&self, arrivals: &[Arrival], report: &mut Report) {
        let mut told: BTreeMap<(u64, &str), usize> = BTreeMap::new();
        for arrival in arrivals {
            if let Some(mark) = arrival.marks.last() {
                *told.entry((*mark, &arrival.recipient)).or_default() += 1;
            }
        }
        for (mark, users) in &self.newest {
            for address in users.iter().map(|userid| address(userid)) {
                let mails = told.get(&(*mark, address.as_str())).copied().unwrap_or(0);
                report.expect(mails == 1, || format!("{address} got {mails} mails about {mark}"));
            }
        }
        report.row("boards whose last mail reached both players", self.newest.len());
    }
}

/// The header lines with a user's credentials for the API.
async fn show(connection: &mut Http, userid: &str, shown: Shown) -> anyhow::Result<String> {
    let pair = data_encoding::BASE64.encode(format!("{userid}:{}", password(userid)).as_bytes());
    let basic = format!("Authorization: Basic {pair}\r\n");
    match shown {
        Shown::Password => Ok(basic),
        Shown::Key => {
            let wish = json!({ "name": "load", "scopes": ["read", "play"] }).to_string();
            let headers = format!("{JSON}{basic}");
            let response = connection.post("/api/v1/tokens", &headers, wish.as_bytes()).await?;
            ensure!(response.status == 201, "no key for {userid}: {}", response.text());
            let answer = response.json()?;
            let key = answer.get("token").and_then(Value::as_str).context("the answer holds no key")?;
            Ok(format!("Authorization: Bearer {key}\r\n"))
        }
        Shown::Session => {
            // As a browser on a page of the server sends it.
            let form = format!("userid={userid}&password={}", password(userid));
            let headers = format!("Content-Type: application/x-www-form-urlencoded\r\n{SAME_ORIGIN}");
            let response = connection.post("/login", &headers, form.as_bytes()).await?;
            let cookie = response.cookie.as_deref().filter(|_| response.status == 303);
            let cookie = cookie.with_context(|| format!("no session for {userid}: {}", response.text()))?;
            Ok(format!("Cookie: {cookie}\r\n{SAME_ORIGIN}"))
        }
    }
}

async fn command(connection: &mut Http, body: &str) -> anyhow::Result<Value> {
    let response = connection.post("/commands", JSON, body.as_bytes()).await?;
    ensure!(response.status == 200, "{body}: {}", response.text());
    Ok(response.json()?)
}

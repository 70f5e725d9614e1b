//! The most frequent requests, sent to a server with many boards and to one without, by turns in the same minutes.

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::http::Http;
use crate::load::script;
use crate::report::Times;
use crate::server::{Place, Running, program_at};
use crate::sink::{Manners, Sink};

const JSON: &str = "Content-Type: application/json\r\n";
/// The password of the players of this measurement.
const PASSWORD: &str = "walker-secret";

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The folder that `fill` has made.
    #[arg(long, value_name = "FOLDER")]
    folder: PathBuf,
    /// Its database, when it is not SQLite in the folder.
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// The other server's folder, for instance one that `fill` made small (default: an empty server).
    #[arg(long, value_name = "FOLDER")]
    beside: Option<PathBuf>,
    /// The other server's database, an empty one (default: SQLite in its folder).
    #[arg(long, value_name = "URL")]
    beside_database: Option<String>,
    /// Times a question is asked in a round, of either.
    #[arg(long, default_value_t = 40)]
    count: usize,
    /// Rounds.
    #[arg(long, default_value_t = 7)]
    rounds: usize,
    /// The server to be measured (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// The requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Question {
    Move,
    Show,
    BoardPage,
    Games,
    Standings,
    StandingsPage,
    Start,
    User,
}

const QUESTIONS: [(Question, &str); 8] = [
    (Question::Move, "move, by command"),
    (Question::Show, "show, by command"),
    (Question::BoardPage, "page of a board"),
    (Question::Games, "games of a user, by command"),
    (Question::Standings, "standings, by command"),
    (Question::StandingsPage, "page of standings"),
    (Question::Start, "start page"),
    (Question::User, "page of a user"),
];

/// One of the two servers, with a board on it.
struct Side {
    place: Place,
    server: Running,
    http: Http,
    users: [String; 2],
    script: Vec<String>,
    board: u64,
    made: usize,
}

/// Measures.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    ensure!(args.count > 0 && args.rounds > 0, "something must be counted");
    let sink = Sink::open(Manners::prompt(), 1).await?;
    let program = program_at(args.server.as_deref())?;
    let small = match &args.beside {
        Some(folder) => Place::at(&program, &std::fs::canonicalize(folder)?),
        None => Place::new(&program)?,
    };
    let grown = Place::at(&program, &std::fs::canonicalize(&args.folder)?);
    let sink_address = *sink.addresses.first().context("the sink has no listener")?;
    let mut small = Side::start(small, args.beside_database.as_deref(), sink_address).await?;
    let mut grown = Side::start(grown, args.database.as_deref(), sink_address).await?;
    println!(
        "{:<30} {:>9} {:>9} {:>7} {:>7} {:>7}",
        "median of", "beside", "grown", "ratio", "lowest", "highest"
    );
    for (question, name) in QUESTIONS {
        measure(&args, question, name, &mut small, &mut grown).await?;
    }
    small.server.stop().await?;
    grown.server.stop().await?;
    if args.beside.is_none() {
        small.place.remove()?;
    }
    Ok(true)
}

async fn measure(
    args: &Args,
    question: Question,
    name: &str,
    small: &mut Side,
    grown: &mut Side,
) -> anyhow::Result<()> {
    let (mut of_small, mut of_grown, mut ratios) = (Times::default(), Times::default(), Vec::new());
    for round in 0..=args.rounds {
        let (mut one, mut other) = (Times::default(), Times::default());
        for _ in 0..args.count {
            one.push(small.ask(question).await?);
            other.push(grown.ask(question).await?);
        }
        // The first round warms up both servers.
        if round > 0 {
            ratios.push(other.percentile(50) / one.percentile(50));
            of_small.append(one);
            of_grown.append(other);
        }
    }
    ratios.sort_by(f64::total_cmp);
    let ratio = |index: usize| ratios.get(index).copied().unwrap_or(f64::NAN);
    println!(
        "{name:<30} {:>6.2} ms {:>6.2} ms {:>7.2} {:>7.2} {:>7.2}",
        of_small.percentile(50),
        of_grown.percentile(50),
        ratio(ratios.len() / 2),
        ratio(0),
        ratio(ratios.len() - 1)
    );
    Ok(())
}

impl Side {
    async fn start(place: Place, database: Option<&str>, sink: SocketAddr) -> anyhow::Result<Self> {
        let place = place.with("MAIL__TRANSPORT", format!("smtp://{sink}"));
        let place = match database {
            Some(url) => place.with("DATABASE__URL", url),
            None => place,
        };
        // A folder may have been measured before.
        let users = ["a", "b"].map(|seat| format!("w{seat}{}", std::process::id()));
        for userid in &users {
            place.add_user(userid, PASSWORD, &format!("{userid}@example.org")).await?;
        }
        let server = place.start().await?;
        let http = Http::connect(server.endpoints.http).await?;
        let script = script()?;
        let mut side = Self { place, server, http, users, script, board: 0, made: 0 };
        side.challenge().await?;
        Ok(side)
    }

    async fn challenge(&mut self) -> anyhow::Result<()> {
        let [ann, bob] = &self.users;
        let (answer, _) = self.command(&format!("osbox challenge {ann} {bob}")).await?;
        let number = answer.pointer("/boards/0/number").and_then(Value::as_u64);
        self.board = number.with_context(|| format!("no board: {answer}"))?;
        self.made = 0;
        Ok(())
    }

    /// Sends the request and returns how long the answer took.
    async fn ask(&mut self, question: Question) -> anyhow::Result<std::time::Duration> {
        let (board, [ann, _]) = (self.board, self.users.clone());
        match question {
            Question::Move => self.play().await,
            Question::Show => Ok(self.command(&format!("osbox show {board}")).await?.1),
            Question::Games => Ok(self.command(&format!("osbox games {ann}")).await?.1),
            Question::Standings => Ok(self.command("osbox standings").await?.1),
            Question::BoardPage => self.page(&format!("/boards/osbox/{board}")).await,
            Question::StandingsPage => self.page("/standings/osbox").await,
            Question::Start => self.page("/").await,
            Question::User => self.page(&format!("/users/{ann}")).await,
        }
    }

    async fn play(&mut self) -> anyhow::Result<std::time::Duration> {
        if self.made == self.script.len() {
            self.challenge().await?;
        }
        let user = self.users.get(self.made % 2).context("a user")?;
        let word = self.script.get(self.made).context("a move")?;
        let line = format!("osbox move {} {user} {PASSWORD} {word}", self.board);
        self.made += 1;
        Ok(self.command(&line).await?.1)
    }

    async fn command(&mut self, line: &str) -> anyhow::Result<(Value, std::time::Duration)> {
        let body = json!({ "command": line, "body": "" }).to_string();
        let began = Instant::now();
        let response = self.http.post("/commands", JSON, body.as_bytes()).await?;
        let took = began.elapsed();
        ensure!(response.status == 200, "{line}: {}", response.text());
        Ok((response.json()?, took))
    }

    async fn page(&mut self, path: &str) -> anyhow::Result<std::time::Duration> {
        let began = Instant::now();
        let response = self.http.get(path).await?;
        ensure!(response.status == 200, "{path}: {}", response.text());
        Ok(began.elapsed())
    }
}

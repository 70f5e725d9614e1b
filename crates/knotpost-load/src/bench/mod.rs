//! The speed of a server: a scenario for each row that `docs/performance.md` holds it to.
//!
//! Every board has a game of its own, drawn by the seed: with the same moves everywhere, caches and pictures would be
//! faster than they are for people. What a scenario has made is checked afterwards.

mod boards;
mod drive;
mod start;

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::time::Instant;

use crate::dice::Dice;
use crate::play::post::{Post, SERVER};
use crate::play::table::Pair;
use crate::play::wait_until_idle;
use crate::report::{Comparison, Figures, Report};
use crate::server::{PATIENCE, Patience, Place, memory_of};
use crate::sink::{Arrival, Sink};
use crate::trial::{Common, Trial, conclude};
use boards::{Boards, Game, Games, MOVES};
use drive::{Crowd, Way};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum)]
    scenario: Scenario,
    /// Moves, mails or requests of a round; a tenth of it by one client.
    #[arg(long, default_value_t = 3000)]
    count: usize,
    /// Clients at once, one figure after the other (default: those of the row).
    #[arg(long, value_delimiter = ',')]
    clients: Vec<usize>,
    /// Rounds; each runs all sides by turns.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Another server on this machine, by turns: one that takes the same mails (smtp), or has a page /hello (reads, page).
    #[arg(long, value_name = "ADDRESS:PORT")]
    peer: Option<SocketAddr>,
    /// The database, an empty one but for `start` (default: SQLite in the folder).
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// The folder of the server that `start` starts, for instance one that `fill` made (default: an empty one).
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    #[command(flatten)]
    common: Common,
}

/// The rows that are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Scenario {
    /// Moves over the API with keys.
    Keys,
    /// Moves by SMTP, a session each.
    Smtp,
    /// Mail that piled up leaves: with pictures, and text alone.
    Outbox,
    /// Boards as JSON, and as text.
    Reads,
    /// Pages of boards.
    Page,
    /// Moves with the same passwords again; moves with keys while a hundred unknown passwords wait.
    Passwords,
    /// The time until a server takes its first connection, and its memory while idle.
    Start,
}

/// Boards that are read by turns.
const READ_BOARDS: usize = 400;
/// Pairs of users.
const PAIRS: usize = 8;
/// The recipient of the mails to a peer.
const PEER: &str = "b@example.test";
/// A day: a measurement may take as long as whoever asked for it likes.
const MINUTES: u64 = 24 * 60;

/// Measures; true when everything was stored and told.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    ensure!(args.count > 0 && args.rounds > 0, "something must be counted");
    let seed = args.common.seed.unwrap_or(1);
    println!("{:?}: {} a round, {} rounds, --seed {seed}", args.scenario, args.count, args.rounds);
    let program = args.common.program()?;
    if args.scenario == Scenario::Start {
        return start::measure(&program, args.folder.as_deref(), args.database.as_deref(), args.rounds).await;
    }
    let sink = Sink::prompt().await?;
    let place = Place::new(&program)?.mailing_to(&sink, 0).on_database(args.database.as_deref());
    let places = [Arc::new(place.with("SERVER__ADDRESS", SERVER))];
    let trial = attempt(args, &places, sink, Dice::with_seed(seed));
    conclude(MINUTES, trial, &places).await
}

async fn attempt(args: Args, places: &[Arc<Place>], sink: Sink, dice: Dice) -> anyhow::Result<Report> {
    let mut trial = Trial::begin(places, sink, dice, (0..PAIRS).map(Pair::new).collect()).await?;
    trial.welcome().await?;
    let boards = Boards::new(&trial).await?;
    let mut bench = Bench { args, trial, boards };
    match bench.args.scenario {
        Scenario::Keys => bench.measure_moves(&[1, 8, 32], &[Way::Key]).await?,
        Scenario::Smtp => bench.measure_moves(&[1, 10, 50], &[Way::Smtp { to: SERVER }]).await?,
        Scenario::Outbox => bench.measure_outbox().await?,
        Scenario::Reads => bench.measure_reads(&["/api/v1/boards/{}", "/api/v1/boards/{}/board.txt"]).await?,
        Scenario::Page => bench.measure_reads(&["/boards/{}"]).await?,
        Scenario::Passwords => {
            bench.measure_moves(&[8], &[Way::Password, Way::Key]).await?;
            bench.measure_crowd().await?;
        }
        Scenario::Start => {}
    }
    bench.wait_until_sent().await?;
    let Bench { mut trial, .. } = bench;
    let process = trial.fleet.process().context("no server runs")?;
    let (now, most) = memory_of(process).context("no memory of the server")?;
    trial.report.row("resident memory of the server in MiB", now);
    trial.report.row("  at most", most);
    // Mails about users' own settings, which are no part of the ledger.
    let (arrivals, own): (Vec<Arrival>, Vec<Arrival>) =
        trial.fleet.sink.arrivals().into_iter().partition(|arrival| !arrival.marks.is_empty());
    let ids: BTreeSet<&str> = own.iter().map(|arrival| arrival.message_id.as_str()).collect();
    trial.report.expect(ids.len() == own.len(), || "a mail about settings came twice".to_owned());
    trial.finish(arrivals).await
}

/// A server with its users.
struct Bench {
    args: Args,
    trial: Trial,
    boards: Boards,
}

impl Bench {
    fn clients(&self, usual: &[usize]) -> Vec<usize> {
        if self.args.clients.is_empty() { usual.to_vec() } else { self.args.clients.clone() }
    }

    async fn wait_until_sent(&self) -> anyhow::Result<()> {
        wait_until_idle(&self.trial.fleet, None, Duration::from_mins(5)).await
    }

    /// Makes a part of the moves on this server.
    async fn make(
        &self,
        way: &Way,
        clients: usize,
        games: &Games,
        part: fn(usize) -> Range<usize>,
    ) -> anyhow::Result<Figures> {
        let server = way.of(self.trial.fleet.endpoints()?);
        drive::moves((server, way), clients, games, part, &self.trial.post).await
    }

    /// Plays new boards.
    async fn play(&mut self, way: &Way, clients: usize) -> anyhow::Result<(Figures, Games)> {
        let count = if clients == 1 { self.args.count / 10 } else { self.args.count };
        let count = count.div_ceil(MOVES).max(clients);
        let games = self.boards.begin(&mut self.trial, count, MOVES..MOVES + 1).await?;
        self.boards.show_passwords(&mut self.trial, way).await?;
        self.wait_until_sent().await?;
        let figures = self.make(way, clients, &games, |all| 0..all).await?;
        self.wait_until_sent().await?;
        Ok((figures, games))
    }

    async fn measure_moves(&mut self, usual: &[usize], ways: &[Way]) -> anyhow::Result<()> {
        // The moves that a peer takes are not in the ledger of ours.
        let foreign = Arc::new(Post::new(Vec::new()));
        for clients in self.clients(usual) {
            let mut sides = Comparison::new(format!("moves, {clients} at once"));
            for _ in 0..self.args.rounds {
                for way in ways {
                    let (figures, games) = self.play(way, clients).await?;
                    sides.push(way.name(), figures);
                    if let (Way::Smtp { .. }, Some(peer)) = (way, self.args.peer) {
                        let to = (peer, &Way::Smtp { to: PEER });
                        sides.push("peer", drive::moves(to, clients, &games, |all| 0..all, &foreign).await?);
                    }
                }
            }
            println!("{sides}");
        }
        Ok(())
    }

    /// Moves with keys alone, and while a crowd waits for its passwords to be checked.
    async fn measure_crowd(&mut self) -> anyhow::Result<()> {
        for clients in self.clients(&[8]) {
            let title =
                format!("moves with keys, {clients} at once, amid {} passwords and alone", Crowd::SIZE);
            let mut sides = Comparison::new(title);
            for _ in 0..self.args.rounds {
                let crowd = Crowd::gather(self.trial.http()?);
                let amid = self.play(&Way::Key, clients).await;
                crowd.leave().await?;
                sides.push("amid", amid?.0);
                sides.push("alone", self.play(&Way::Key, clients).await?.0);
            }
            println!("{sides}");
        }
        Ok(())
    }

    /// Boards in the middle of their games, by turns.
    async fn measure_reads(&mut self, looks: &[&str]) -> anyhow::Result<()> {
        let count = READ_BOARDS.min(self.args.count);
        let games = self.boards.begin(&mut self.trial, count, 1..MOVES + 1).await?;
        self.make(&Way::Key, 8, &games, |all| 0..all).await?;
        self.wait_until_sent().await?;
        let http = self.trial.http()?;
        for clients in self.clients(&[8]) {
            for look in looks {
                let path = |game: &Game| look.replace("{}", &format!("{}/{}", game.name, game.number));
                let paths: Vec<String> = games.iter().map(path).collect();
                let mut sides = Comparison::new(format!("{look}, {clients} at once"));
                for _ in 0..self.args.rounds {
                    sides.push("server", drive::reads(http, &paths, clients, self.args.count).await?);
                    if let Some(peer) = self.args.peer {
                        let hello = ["/hello".to_owned()];
                        sides.push("peer", drive::reads(peer, &hello, clients, self.args.count).await?);
                    }
                }
                println!("{sides}");
            }
        }
        Ok(())
    }

    /// The mails about the last moves of boards, each with a position of its own, pile up before a closed gate, then it
    /// opens.
    async fn measure_outbox(&mut self) -> anyhow::Result<()> {
        let mut sides = Comparison::new("mails out, as many at once as the server likes".to_owned());
        for _ in 0..self.args.rounds {
            for (form, wish) in [("pictures", "mail=both"), ("text", "mail=text")] {
                self.boards.set(&self.trial, wish).await?;
                let count = self.args.count.div_ceil(2);
                let games = self.boards.begin(&mut self.trial, count, 2..MOVES + 1).await?;
                self.make(&Way::Key, 8, &games, |all| 0..all - 1).await?;
                self.wait_until_sent().await?;
                let sink = &self.trial.fleet.sink;
                sink.set_gate(false);
                self.make(&Way::Key, 8, &games, |all| all - 1..all).await?;
                let (begun, wanted) = (Instant::now(), sink.count() + 2 * games.len());
                let mut patience = Patience::new(PATIENCE, Duration::from_millis(2));
                sink.set_gate(true);
                while sink.count() < wanted {
                    patience.wait("the outbox does not drain").await?;
                }
                sides.push(form, Figures::of(2 * games.len(), begun.elapsed()));
            }
        }
        println!("{sides}");
        Ok(())
    }
}

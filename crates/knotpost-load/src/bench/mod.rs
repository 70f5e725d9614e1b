//! How fast a server is: a scenario for each row that `docs/performance.md` holds it to.
//!
//! Every board has a game of its own, drawn by the seed: with the same moves everywhere, caches and pictures would be
//! faster than they are for people. What a scenario has made is checked afterwards.

mod boards;
mod drive;
mod start;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::time::{Instant, sleep};

use crate::play::{check_storage, conclude, wait_until_idle};
use crate::report::{Comparison, Figures, Report};
use crate::server::{PATIENCE, Place, Running, memory_of, program_at};
use crate::sink::Sink;
use boards::{Boards, Games, MOVES};
use drive::{Crowd, Part, Way};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[arg(value_enum)]
    scenario: Scenario,
    /// Moves, mails or requests of a round; a tenth of it by one client.
    #[arg(long, default_value_t = 3000)]
    count: usize,
    /// How many clients at once, one figure after the other (default: those of the row).
    #[arg(long, value_delimiter = ',')]
    clients: Vec<usize>,
    /// Rounds; each runs all sides by turns.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// For other games.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Another server on this machine, by turns: one that takes the same mails (smtp), or has a page /hello (reads, page).
    #[arg(long, value_name = "ADDRESS:PORT")]
    peer: Option<SocketAddr>,
    /// Whom the mails to the peer are for.
    #[arg(long, value_name = "ADDRESS", default_value = "b@example.test")]
    peer_to: String,
    /// The database, an empty one but for `start` (default: SQLite in the folder).
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// The folder of the server that `start` starts, for instance one that `fill` made (default: an empty one).
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The server to be measured (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// What is measured.
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
    /// How soon a server takes its first connection, and its memory while idle.
    Start,
}

/// Boards that are read by turns.
const READ_BOARDS: usize = 400;

/// Measures; whether everything was stored and told.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    ensure!(args.count > 0 && args.rounds > 0, "something must be counted");
    println!("{:?}: {} a round, {} rounds, --seed {}", args.scenario, args.count, args.rounds, args.seed);
    let program = program_at(args.server.as_deref())?;
    if args.scenario == Scenario::Start {
        return start::measure(&program, args.folder.as_deref(), args.database.as_deref(), args.rounds).await;
    }
    let sink = Sink::prompt().await?;
    let place = Place::new(&program)?.mailing_to(&sink, 0).on_database(args.database.as_deref());
    let trial = attempt(args, &place, sink).await;
    conclude(trial, [&place])
}

async fn attempt(args: Args, place: &Place, sink: Sink) -> anyhow::Result<Report> {
    let server = place.start().await?;
    let boards = Boards::new(server.endpoints, args.seed).await?;
    let mut trial = Trial { args, server, sink, boards, report: Report::default() };
    match trial.args.scenario {
        Scenario::Keys => trial.measure_moves(&[1, 8, 32], &[Way::Key]).await?,
        Scenario::Smtp => trial.measure_moves(&[1, 10, 50], &[Way::smtp()]).await?,
        Scenario::Outbox => trial.measure_outbox().await?,
        Scenario::Reads => trial.measure_reads(&["/api/v1/boards/{}", "/api/v1/boards/{}/board.txt"]).await?,
        Scenario::Page => trial.measure_reads(&["/boards/{}"]).await?,
        Scenario::Passwords => {
            trial.measure_moves(&[8], &[Way::Password, Way::Key]).await?;
            trial.measure_crowd().await?;
        }
        Scenario::Start => {}
    }
    trial.finish(place).await
}

/// A server and its sink.
struct Trial {
    args: Args,
    server: Running,
    sink: Sink,
    boards: Boards,
    report: Report,
}

impl Trial {
    fn clients(&self, usual: &[usize]) -> Vec<usize> {
        if self.args.clients.is_empty() { usual.to_vec() } else { self.args.clients.clone() }
    }

    async fn wait_until_sent(&mut self) -> anyhow::Result<()> {
        let http = self.server.endpoints.http;
        wait_until_idle(http, None, None, Duration::from_mins(5), &mut self.report).await
    }

    /// Plays new boards.
    async fn play(&mut self, way: Way, clients: usize) -> anyhow::Result<(Figures, Games)> {
        let count = if clients == 1 { self.args.count / 10 } else { self.args.count };
        let games = self.boards.begin(count.div_ceil(MOVES).max(clients), MOVES..MOVES + 1).await?;
        self.boards.show_passwords(&way).await?;
        self.wait_until_sent().await?;
        let figures =
            drive::moves(way.of(self.server.endpoints), way.clone(), clients, &games, Part::All).await?;
        self.wait_until_sent().await?;
        self.boards.check(&games).await?;
        Ok((figures, games))
    }

    async fn measure_moves(&mut self, usual: &[usize], ways: &[Way]) -> anyhow::Result<()> {
        for clients in self.clients(usual) {
            let mut sides = Comparison::new(format!("moves, {clients} at once"));
            for _ in 0..self.args.rounds {
                for way in ways {
                    let (figures, games) = self.play(way.clone(), clients).await?;
                    sides.push(way.name(), figures);
                    if let (Way::Smtp { .. }, Some(peer)) = (way, self.args.peer) {
                        let to = Way::Smtp { to: self.args.peer_to.clone() };
                        sides.push("peer", drive::moves(peer, to, clients, &games, Part::All).await?);
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
                let crowd = Crowd::gather(self.server.endpoints.http);
                let amid = self.play(Way::Key, clients).await;
                crowd.leave().await?;
                sides.push("amid", amid?.0);
                sides.push("alone", self.play(Way::Key, clients).await?.0);
            }
            println!("{sides}");
        }
        Ok(())
    }

    /// Boards in the middle of their games, by turns.
    async fn measure_reads(&mut self, looks: &[&str]) -> anyhow::Result<()> {
        let http = self.server.endpoints.http;
        let games = self.boards.begin(READ_BOARDS.min(self.args.count), 1..MOVES + 1).await?;
        drive::moves(http, Way::Key, 8, &games, Part::All).await?;
        self.wait_until_sent().await?;
        for clients in self.clients(&[8]) {
            for look in looks {
                let path =
                    |game: &boards::Game| look.replace("{}", &format!("{}/{}", game.name, game.number));
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
        self.boards.check(&games).await
    }

    /// The mails about the last moves of boards, each with a position of its own, pile up before a closed gate, then it
    /// opens.
    async fn measure_outbox(&mut self) -> anyhow::Result<()> {
        let http = self.server.endpoints.http;
        let mut sides = Comparison::new("mails out, as many at once as the server likes".to_owned());
        for _ in 0..self.args.rounds {
            for (form, wish) in [("pictures", "mail=both"), ("text", "mail=text")] {
                self.boards.set(wish).await?;
                let games = self.boards.begin(self.args.count.div_ceil(2), 2..MOVES + 1).await?;
                drive::moves(http, Way::Key, 8, &games, Part::ButLast).await?;
                self.wait_until_sent().await?;
                self.sink.close_gate();
                drive::moves(http, Way::Key, 8, &games, Part::Last).await?;
                let (begun, wanted) = (Instant::now(), self.sink.count() + 2 * games.len());
                self.sink.open_gate();
                while self.sink.count() < wanted {
                    ensure!(begun.elapsed() < PATIENCE, "the outbox does not drain");
                    sleep(Duration::from_millis(2)).await;
                }
                sides.push(form, Figures::of(2 * games.len(), begun.elapsed()));
                self.boards.check(&games).await?;
            }
        }
        println!("{sides}");
        Ok(())
    }

    /// Checks that every mail was sent once, and that both players were told of the last move of each board.
    async fn finish(mut self, place: &Place) -> anyhow::Result<Report> {
        self.wait_until_sent().await?;
        let mut report = self.report;
        let arrivals = self.sink.arrivals();
        let mut ids: Vec<&str> = arrivals.iter().map(|arrival| arrival.message_id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        let twice = arrivals.len() - ids.len();
        report.expect(twice == 0, || format!("{twice} mails came twice"));
        report.row("mails out", arrivals.len());
        self.boards.check_told(&arrivals, &mut report);
        let (now, most) = memory_of(self.server.id()).context("no memory of the server")?;
        report.row("resident memory of the server in MiB", now);
        report.row("  at most", most);
        self.server.stop().await?;
        check_storage(place, &mut report).await?;
        Ok(report)
    }
}

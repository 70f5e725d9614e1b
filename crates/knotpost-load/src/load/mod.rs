//! How fast the server is, compared with something that does less, in the same minutes.
//!
//! Every scenario runs the same work by turns against the sides it compares, each round on new boards, and afterwards
//! checks that the server stored all of it.

mod boards;
mod drive;
mod passwords;
mod rounds;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use tokio::time::{Instant, sleep};

use crate::floor::Floor;
use crate::http::Http;
use crate::report::Report;
use crate::server::{Place, Running, program_at};
use crate::sink::{Manners, Sink};
pub(crate) use boards::script;
use boards::{Boards, Game, Shown, Words};
use drive::{Keeping, Transport};
use rounds::{Figures, Side, Sides};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Moves (or requests) of one round at each number of clients; a tenth of it by one client.
    #[arg(long, default_value_t = 3000)]
    count: usize,
    /// How many clients at once, one figure after the other.
    #[arg(long, value_delimiter = ',')]
    clients: Vec<usize>,
    /// Rounds; each runs all sides by turns.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How API clients authenticate, for moves over the API.
    #[arg(long, value_enum, default_value_t)]
    by: Shown,
    /// With which moves something is said.
    #[arg(long, value_enum, default_value_t)]
    words: Words,
    /// With an `Idempotency-Key` for each move over the API.
    #[arg(long)]
    once: bool,
    /// Another mail server on this machine that takes the same mails, for SMTP and LMTP.
    #[arg(long, value_name = "ADDRESS:PORT")]
    peer: Option<SocketAddr>,
    /// Whom the mails to the peer are for.
    #[arg(long, value_name = "ADDRESS", default_value = "b@example.test")]
    peer_to: String,
    /// The database, an empty one (default: SQLite in a temporary folder).
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// The server to be measured (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// Moves by SMTP, with a session for each and with reused sessions.
    Smtp,
    /// Moves by LMTP, with reused sessions.
    Lmtp,
    /// Moves over HTTP, on keep-alive connections.
    Http,
    /// Moves over the API with keys, on keep-alive connections.
    Api,
    /// The same while many passwords wait to be checked.
    Crowd,
    /// Passwords that are not cached.
    Passwords,
    /// A board as JSON and as text.
    Reads,
    /// The pages that people visit, by turns.
    Mixed,
    /// Mail that leaves.
    Outbox,
    /// The floors alone.
    Floor,
}

/// The number of boards that are read by turns.
const SHOWN_BOARDS: usize = 20;
/// The paths requested for a board; its number replaces the braces.
const LOOKS_AT_BOARD: [&str; 8] = [
    "/api/v1/boards/osbox/{}",
    "/boards/osbox/{}",
    "/api/v1/boards/osbox/{}/board.txt",
    "/api/v1/boards/osbox/{}/board.svg",
    "/api/v1/boards/osbox/{}/board.png",
    "/api/v1/boards/osbox/{}/moves",
    "/api/v1/boards/osbox/{}/legal",
    "/api/v1/boards/osbox/{}/record",
];
/// Other paths requested.
const OTHER_LOOKS: [&str; 7] = [
    "/",
    "/games/osbox",
    "/standings/osbox",
    "/users/ann0",
    "/api/v1/games",
    "/api/v1/boards?game=osbox&state=active",
    "/api/v1/standings/osbox",
];

/// A server, its floor and its sink.
struct Trial {
    args: Args,
    server: Running,
    floor: Floor,
    sink: Sink,
    boards: Boards,
    script: Vec<String>,
    place: Place,
    /// The number of mails sent by the end.
    expected: usize,
}

/// Measures; returns whether everything was stored.
pub(crate) async fn run(what: What, args: Args) -> anyhow::Result<bool> {
    let sink = Sink::open(Manners::prompt(), 1).await?;
    let mut place = Place::new(&program_at(args.server.as_deref())?)?
        .with("MAIL__TRANSPORT", sink.transport(0))
        .with("SECRETS__KEY", "c5".repeat(32));
    if let Some(url) = &args.database {
        place = place.with("DATABASE__URL", url);
    }
    let boards = Boards::new(&place, args.by, args.words, args.once).await?;
    let floor = Floor::start(place.root()).await?;
    let server = place.start().await?;
    let script = script()?;
    let mut trial = Trial { args, server, floor, sink, boards, script, place, expected: 0 };
    println!("{what:?}: {} a round, {} rounds", trial.args.count, trial.args.rounds);
    match what {
        What::Smtp => {
            trial.measure_mail(Transport::Smtp, Keeping::Never, &[1, 10, 50]).await?;
            trial.measure_mail(Transport::Smtp, Keeping::Always, &[1, 10, 50]).await?;
        }
        What::Lmtp => trial.measure_mail(Transport::Lmtp, Keeping::Always, &[10]).await?,
        What::Http => trial.measure_mail(Transport::Http, Keeping::Always, &[1, 8, 64]).await?,
        What::Floor => {
            for (transport, keeping) in [
                (Transport::Smtp, Keeping::Never),
                (Transport::Smtp, Keeping::Always),
                (Transport::Http, Keeping::Always),
            ] {
                trial.measure_floor(transport, keeping, &[1, 10, 50]).await?;
            }
        }
        What::Api => trial.measure_mail(Transport::Api, Keeping::Always, &[1, 8, 64]).await?,
        What::Crowd => trial.measure_crowd(&[8]).await?,
        What::Passwords => trial.measure_passwords(&[16]).await?,
        What::Reads => trial.measure_reads(&[8]).await?,
        What::Mixed => trial.measure_mixed(&[1, 8, 64]).await?,
        What::Outbox => trial.measure_outbox().await?,
    }
    trial.finish().await
}

impl Trial {
    fn clients(&self, usual: &[usize]) -> Vec<usize> {
        if self.args.clients.is_empty() { usual.to_vec() } else { self.args.clients.clone() }
    }

    fn count(&self, clients: usize) -> usize {
        if clients == 1 { self.args.count / 10 } else { self.args.count }.max(boards::MOVES)
    }

    fn side(&self, which: Side, transport: Transport) -> Option<SocketAddr> {
        match (which, transport) {
            (Side::Server, Transport::Smtp) => Some(self.server.endpoints.smtp),
            (Side::Server, Transport::Lmtp) => Some(self.server.endpoints.lmtp),
            (Side::Server, Transport::Http | Transport::Api) => Some(self.server.endpoints.http),
            (Side::Floor, Transport::Smtp | Transport::Lmtp) => Some(self.floor.smtp),
            (Side::Floor, Transport::Http | Transport::Api) => Some(self.floor.http),
            (Side::Peer, Transport::Http | Transport::Api) => None,
            (Side::Peer, _) => self.args.peer,
        }
    }

    /// Moves by mail or over HTTP.
    async fn measure_mail(
        &mut self,
        transport: Transport,
        keeping: Keeping,
        usual: &[usize],
    ) -> anyhow::Result<()> {
        for clients in self.clients(usual) {
            let mut sides = Sides::new(format!("{transport:?} {keeping} {clients} at once"));
            let count = self.count(clients);
            for _ in 0..self.args.rounds {
                let games = self.boards.begin(self.server.endpoints.http, count, clients).await?;
                self.expected += 2 * games.len() + boards::GREETINGS;
                if let (Transport::Smtp | Transport::Lmtp, Some(address)) =
                    (transport, self.side(Side::Server, transport))
                {
                    let greetings = self.boards.greetings();
                    drive::hand_over(address, transport, &greetings, "pbmserv@localhost").await?;
                    self.expected += boards::GREETINGS;
                }
                self.wait_until_sent().await?;
                for which in [Side::Server, Side::Floor, Side::Peer] {
                    let Some(address) = self.side(which, transport) else { continue };
                    let to =
                        if which == Side::Peer { self.args.peer_to.as_str() } else { "pbmserv@localhost" };
                    // The floor does not tell API requests from other requests.
                    let transport = if which == Side::Floor && transport == Transport::Api {
                        Transport::Http
                    } else {
                        transport
                    };
                    let times =
                        drive::moves(address, transport, keeping, clients, (&games, &self.script), to)
                            .await?;
                    sides.push(which, times);
                    if which == Side::Server {
                        self.expected += 2 * games.len() * boards::MOVES;
                        let begun = Instant::now();
                        self.wait_until_sent().await?;
                        sides.push_drain(begun.elapsed());
                    }
                }
                self.boards.check(self.server.endpoints.http, &games, &self.script).await?;
            }
            println!("{sides}");
        }
        Ok(())
    }

    async fn measure_floor(
        &mut self,
        transport: Transport,
        keeping: Keeping,
        usual: &[usize],
    ) -> anyhow::Result<()> {
        for clients in self.clients(usual) {
            let mut sides = Sides::new(format!("{transport:?} {keeping} {clients} at once"));
            let games = boards::made_up(self.count(clients), clients, self.args.words);
            for _ in 0..self.args.rounds {
                for which in [Side::Floor, Side::Peer] {
                    let Some(address) = self.side(which, transport) else { continue };
                    sides.push(
                        which,
                        drive::moves(
                            address,
                            transport,
                            keeping,
                            clients,
                            (&games, &self.script),
                            &self.args.peer_to,
                        )
                        .await?,
                    );
                }
            }
            println!("{sides}");
        }
        Ok(())
    }

    /// Boards in the middle of their games.
    async fn play(&mut self, count: usize) -> anyhow::Result<Vec<Game>> {
        let http = self.server.endpoints.http;
        let games = self.boards.begin(http, count, 1).await?;
        self.expected += 2 * games.len() * (boards::MOVES + 1) + boards::GREETINGS;
        drive::moves(http, Transport::Http, Keeping::Always, 1, (&games, &self.script), "").await?;
        self.boards.check(http, &games, &self.script).await?;
        Ok(games)
    }

    async fn measure_mixed(&mut self, usual: &[usize]) -> anyhow::Result<()> {
        let games = self.play(SHOWN_BOARDS * boards::MOVES).await?;
        let of_board = |game: &Game| LOOKS_AT_BOARD.map(|look| look.replace("{}", &game.number.to_string()));
        let paths: Vec<String> =
            games.iter().flat_map(of_board).chain(OTHER_LOOKS.map(ToOwned::to_owned)).collect();
        let http = self.server.endpoints.http;
        for clients in self.clients(usual) {
            let mut sides =
                Sides::new(format!("boards, lists, pages and pictures by turns, {clients} at once"));
            let count = self.count(clients);
            for _ in 0..self.args.rounds {
                sides.push(Side::Server, drive::reads(http, &paths, clients, count).await?);
                let hello = ["/hello".to_owned()];
                sides.push(Side::Floor, drive::reads(self.floor.http, &hello, clients, count).await?);
            }
            println!("{sides}");
        }
        self.boards.check(http, &games, &self.script).await
    }

    async fn measure_reads(&mut self, usual: &[usize]) -> anyhow::Result<()> {
        let http = self.server.endpoints.http;
        let number = self.play(boards::MOVES).await?.first().context("no board")?.number;
        for clients in self.clients(usual) {
            for (name, suffix) in [("JSON", ""), ("text", "/board.txt")] {
                let mut sides = Sides::new(format!("a board as {name}, {clients} at once"));
                for _ in 0..self.args.rounds {
                    let path = [format!("/api/v1/boards/osbox/{number}{suffix}")];
                    sides.push(Side::Server, drive::reads(http, &path, clients, self.args.count).await?);
                    let hello = ["/hello".to_owned()];
                    sides.push(
                        Side::Floor,
                        drive::reads(self.floor.http, &hello, clients, self.args.count).await?,
                    );
                }
                println!("{sides}");
            }
        }
        Ok(())
    }

    /// The first mails of new boards pile up before a closed gate, then it opens.
    async fn measure_outbox(&mut self) -> anyhow::Result<()> {
        let mut sides = Sides::new("mails out, as many at once as the server likes".to_owned());
        for _ in 0..self.args.rounds {
            self.wait_until_sent().await?;
            self.sink.close_gate();
            let games =
                self.boards.begin(self.server.endpoints.http, self.args.count / 2 * boards::MOVES, 8).await?;
            let before = self.expected;
            self.expected += 2 * games.len() + boards::GREETINGS;
            let begun = Instant::now();
            self.sink.open_gate();
            self.wait_until_sent().await?;
            sides.push(Side::Server, Figures::of(self.expected - before, begun.elapsed()));
            let address = *self.sink.addresses.first().context("the sink has no listener")?;
            let arrived = self.sink.count();
            sides.push(Side::Floor, drive::straight(address, 10, self.expected - before).await?);
            self.sink.truncate(arrived);
        }
        println!("{sides}");
        Ok(())
    }

    /// Waits until the outbox is empty.
    async fn wait_until_sent(&self) -> anyhow::Result<()> {
        let mut http = Http::connect(self.server.endpoints.http).await?;
        let deadline = Instant::now() + Duration::from_mins(5);
        let mut arrived = self.sink.count();
        loop {
            anyhow::ensure!(Instant::now() < deadline, "the outbox does not drain");
            sleep(Duration::from_millis(10)).await;
            // Counting the queue costs the server time, so it is not asked while mails arrive.
            if std::mem::replace(&mut arrived, self.sink.count()) != arrived {
                continue;
            }
            let metrics = http.get("/metrics").await?.text();
            let waits = |name: &str| !metrics.lines().any(|line| line == format!("{name} 0"));
            if !waits("knotpost_outbox_waiting") && !waits("knotpost_inbox_waiting") {
                return Ok(());
            }
        }
    }

    /// Checks that every accepted move is stored once.
    async fn finish(self) -> anyhow::Result<bool> {
        self.wait_until_sent().await?;
        let mut report = Report::default();
        let arrivals = self.sink.arrivals();
        let mut ids: Vec<&str> = arrivals.iter().map(|arrival| arrival.message_id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        report.row("moves made, each once", self.boards.checked);
        report.row("mails out", arrivals.len());
        report.row("  expected, unless newer ones replaced them", self.expected);
        report.expect(ids.len() == arrivals.len(), || {
            format!("{} mails came twice", arrivals.len() - ids.len())
        });
        report.expect(ids.len() <= self.expected, || "more mails than there was reason for".to_owned());
        self.boards.check_told(&arrivals, &mut report);
        if let Some(memory) = memory_of(self.server.id()) {
            report.row("resident memory of the server in MiB", memory);
        }
        self.server.stop().await?;
        let output = self.place.run(&["admin", "replay", "--all"], b"").await?;
        report.expect(output.status.success(), || crate::server::said(&output));
        println!("{report}");
        self.place.remove()?;
        Ok(report.is_sound())
    }
}

/// Resident memory in MiB, where the system reports it.
pub(crate) fn memory_of(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib / 1024)
}

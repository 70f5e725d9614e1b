//! Trials: what they have in common, from the seed to the rules that must hold in the end.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::dice::Dice;
use crate::people;
use crate::play::budget::Budget;
use crate::play::fleet::Fleet;
use crate::play::ledger::Habit;
use crate::play::post::{Post, enable_listeners};
use crate::play::table::{Pair, Seat, Table};
use crate::play::{tell_progress, verify, wait_for_all, wait_until_idle};
use crate::postgres::Node;
use crate::report::Report;
use crate::server::{Place, said};
use crate::sink::{Arrival, Sink};

/// The longest wait for the mails of a killed server, with a margin for a busy machine.
pub(crate) const LEASES: Duration = Duration::from_mins(18);

#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// For other moments and other games (default: from the process number; where speed is measured: 1).
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// The server to be tried (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

impl Common {
    /// Says what begins; returns what everything is drawn from.
    pub(crate) fn begin(&self, what: &str) -> Dice {
        let seed = self.seed.unwrap_or_else(|| u64::from(std::process::id()));
        println!("{what}, --seed {seed}");
        Dice::with_seed(seed)
    }

    /// The absolute path of the server's program: the one named, or the one beside this program, where cargo puts it.
    pub(crate) fn program(&self) -> anyhow::Result<PathBuf> {
        let program = match &self.server {
            Some(named) => named.clone(),
            None => std::env::current_exe()?.with_file_name("knotpost"),
        };
        std::fs::canonicalize(&program).with_context(|| {
            format!(
                "there is no {}; build it (cargo build -p knotpost, with --release for load) or name it with --server",
                program.display()
            )
        })
    }
}

/// Runs a trial to its end, in as many minutes at most, and prints its outcome; returns true when every rule held. The
/// folders are removed only then.
pub(crate) async fn conclude(
    minutes: u64,
    trial: impl Future<Output = anyhow::Result<Report>>,
    places: &[Arc<Place>],
) -> anyhow::Result<bool> {
    let trial = timeout(Duration::from_mins(minutes), trial).await;
    let trial = trial.context("the trial does not end in time").and_then(|done| done);
    let sound = match trial {
        Ok(report) => {
            println!("{report}");
            report.is_sound()
        }
        Err(error) => {
            println!("{error:#}");
            false
        }
    };
    for place in places {
        if sound {
            place.remove()?;
        } else {
            println!("kept: {}", place.root().display());
        }
    }
    Ok(sound)
}

/// An outside world that takes its time.
pub(crate) async fn open_sink(dice: &mut Dice, listeners: usize) -> std::io::Result<Sink> {
    Sink::open(listeners, Duration::ZERO..Duration::from_millis(30), dice.fork()).await
}

/// Folders for servers that share a database, each with a listener of the sink.
pub(crate) fn on_one_database(
    program: &Path,
    servers: usize,
    sink: &Sink,
    url: &str,
) -> anyhow::Result<Vec<Arc<Place>>> {
    let place = |at| {
        let place = Place::new(program)?.mailing_to(sink, at).on_database(Some(url));
        Ok(Arc::new(enable_listeners(place)?))
    };
    (0..servers).map(place).collect()
}

/// Servers under trial, their users, everything that was sent, and what was seen.
pub(crate) struct Trial {
    pub(crate) fleet: Fleet,
    pub(crate) dice: Dice,
    pub(crate) pairs: Vec<Pair>,
    pub(crate) post: Arc<Post>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) players: JoinSet<anyhow::Result<()>>,
    pub(crate) report: Report,
}

impl Trial {
    /// Starts the servers.
    pub(crate) async fn begin(
        places: &[Arc<Place>],
        sink: Sink,
        dice: Dice,
        pairs: Vec<Pair>,
    ) -> anyhow::Result<Self> {
        Ok(Self {
            fleet: Fleet::start(places, sink).await?,
            dice,
            pairs,
            post: Arc::new(Post::new(places.to_vec())),
            budget: Arc::new(Budget::new(0, None)),
            players: JoinSet::new(),
            report: Report::default(),
        })
    }

    /// The address of a running server for HTTP.
    pub(crate) fn http(&self) -> anyhow::Result<SocketAddr> {
        Ok(self.fleet.endpoints()?.http)
    }

    /// Signs up all users, and discards the mails they got for it.
    pub(crate) async fn welcome(&mut self) -> anyhow::Result<()> {
        let users: Vec<String> = self.pairs.iter().flat_map(|pair| pair.userids.clone()).collect();
        people::sign_up(self.http()?, &users).await?;
        wait_until_idle(&self.fleet, None, LEASES).await?;
        let mails = self.fleet.sink.count();
        self.report
            .expect(mails == users.len(), || format!("{} users were welcomed by {mails} mails", users.len()));
        self.fleet.sink.clear();
        self.report.row("users", users.len());
        Ok(())
    }

    /// Has players at these boards, who make moves until the budget is used up.
    pub(crate) fn play(&mut self, seats: Vec<Seat>, habit: Habit, budget: Budget) {
        self.budget = Arc::new(budget);
        let registry = Arc::new(knotpost_games::registry());
        for seat in seats {
            let post = (Arc::clone(&self.post), habit);
            let table = Table::new(seat, post, Arc::clone(&registry), self.dice.fork());
            self.players.spawn(table.play(Arc::clone(&self.budget)));
        }
        self.players.spawn(tell_progress(Arc::clone(&self.post), Arc::clone(&self.budget)));
    }

    pub(crate) async fn wait_for_players(&mut self) -> anyhow::Result<()> {
        wait_for_all(&mut self.players).await?;
        self.fleet.expect_alive()
    }

    /// Waits until every queue is empty.
    pub(crate) async fn drain(&mut self, key: Option<&str>, patience: Duration) -> anyhow::Result<()> {
        let begun = Instant::now();
        if let Err(error) = wait_until_idle(&self.fleet, key, patience).await {
            // The checks that follow say what is missing.
            self.report.broken(format!("{error:#}"));
        }
        self.report.row("seconds until every queue was empty", begun.elapsed().as_secs());
        self.fleet.expect_alive()
    }

    /// Checks that what was sent had its outcome once, stops the servers, and has everything that is stored replayed, a
    /// SQLite file backed up as well.
    pub(crate) async fn finish(mut self, arrivals: Vec<Arrival>) -> anyhow::Result<Report> {
        let report = &mut self.report;
        report.expect(self.budget.is_spent(), || "not all moves were made".to_owned());
        let mails = self.post.ledger.close();
        let boards = verify::read_boards(self.fleet.endpoints()?.http, &self.pairs).await?;
        verify::check_boards(&mails, &boards, &self.pairs, report);
        verify::check_mails(&mails, arrivals, report);
        self.fleet.stop().await?;
        let place = self.fleet.places().next().context("no server")?;
        let copy = place.data().join("copy.db").to_string_lossy().into_owned();
        let mut commands =
            vec![vec!["admin", "replay", "--all"], vec!["admin", "ratings", "recompute", "--check"]];
        if place.is_on_sqlite() {
            commands.push(vec!["backup", &copy]);
        }
        for command in commands {
            let output = place.run(&command, b"").await?;
            report.expect(output.status.success(), || format!("{}: {}", command.join(" "), said(&output)));
            println!("{}: {}", command.join(" "), String::from_utf8_lossy(&output.stdout).trim());
        }
        report.row("warnings logged", logged(self.fleet.places(), " WARN ").len());
        let errors = logged(self.fleet.places(), ERROR);
        report.row("errors logged", errors.len());
        errors.iter().take(5).for_each(|line| println!("logged: {line}"));
        let panics = logged(self.fleet.places(), "panicked at");
        report.expect(panics.is_empty(), || "a server panicked; see its log".to_owned());
        Ok(self.report)
    }
}

/// The word by which a line of a log is an error.
pub(crate) const ERROR: &str = "ERROR ";

/// The lines of all logs with this word.
pub(crate) fn logged<'a>(places: impl IntoIterator<Item = &'a Arc<Place>>, word: &str) -> Vec<String> {
    let logs: String = places.into_iter().map(|place| place.log()).collect();
    logs.lines().filter(|line| line.contains(word)).map(str::to_owned).collect()
}

/// Ends the leases of killed servers now instead of waiting until they expire. All servers are stopped in order first, so
/// no lease belongs to a running one.
pub(crate) async fn end_leases(fleet: &mut Fleet, database: &Node) -> anyhow::Result<()> {
    fleet.stop().await?;
    for sql in [
        "UPDATE inbox SET due_at = 0 WHERE state = 'new'",
        "UPDATE outbox SET due_at = 0 WHERE state = 'queued' AND error IS NULL",
        "UPDATE duties SET until_at = 0",
    ] {
        database.ask(sql).await?;
    }
    fleet.start_all().await
}

/// Queries that count rows which must not be in the database in the end.
const LEFT_OVER: [(&str, &str); 5] = [
    (
        "two moves of one number",
        "SELECT count(*) FROM (SELECT 1 FROM moves GROUP BY board_id, number HAVING count(*) > 1) AS twice",
    ),
    (
        "a board whose count of moves is not that of its rows",
        "SELECT count(*) FROM boards WHERE ply <> (SELECT count(*) FROM moves WHERE board_id = boards.id)",
    ),
    ("mail that waits", "SELECT count(*) FROM outbox WHERE state = 'queued'"),
    ("mail given up", "SELECT count(*) FROM outbox WHERE state = 'failed'"),
    ("mail unread", "SELECT count(*) FROM inbox WHERE state <> 'done'"),
];

/// Checks in the database that no row is left in progress.
pub(crate) async fn check_rows(database: &Node, report: &mut Report) -> anyhow::Result<()> {
    for (what, sql) in LEFT_OVER {
        let count = database.ask(sql).await?;
        report.expect(count == "0", || format!("{what}: {count} rows"));
    }
    Ok(())
}

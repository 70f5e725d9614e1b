//! Trials: what they have in common, from the seed to the rules that must hold in the end.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;

use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::dice::Dice;
use crate::people;
use crate::play::budget::Budget;
use crate::play::fleet::Fleet;
use crate::play::ledger::{Habit, Ledger};
use crate::play::post::{Post, ServerHandle, enable_listeners};
use crate::play::table::{Pair, Seat, Table};
use crate::play::{check_logs, check_storage, conclude, tell_progress, verify, wait_until_idle};
use crate::postgres::Node;
use crate::report::Report;
use crate::server::{Place, program_at, said};
use crate::sink::{Arrival, Sink};

/// Moves, questions and mistakes that are handed over at the same time, at most.
const SENDERS: usize = 12;
/// How long the mails of a killed server may wait, with a margin for a busy machine.
pub(crate) const LEASES: Duration = Duration::from_mins(18);

#[derive(Debug, clap::Args)]
pub(crate) struct Common {
    /// For other moments and other games (default: from the process number).
    #[arg(long)]
    seed: Option<u64>,
    /// The server to be tried (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

impl Common {
    /// Says what begins; returns what everything is drawn from.
    pub(crate) fn begin(&self, what: &str) -> Dice {
        let seed = self.seed.unwrap_or_else(|| u64::from(std::process::id()));
        println!("{what}, --seed {seed}");
        Dice::new(seed)
    }

    /// The path of the server's program.
    pub(crate) fn program(&self) -> anyhow::Result<PathBuf> {
        program_at(self.server.as_deref())
    }

    /// Runs a trial to its end, in as many minutes at most; whether every rule held.
    pub(crate) async fn conclude(
        &self,
        minutes: u64,
        trial: impl Future<Output = anyhow::Result<Report>>,
        places: &[Arc<Place>],
    ) -> anyhow::Result<bool> {
        let trial = timeout(Duration::from_mins(minutes), trial).await;
        let trial = trial.context("the trial does not end in time").and_then(|done| done);
        conclude(trial, places.iter().map(AsRef::as_ref))
    }
}

/// Has players at these boards, who make moves until the budget is used up.
pub(crate) fn seat(
    seats: impl Iterator<Item = Seat>,
    servers: Vec<ServerHandle>,
    habit: Habit,
    budget: Budget,
    dice: &mut Dice,
) -> anyhow::Result<Company> {
    let ledger = Arc::new(Ledger::default());
    let post = Arc::new(Post::new(servers, Arc::clone(&ledger), SENDERS)?);
    let (budget, registry) = (Arc::new(budget), Arc::new(knotpost_games::registry()));
    let mut players = JoinSet::new();
    for (game, pair) in seats {
        let table = Table::new(game, pair, (Arc::clone(&post), habit), Arc::clone(&registry), dice.split());
        players.spawn(table.play(Arc::clone(&budget)));
    }
    players.spawn(tell_progress(Arc::clone(&post), Arc::clone(&budget)));
    Ok(Company { post, ledger, budget, players })
}

/// An outside world that takes its time.
pub(crate) async fn open_sink(dice: &mut Dice, listeners: usize) -> std::io::Result<Sink> {
    Sink::open(listeners, Duration::ZERO..Duration::from_millis(30), dice.split()).await
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

/// Players, and everything that they sent.
pub(crate) struct Company {
    pub(crate) post: Arc<Post>,
    pub(crate) ledger: Arc<Ledger>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) players: JoinSet<anyhow::Result<()>>,
}

impl Company {
    /// Checks that what was sent had its outcome once.
    pub(crate) async fn check(
        &self,
        http: SocketAddr,
        pairs: &[Pair],
        arrivals: Vec<Arrival>,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        report.expect(self.budget.is_spent(), || "not all moves were made".to_owned());
        let mails = self.ledger.close();
        let boards = verify::read_boards(http, pairs).await?;
        verify::check_boards(&mails, &boards, pairs, report);
        verify::check_mails(&mails, arrivals, report);
        Ok(())
    }
}

/// Signs up all users, and discards the mails they got for it.
pub(crate) async fn welcome(
    http: SocketAddr,
    pairs: &[Pair],
    sink: &Sink,
    report: &mut Report,
) -> anyhow::Result<()> {
    let users: Vec<String> = pairs.iter().flat_map(|pair| pair.userids().clone()).collect();
    people::sign_up(http, &users).await?;
    wait_until_idle(http, None, None, LEASES, report).await?;
    report.expect(sink.count() == users.len(), || {
        format!("{} users were welcomed by {} mails", users.len(), sink.count())
    });
    sink.truncate(0);
    report.row("users", users.len());
    Ok(())
}

/// Ends the leases of killed servers now instead of waiting until they expire. All servers are stopped in order first, so
/// no lease belongs to a running one.
pub(crate) async fn end_leases(fleet: &mut Fleet<'_>, database: &Node) -> anyhow::Result<()> {
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

/// What must not be in the database in the end: a query that counts it.
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

/// Stops the servers, and has everything that is stored replayed, a SQLite file backed up as well; returns how many lines
/// of the logs are errors.
pub(crate) async fn check_stored(
    fleet: &mut Fleet<'_>,
    places: &[Arc<Place>],
    report: &mut Report,
) -> anyhow::Result<usize> {
    fleet.stop().await?;
    let place = places.first().context("no server")?;
    check_storage(place, report).await?;
    if place.is_on_sqlite() {
        let output = place.run(&["backup", &place.data().join("copy.db").to_string_lossy()], b"").await?;
        report.expect(output.status.success(), || format!("backup: {}", said(&output)));
    }
    let logs: Vec<String> = places.iter().map(|place| place.log()).collect();
    Ok(check_logs(&logs, report))
}

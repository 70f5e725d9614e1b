//! Several servers on one PostgreSQL, under faults.
//!
//! Games are played by mail and over HTTP at once, at the servers by turns. Meanwhile one server after the other is
//! killed and restarted, and once the database crashes under all of them. Some boards have short time limits, and the
//! clock ends them. Afterwards the rules of a single killed server must hold, and the clock must have ended each of its
//! games once.

mod chaos;
pub(crate) mod cluster;
pub(crate) mod fleet;
pub(crate) mod people;
mod timed;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use knotpost_rules::Registry;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::ledger::{Habit, Ledger, Way};
use crate::play::post::{Post, enable_listeners};
use crate::play::table::{Pair, Table, pairs_for, seat_all};
use crate::play::{
    check_logs, check_storage, conclude, read_range, tell_progress, verify, wait_for_all, wait_until_idle,
};
use crate::report::Report;
use crate::server::{Place, program_at};
use crate::sink::{Arrival, Manners, Sink};
use chaos::{Chaos, Counts};
use cluster::{Cluster, Database};
use fleet::Fleet;
use people::User;

/// Half of the commands are API requests, not mails.
const HABIT: Habit = &[(Way::Api, 48), (Way::Lmtp, 12), (Way::Hook, 8), (Way::Deliver, 1)];
/// How long the mails of a killed server may wait, with a margin for a busy machine.
const LEASES: Duration = Duration::from_mins(8);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Server processes on the one database.
    #[arg(long, default_value_t = 3)]
    servers: usize,
    /// Boards that are played at the same time.
    #[arg(long, default_value_t = 400)]
    boards: usize,
    /// Boards whose players fall silent, for the clock.
    #[arg(long, default_value_t = 8)]
    timed: usize,
    /// How long is played, at most.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// How many moves are made, at most.
    #[arg(long, default_value_t = u32::MAX)]
    moves: u32,
    /// Moves, questions and mistakes that are handed over at the same time, at most.
    #[arg(long, default_value_t = 16)]
    senders: usize,
    /// Milliseconds from one kill to the next, at least and at most.
    #[arg(long, value_name = "MIN..MAX", default_value = "2000..6000", value_parser = read_range)]
    kill_every: std::ops::Range<Duration>,
    /// For other moments and other games (default: from the process number).
    #[arg(long)]
    seed: Option<u64>,
    /// An empty PostgreSQL database (default: a private cluster, gone at the end).
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// What restarts the database of `--database`; without it, it is left alone.
    #[arg(long, value_name = "COMMAND", requires = "database")]
    restart_database: Option<String>,
    /// End the leases of killed servers by SQL when playing ends, instead of waiting up to five
    /// minutes until they run out.
    #[arg(long)]
    hurry: bool,
    /// Minutes after which the trial is given up (default: those of playing and 20 more).
    #[arg(long)]
    minutes: Option<u64>,
    /// Of a hundred mails out, how many are put off by the outside world for once.
    #[arg(long, default_value_t = 0)]
    put_off: u64,
    /// The server to be tried (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// Runs the trial; whether every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| u64::from(std::process::id()));
    println!("storm: {} servers, {} boards for {} s, --seed {seed}", args.servers, args.boards, args.seconds);
    let mut dice = Dice::new(seed);
    let manners = Manners {
        pause: Duration::ZERO..Duration::from_millis(30),
        put_off: args.put_off,
        dice: dice.split(),
    };
    let servers = args.servers.max(1);
    let sink = Sink::open(manners, servers).await?;
    let program = program_at(args.server.as_deref())?;
    // A missing program fails here, before anything is started.
    let bare: Vec<Place> = (0..servers).map(|_| Place::new(&program)).collect::<anyhow::Result<_>>()?;
    let database = match &args.database {
        Some(url) => Database::Theirs { url: url.clone(), restart: args.restart_database.clone() },
        None => Database::Private(Cluster::open().await?),
    };
    let mut places = Vec::new();
    for (at, place) in bare.into_iter().enumerate() {
        let place = place
            .with("MAIL__TRANSPORT", sink.transport(at))
            .with("SECRETS__KEY", "c5".repeat(32))
            .with("DATABASE__URL", database.url());
        places.push(Arc::new(enable_listeners(place)?));
    }
    let minutes = args.minutes.unwrap_or(args.seconds.div_ceil(60) + 20);
    let trial = timeout(Duration::from_mins(minutes), attempt(&args, &places, &database, &sink, dice)).await;
    let trial = trial.context("the trial does not end in time").and_then(|done| done);
    conclude(trial, places.iter().map(AsRef::as_ref))
}

async fn attempt(
    args: &Args,
    places: &[Arc<Place>],
    database: &Database,
    sink: &Sink,
    mut dice: Dice,
) -> anyhow::Result<Report> {
    let fleet = Fleet::start(places, sink).await?;
    let pairs = pairs_for(args.boards);
    let mut report = Report::default();
    welcome(&fleet, &pairs, sink, &mut report).await?;
    let timed = timed::begin(fleet.endpoints()?.http, args.timed, args.seconds).await?;

    let begun = Instant::now();
    let ledger = Arc::new(Ledger::default());
    let post = Arc::new(Post::new(fleet.servers(), Arc::clone(&ledger), args.senders)?);
    let playing = Duration::from_secs(args.seconds);
    let budget = Arc::new(Budget::new(args.moves, Some(playing)));
    let mut players = JoinSet::new();
    let registry = Arc::new(Registry::standard());
    for (game, pair) in seat_all(&pairs, args.boards) {
        let table = Table::new(game, pair, (Arc::clone(&post), HABIT), Arc::clone(&registry), dice.split());
        players.spawn(table.play(Arc::clone(&budget)));
    }
    players.spawn(tell_progress(Arc::clone(&post), Arc::clone(&budget)));
    let (crash_after, counts) = (playing / 2, Counts::default());
    let mut chaos = Chaos { fleet, database, sink, post: &post, dice: dice.split(), crash_after, counts };
    chaos.rage(&mut players, &args.kill_every, &budget).await?;
    report.row("seconds of play", begun.elapsed().as_secs());

    let played = Instant::now();
    if args.hurry {
        chaos.end_leases().await?;
    }
    wait_for_all(&mut players).await?;
    let http = chaos.fleet.endpoints()?.http;
    // After the last kill nobody loses for as long as a move may take.
    timed::wait_for_ends(http, &timed, LEASES + 2 * playing).await?;
    wait_until_idle(http, None, None, LEASES, &mut report).await?;
    report.row("seconds until every queue was empty", played.elapsed().as_secs());
    chaos.report(&mut report);
    chaos.fleet.expect_alive()?;

    let mails = ledger.close();
    let boards = verify::read_boards(http, &pairs).await?;
    verify::check_boards(&mails, &boards, &pairs, &mut report);
    let (of_time, of_play): (Vec<Arrival>, Vec<Arrival>) =
        sink.arrivals().into_iter().partition(timed::is_about_time);
    verify::check_mails(&mails, of_play, &mut report);
    timed::check(http, &timed, &of_time, &mut report).await?;
    report.row("mails out that were put off once", sink.count_put_off());
    check_rows(database, &mut report).await?;
    chaos.fleet.stop().await?;
    if let Some(place) = places.first() {
        check_storage(place, &mut report).await?;
    }
    let logs: Vec<String> = places.iter().map(|place| place.log()).collect();
    check_logs(&logs, &mut report);
    Ok(report)
}

/// Signs up all users, and discards the mails they got for it.
pub(crate) async fn welcome(
    fleet: &Fleet<'_>,
    pairs: &[Pair],
    sink: &Sink,
    report: &mut Report,
) -> anyhow::Result<()> {
    let names = pairs.iter().flat_map(|pair| pair.userids().clone());
    let users: Vec<User> = names.map(User::new).collect();
    let http = fleet.endpoints()?.http;
    people::sign_up(http, &users).await?;
    wait_until_idle(http, None, None, LEASES, report).await?;
    report.expect(sink.count() == users.len(), || {
        format!("{} users were welcomed by {} mails", users.len(), sink.count())
    });
    sink.truncate(0);
    report.row("users", users.len());
    Ok(())
}

/// What must not be in the database in the end: a query that counts it.
pub(crate) const LEFT_OVER: [(&str, &str); 5] = [
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

/// Ends the leases of servers that were stopped in order, by SQL.
pub(crate) const END_LEASES: [&str; 3] = [
    "UPDATE inbox SET due_at = 0 WHERE state = 'new'",
    "UPDATE outbox SET due_at = 0 WHERE state = 'queued' AND error IS NULL",
    "UPDATE duties SET until_at = 0",
];

/// Checks in the database that no row is left in progress.
async fn check_rows(database: &Database, report: &mut Report) -> anyhow::Result<()> {
    for (what, sql) in LEFT_OVER {
        let count = database.ask(sql).await?;
        report.expect(count == "0", || format!("{what}: {count} rows"));
    }
    Ok(())
}

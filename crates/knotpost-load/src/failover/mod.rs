//! Two servers on one PostgreSQL with a synchronous standby, whose primary fails again and again.
//!
//! Games are played by mail and over HTTP meanwhile. The trial itself does what a failover manager such as patroni does:
//! it fences the old primary, promotes the standby, has commits wait for no standby while there is none, and brings the
//! old primary back as the new standby. Afterwards nothing that was acknowledged may be missing or there twice.

mod drill;
mod node;
mod proxy;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use knotpost_rules::Registry;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::ledger::{Habit, Ledger, Way};
use crate::play::post::{Post, enable_listeners};
use crate::play::table::{Table, pairs_for, seat_all};
use crate::play::{
    check_logs, check_storage, conclude, tell_progress, verify, wait_for_all, wait_until_idle,
};
use crate::report::Report;
use crate::server::{Place, program_at};
use crate::sink::{Manners, Sink};
use crate::storm::fleet::Fleet;
use crate::storm::{END_LEASES, LEFT_OVER, welcome};
use drill::{Kind, Outcome, Pair};

/// Half of the commands are API requests, the others are mails.
const HABIT: Habit = &[(Way::Api, 50), (Way::Lmtp, 10), (Way::Hook, 10)];
/// How long mails may wait whose server could not store what became of them, with a margin for a busy machine.
const LEASES: Duration = Duration::from_mins(8);
/// How long a failover may take from the promotion to the first acknowledgement, as it is reported.
const GOAL: Duration = Duration::from_secs(5);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often the primary fails.
    #[arg(long, default_value_t = 4)]
    drills: usize,
    /// How it fails (default: in each way by turns).
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Boards that are played at the same time.
    #[arg(long, default_value_t = 24)]
    boards: usize,
    /// Moves, questions and mistakes that are handed over at the same time, at most.
    #[arg(long, default_value_t = 8)]
    senders: usize,
    /// Milliseconds without a primary, at least and at most.
    #[arg(long, value_name = "MIN..MAX", default_value = "500..8000", value_parser = crate::play::read_range)]
    leaderless: std::ops::Range<Duration>,
    /// For other moments and other games (default: from the process number).
    #[arg(long)]
    seed: Option<u64>,
    /// Minutes after which the trial is given up.
    #[arg(long, default_value_t = 120)]
    minutes: u64,
    /// The server to be tried (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// Runs the trial; whether every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| u64::from(std::process::id()));
    println!("failover: {} drills, {} boards, --seed {seed}", args.drills, args.boards);
    let mut dice = Dice::new(seed);
    let manners =
        Manners { pause: Duration::ZERO..Duration::from_millis(10), put_off: 0, dice: dice.split() };
    let sink = Sink::open(manners, 2).await?;
    let program = program_at(args.server.as_deref())?;
    let mut pair = Pair::open().await?;
    let mut places = Vec::new();
    for at in 0..2 {
        let place = Place::new(&program)?
            .with("MAIL__TRANSPORT", sink.transport(at))
            .with("SECRETS__KEY", "c5".repeat(32))
            .with("DATABASE__URL", pair.url());
        places.push(Arc::new(enable_listeners(place)?));
    }
    let trial =
        timeout(Duration::from_mins(args.minutes), attempt(&args, &places, &mut pair, &sink, dice)).await;
    let trial = trial.context("the trial does not end in time").and_then(|done| done);
    conclude(trial, places.iter().map(AsRef::as_ref))
}

async fn attempt(
    args: &Args,
    places: &[Arc<Place>],
    database: &mut Pair,
    sink: &Sink,
    mut dice: Dice,
) -> anyhow::Result<Report> {
    let mut fleet = Fleet::start(places, sink).await?;
    let pairs = pairs_for(args.boards);
    let mut report = Report::default();
    welcome(&fleet, &pairs, sink, &mut report).await?;

    let ledger = Arc::new(Ledger::default());
    let post = Arc::new(Post::new(fleet.servers(), Arc::clone(&ledger), args.senders)?);
    let budget = Arc::new(Budget::new(u32::MAX, None));
    let mut players = JoinSet::new();
    let registry = Arc::new(Registry::standard());
    for (game, pair) in seat_all(&pairs, args.boards) {
        let table = Table::new(game, pair, (Arc::clone(&post), HABIT), Arc::clone(&registry), dice.split());
        players.spawn(table.play(Arc::clone(&budget)));
    }
    players.spawn(tell_progress(Arc::clone(&post), Arc::clone(&budget)));
    let drilled = Instant::now();
    let servers = fleet.servers();
    let drills = async {
        let mut outcomes = Vec::new();
        for number in 0..args.drills {
            // Some play between two drills.
            sleep(dice.pause(&(Duration::from_millis(500)..Duration::from_millis(2500)))).await;
            let kind = args.kind.or_else(|| Kind::ALL.get(number % Kind::ALL.len()).copied());
            let kind = kind.context("a kind")?;
            let leaderless = dice.pause(&args.leaderless);
            let outcome = drill::run(database, kind, leaderless, (&post, &servers, sink)).await?;
            tell(number, &outcome);
            outcomes.push(outcome);
        }
        anyhow::Ok(outcomes)
    };
    let outcomes = tokio::select! {
        outcomes = drills => outcomes?,
        failed = wait_for_all(&mut players) => { failed?; anyhow::bail!("the players have ended") }
    };
    budget.end();
    report.row("seconds of play", drilled.elapsed().as_secs());
    summarise(&outcomes, &mut report);
    wait_for_all(&mut players).await?;
    fleet.expect_alive()?;

    // Mails whose outcome could not be stored wait for their leases to end.
    fleet.stop().await?;
    for sql in END_LEASES {
        database.ask(sql).await?;
    }
    fleet.start_all().await?;
    let http = fleet.endpoints()?.http;
    wait_until_idle(http, None, None, LEASES, &mut report).await?;
    let mails = ledger.close();
    report_tries(&mails, &mut report);
    let boards = verify::read_boards(http, &pairs).await?;
    verify::check_boards(&mails, &boards, &pairs, &mut report);
    verify::check_mails(&mails, sink.arrivals(), &mut report);
    for (what, sql) in LEFT_OVER {
        let count = database.ask(sql).await?;
        report.expect(count == "0", || format!("{what}: {count} rows"));
    }
    fleet.stop().await?;
    if let Some(place) = places.first() {
        check_storage(place, &mut report).await?;
    }
    let logs: Vec<String> = places.iter().map(|place| place.log()).collect();
    check_logs(&logs, &mut report);
    let errors = logs.iter().flat_map(|log| log.lines()).filter(|line| line.contains("ERROR ")).count();
    report.expect(errors == 0, || format!("{errors} lines of the logs are errors"));
    Ok(report)
}

fn tell(number: usize, outcome: &Outcome) {
    println!(
        "drill {}: {:?}, {} ms without a primary; after the promotion the first acknowledgement came in {} ms, all were \
         ready in {} ms; {}",
        number + 1,
        outcome.kind,
        outcome.leaderless.as_millis(),
        outcome.first.as_millis(),
        outcome.ready.as_millis(),
        outcome
            .copied
            .as_ref()
            .map_or("it came back without a copy".to_owned(), |why| format!("copied anew: {why}")),
    );
}

/// What all drills of a kind have in common.
fn summarise(outcomes: &[Outcome], report: &mut Report) {
    for kind in Kind::ALL {
        let mut times: Vec<Duration> =
            outcomes.iter().filter(|outcome| outcome.kind == kind).map(|outcome| outcome.first).collect();
        times.sort();
        if let (Some(median), Some(worst)) = (times.get(times.len() / 2), times.last()) {
            let shown = format!("{} / {}", median.as_millis(), worst.as_millis());
            report.row(format!("{kind:?}: {} drills; ms to the first, median / worst", times.len()), shown);
        }
    }
    let late = outcomes.iter().filter(|outcome| outcome.first > GOAL).count();
    report.row(format!("  later than {} s", GOAL.as_secs()), late);
    let ready = outcomes.iter().map(|outcome| outcome.ready).max().unwrap_or_default();
    report.row("ms until every server was ready, worst", ready.as_millis());
    let rewound = outcomes.iter().filter(|outcome| outcome.copied.is_none()).count();
    report.row("old primaries that came back without a new copy", rewound);
    let false_ready: usize = outcomes.iter().map(|outcome| outcome.false_ready).sum();
    report.row("servers ready without a primary", false_ready);
    report.expect(false_ready == 0, || format!("{false_ready} times a server was ready without a primary"));
}

/// What the players' programs saw of the failures.
fn report_tries(mails: &[crate::play::ledger::Mail], report: &mut Report) {
    let sum = |count: fn(&crate::play::ledger::Mail) -> u32| mails.iter().map(count).sum::<u32>();
    report.row("answers that said: again later", sum(|mail| mail.put_off));
    report.row("connections that broke without an answer", sum(|mail| mail.unanswered));
}

//! Two servers on one PostgreSQL with a synchronous standby, whose primary fails again and again.
//!
//! Games are played by mail and over HTTP meanwhile. The trial itself does what a failover manager such as patroni does:
//! it fences the old primary, promotes the standby, has commits wait for no standby while there is none, and brings the
//! old primary back as the new standby. Afterwards nothing that was acknowledged may be missing or there twice.

mod drill;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::time::{Instant, sleep};

use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::fleet::Fleet;
use crate::play::ledger::{Habit, Way};
use crate::play::table::{pairs_for, seat_all};
use crate::play::{check_logs, check_storage, read_range, wait_for_all, wait_until_idle};
use crate::report::Report;
use crate::server::Place;
use crate::sink::Sink;
use crate::trial::{Common, LEASES, check_rows, end_leases, on_one_database, open_sink, welcome};
use drill::{Kind, Outcome, Pair};

/// Half of the commands are API requests, the others are mails.
const HABIT: Habit = &[(Way::Api, 50), (Way::Lmtp, 10), (Way::Hook, 10)];
/// How long a failover may take from the promotion to the first acknowledgement, as it is reported.
const GOAL: Duration = Duration::from_secs(5);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often the primary fails.
    #[arg(long, default_value_t = 3)]
    drills: usize,
    /// How it fails (default: in each way by turns).
    #[arg(long, value_enum)]
    kind: Option<Kind>,
    /// Boards that are played at the same time.
    #[arg(long, default_value_t = 24)]
    boards: usize,
    /// Milliseconds without a primary, at least and at most.
    #[arg(long, value_name = "MIN..MAX", default_value = "500..8000", value_parser = read_range)]
    leaderless: std::ops::Range<Duration>,
    #[command(flatten)]
    common: Common,
}

/// Runs the trial; whether every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let mut dice = args.common.begin(&format!("failover: {} drills, {} boards", args.drills, args.boards));
    let sink = open_sink(&mut dice, 2).await?;
    let program = args.common.program()?;
    let mut pair = Pair::open().await?;
    let places = on_one_database(&program, 2, &sink, &pair.url())?;
    let trial = attempt(&args, &places, &mut pair, &sink, dice);
    args.common.conclude(120, trial, places.iter().map(AsRef::as_ref)).await
}

async fn attempt(
    args: &Args,
    places: &[Arc<Place>],
    database: &mut Pair,
    sink: &Sink,
    mut dice: Dice,
) -> anyhow::Result<Report> {
    let mut fleet = Fleet::start(places, sink).await?;
    let (pairs, mut report) = (pairs_for(args.boards), Report::default());
    welcome(fleet.endpoints()?.http, &pairs, sink, &mut report).await?;

    let (seats, budget) = (seat_all(&pairs, args.boards), Budget::new(u32::MAX, None));
    let mut company = args.common.seat(seats, fleet.servers(), HABIT, budget, &mut dice)?;
    let (drilled, servers, post) = (Instant::now(), fleet.servers(), Arc::clone(&company.post));
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
        failed = wait_for_all(&mut company.players) => { failed?; anyhow::bail!("the players have ended") }
    };
    company.budget.end();
    report.row("seconds of play", drilled.elapsed().as_secs());
    summarise(&outcomes, &mut report);
    wait_for_all(&mut company.players).await?;
    fleet.expect_alive()?;

    // Mails whose outcome could not be stored wait for their leases to end.
    end_leases(&mut fleet, database.primary()?).await?;
    let http = fleet.endpoints()?.http;
    wait_until_idle(http, None, None, LEASES, &mut report).await?;
    company.check(http, &pairs, sink.arrivals(), &mut report).await?;
    check_rows(database.primary()?, &mut report).await?;
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

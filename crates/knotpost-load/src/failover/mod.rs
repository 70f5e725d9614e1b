//! Two servers on a PostgreSQL behind haproxy, whose primary fails again and again.
//!
//! Games are played by mail and over HTTP meanwhile. The trial itself does what patroni does: it fences the old primary,
//! promotes the synchronous standby, tells haproxy which server takes writes, and makes a new standby. Afterwards nothing
//! that was acknowledged may be missing or there twice.

mod drill;
mod proxy;

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::fleet::Fleet;
use crate::play::ledger::{Habit, Way};
use crate::play::table::{pairs_for, seat_all};
use crate::play::{wait_for_all, wait_until_idle};
use crate::report::Report;
use crate::server::Place;
use crate::sink::Sink;
use crate::trial::{
    Common, LEASES, check_rows, check_stored, end_leases, on_one_database, open_sink, seat, welcome,
};
use drill::{Kind, Outcome, Pair};

/// Half of the commands are API requests, the others are mails.
const HABIT: Habit = &[(Way::Api, 50), (Way::Lmtp, 10), (Way::Hook, 10)];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// How often the primary fails: killed, frozen and switched over by turns.
    #[arg(long, default_value_t = 3)]
    drills: usize,
    /// Boards that are played at the same time.
    #[arg(long, default_value_t = 24)]
    boards: usize,
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
    args.common.conclude(20 + 2 * args.drills as u64, trial, &places).await
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
    let mut company = seat(seats, fleet.servers(), HABIT, budget, &mut dice)?;
    let (drilled, servers, post) = (Instant::now(), fleet.servers(), Arc::clone(&company.post));
    let drills = async {
        let mut outcomes = Vec::new();
        for (number, kind) in (1..=args.drills).zip(Kind::ALL.into_iter().cycle()) {
            // Some play between two drills.
            sleep(dice.pause(&(Duration::from_millis(500)..Duration::from_millis(2500)))).await;
            let outcome = drill::run(database, kind, &mut dice, (&post, &servers, sink)).await?;
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
    wait_until_idle(fleet.endpoints()?.http, None, None, LEASES, &mut report).await?;
    company.check(fleet.endpoints()?.http, &pairs, sink.arrivals(), &mut report).await?;
    check_rows(database.primary()?, &mut report).await?;
    let errors = check_stored(&mut fleet, places, &mut report).await?;
    report.expect(errors == 0, || format!("{errors} lines of the logs are errors"));
    Ok(report)
}

fn tell(number: usize, outcome: &Outcome) {
    println!(
        "drill {number}: {:?}, noticed in {} ms, {} ms without a primary; after the promotion the first acknowledgement \
         came in {} ms, all were ready in {} ms",
        outcome.kind,
        outcome.noticed.as_millis(),
        outcome.leaderless.as_millis(),
        outcome.first.as_millis(),
        outcome.ready.as_millis(),
    );
}

/// The drills of each kind, and how long they lasted.
fn summarise(outcomes: &[Outcome], report: &mut Report) {
    for kind in Kind::ALL {
        let mut times: Vec<Duration> =
            outcomes.iter().filter(|outcome| outcome.kind == kind).map(|outcome| outcome.first).collect();
        times.sort_unstable();
        if let (Some(median), Some(worst)) = (times.get(times.len() / 2), times.last()) {
            let shown = format!("{} / {}", median.as_millis(), worst.as_millis());
            report.row(format!("{kind:?}: {} drills; ms to the first, median / worst", times.len()), shown);
        }
    }
    let out: Duration = outcomes.iter().map(|outcome| outcome.leaderless + outcome.first).sum();
    report.row("seconds of outages in all", out.as_secs());
    let ready = outcomes.iter().map(|outcome| outcome.ready).max().unwrap_or_default();
    report.row("ms until every server was ready, worst", ready.as_millis());
}

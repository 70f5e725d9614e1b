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

use crate::dice::{Dice, pause};
use crate::play::budget::Budget;
use crate::play::ledger::{Habit, Way};
use crate::play::table::seat;
use crate::play::wait_for_all;
use crate::report::{Report, Times};
use crate::server::Place;
use crate::sink::Sink;
use crate::trial::{
    Common, ERROR, LEASES, Trial, check_rows, conclude, end_leases, logged, on_one_database, open_sink,
};
use drill::{Kind, Outcome, Pair};

/// Half of the commands are API requests, the others are mails.
const HABIT: Habit = &[(Way::Api, 50), (Way::Lmtp, 10), (Way::Hook, 10), (Way::Smtp, 30)];
/// Boards that are played at the same time.
const BOARDS: usize = 24;
/// The play between two drills.
const BETWEEN: std::ops::Range<Duration> = Duration::from_millis(500)..Duration::from_millis(2500);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Failures of the primary: killed, frozen and switched over by turns.
    #[arg(long, default_value_t = 3)]
    drills: usize,
    #[command(flatten)]
    common: Common,
}

/// Runs the trial; true when every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let mut dice = args.common.begin(&format!("failover: {} drills, {BOARDS} boards", args.drills));
    let sink = open_sink(&mut dice, 2).await?;
    let program = args.common.program()?;
    let mut pair = Pair::open().await?;
    let places = on_one_database(&program, 2, &sink, &pair.url())?;
    let trial = attempt(args.drills, &places, &mut pair, sink, dice);
    conclude(20 + 2 * args.drills as u64, trial, &places).await
}

async fn attempt(
    drills: usize,
    places: &[Arc<Place>],
    database: &mut Pair,
    sink: Sink,
    dice: Dice,
) -> anyhow::Result<Report> {
    let (pairs, seats) = seat(BOARDS, false);
    let mut trial = Trial::begin(places, sink, dice, pairs).await?;
    trial.welcome().await?;

    trial.play(seats, HABIT, Budget::new(u32::MAX, None));
    let begun = Instant::now();
    let Trial { fleet, dice, post, players, .. } = &mut trial;
    let drills = async {
        let mut outcomes = Vec::new();
        for (number, kind) in (1..=drills).zip(Kind::ALL.into_iter().cycle()) {
            sleep(pause(dice, &BETWEEN)).await;
            let outcome = drill::run(database, kind, dice, (post, places, &fleet.sink)).await?;
            println!("drill {number}: {outcome:?}");
            outcomes.push(outcome);
        }
        anyhow::Ok(outcomes)
    };
    let outcomes = tokio::select! {
        outcomes = drills => outcomes?,
        failed = wait_for_all(players) => { failed?; anyhow::bail!("the players have ended") }
    };
    trial.budget.end();
    trial.report.row("seconds of play", begun.elapsed().as_secs());
    summarise(&outcomes, &mut trial.report);
    trial.wait_for_players().await?;

    // Mails whose outcome could not be stored wait for their leases to end.
    end_leases(&mut trial.fleet, database.primary()?).await?;
    trial.drain(None, LEASES).await?;
    check_rows(database.primary()?, &mut trial.report).await?;
    let arrivals = trial.fleet.sink.arrivals();
    let mut report = trial.finish(arrivals).await?;
    let errors = logged(places, ERROR).len();
    report.expect(errors == 0, || format!("{errors} lines of the logs are errors"));
    Ok(report)
}

/// The drills of each kind, and how long they lasted.
fn summarise(outcomes: &[Outcome], report: &mut Report) {
    for kind in Kind::ALL {
        let mut times = Times::default();
        outcomes.iter().filter(|outcome| outcome.kind == kind).for_each(|outcome| times.push(outcome.first));
        let shown = format!("{:.0} / {:.0}", times.percentile(50), times.percentile(100));
        report.row(format!("{kind:?}: {} drills; ms to the first, median / worst", times.len()), shown);
    }
    let out: Duration = outcomes.iter().map(|outcome| outcome.leaderless + outcome.first).sum();
    report.row("seconds of outages in all", out.as_secs());
    let noticed = outcomes.iter().map(|outcome| outcome.noticed).max().unwrap_or_default();
    report.row("ms until no server was ready, worst", noticed.as_millis());
    let ready = outcomes.iter().map(|outcome| outcome.ready).max().unwrap_or_default();
    report.row("ms until every server was ready, worst", ready.as_millis());
}

//! Power cuts while games are played: a server on SQLite ends at once, and every sector that it wrote since the last sync
//! of its file is kept, lost or garbled.
//!
//! `strace` shows which bytes were synced before the end, so exactly the others are at risk, as on a disk. Everything
//! acknowledged must be stored afterwards, once.

mod disk;
mod machine;
mod trace;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::fleet::Fleet;
use crate::play::ledger::{Habit, Way};
use crate::play::post::enable_listeners;
use crate::play::table::{pairs_for, seat_all};
use crate::play::{wait_for_all, wait_until_idle};
use crate::report::Report;
use crate::server::Place;
use crate::sink::Sink;
use crate::trial::{Common, check_stored, open_sink, seat, welcome};
use machine::{Honesty, Machine};

/// Without the ways in by which a process other than the traced one writes to the database.
const HABIT: Habit = &[(Way::Api, 30), (Way::Lmtp, 10), (Way::Hook, 10)];
/// The percentage of cuts just after a write, most likely before its sync.
const AMID: u64 = 70;
/// From one cut to the next.
const CUT_EVERY: Range<Duration> = Duration::from_millis(300)..Duration::from_secs(2);
/// How long to wait for empty queues in the end.
const DRAIN: Duration = Duration::from_mins(3);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Moves to be made; challenges, questions and commands that are refused come on top.
    #[arg(long, default_value_t = 1000)]
    moves: u32,
    /// Boards that are played at the same time.
    #[arg(long, default_value_t = 12)]
    boards: usize,
    /// Ignore every sync, as some disks do. Then rules must break, or the trial would prove nothing.
    #[arg(long)]
    lying_disk: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the trial; whether every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let place = Place::new(&args.common.program()?)?;
    machine::expect_tracer().await?;
    let mut dice = args.common.begin(&format!("powercut: {} moves on {} boards", args.moves, args.boards));
    let sink = open_sink(&mut dice, 1).await?;
    let honesty = if args.lying_disk { Honesty::Lying } else { Honesty::Honest };
    let (machine, place) = Machine::new(enable_listeners(place.mailing_to(&sink, 0))?, honesty)?;
    let places = [Arc::new(place)];
    let minutes = 15 + u64::from(args.moves) / 200;
    args.common.conclude(minutes, attempt(&args, &places, machine, &sink, dice), &places).await
}

async fn attempt(
    args: &Args,
    places: &[Arc<Place>],
    mut machine: Machine,
    sink: &Sink,
    mut dice: Dice,
) -> anyhow::Result<Report> {
    machine.boot();
    let mut fleet = Fleet::start(places, sink).await?;
    let (pairs, mut report) = (pairs_for(args.boards), Report::default());
    welcome(fleet.endpoints()?.http, &pairs, sink, &mut report).await?;
    let begun = Instant::now();
    let (seats, budget) = (seat_all(&pairs, args.boards), Budget::new(args.moves, None));
    let mut company = seat(seats, fleet.servers(), HABIT, budget, &mut dice)?;
    cut_until_done(&mut machine, &mut fleet, &mut company.players, &mut dice).await?;
    report.row("seconds of play", begun.elapsed().as_secs());
    let http = fleet.endpoints()?.http;
    wait_until_idle(http, None, None, DRAIN, &mut report).await?;

    report.row("power cuts", machine.cuts);
    report.row("  with something not yet synced", machine.hits);
    report.row("  that took nothing, their trace being unclear", machine.unexplained);
    report.expect(machine.unexplained * 5 <= machine.cuts, || "most traces are unclear".to_owned());
    report.row("sectors not yet synced", machine.losses.unsafe_sectors);
    report.row("  that were lost", machine.losses.old);
    report.row("  that were garbled", machine.losses.garbled);
    company.check(http, &pairs, sink.arrivals(), &mut report).await?;
    check_stored(&mut fleet, places, &mut report).await?;
    Ok(report)
}

/// Cuts the power and restarts until all players are done.
async fn cut_until_done(
    machine: &mut Machine,
    fleet: &mut Fleet<'_>,
    players: &mut JoinSet<anyhow::Result<()>>,
    dice: &mut Dice,
) -> anyhow::Result<()> {
    loop {
        tokio::select! {
            done = wait_for_all(players) => return done,
            () = sleep(dice.pause(&CUT_EVERY)) => {}
        }
        if dice.happens(AMID) {
            machine.wait_for_write().await;
        }
        fleet.expect_alive()?;
        machine.cut(fleet, dice).await?;
        machine.boot();
        fleet.revive(0).await?;
    }
}

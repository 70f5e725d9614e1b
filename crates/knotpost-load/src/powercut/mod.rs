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

use tokio::time::{Instant, sleep};

use crate::dice::{Dice, happens, pause};
use crate::play::budget::Budget;
use crate::play::ledger::{Habit, Way};
use crate::play::post::enable_listeners;
use crate::play::table::seat;
use crate::play::wait_for_all;
use crate::report::Report;
use crate::server::Place;
use crate::sink::Sink;
use crate::trial::{Common, Trial, conclude, open_sink};
use machine::Machine;

/// Without the ways in by which a process other than the traced one writes to the database.
const HABIT: Habit = &[(Way::Api, 30), (Way::Lmtp, 10), (Way::Hook, 10), (Way::Smtp, 50)];
/// The percentage of cuts just after a write, most likely before its sync.
const AMID: u64 = 70;
/// From one cut to the next.
const CUT_EVERY: Range<Duration> = Duration::from_millis(300)..Duration::from_secs(2);
/// The longest wait for empty queues in the end.
const DRAIN: Duration = Duration::from_mins(3);
/// Boards that are played at the same time.
const BOARDS: usize = 12;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Moves to be made; challenges, questions and commands that are refused come on top.
    #[arg(long, default_value_t = 1000)]
    moves: u32,
    /// Ignore every sync, as some disks do. Then rules must break, or the trial would prove nothing.
    #[arg(long)]
    lying_disk: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the trial; true when every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let place = Place::new(&args.common.program()?)?;
    machine::expect_tracer().await?;
    let mut dice = args.common.begin(&format!("powercut: {} moves on {BOARDS} boards", args.moves));
    let sink = open_sink(&mut dice, 1).await?;
    let (machine, place) = Machine::new(enable_listeners(place.mailing_to(&sink, 0))?, args.lying_disk)?;
    let places = [Arc::new(place)];
    let trial = attempt(args.moves, &places, machine, sink, dice);
    conclude(15 + u64::from(args.moves) / 200, trial, &places).await
}

async fn attempt(
    moves: u32,
    places: &[Arc<Place>],
    mut machine: Machine,
    sink: Sink,
    dice: Dice,
) -> anyhow::Result<Report> {
    machine.boot();
    let (pairs, seats) = seat(BOARDS, false);
    let mut trial = Trial::begin(places, sink, dice, pairs).await?;
    trial.welcome().await?;
    let begun = Instant::now();
    trial.play(seats, HABIT, Budget::new(moves, None));
    cut_until_done(&mut machine, &mut trial).await?;
    trial.report.row("seconds of play", begun.elapsed().as_secs());
    trial.drain(None, DRAIN).await?;

    let report = &mut trial.report;
    report.row("power cuts", machine.cuts);
    report.row("  with something not yet synced", machine.hits);
    report.row("  that took nothing, their trace being unclear", machine.unexplained);
    report.expect(machine.unexplained * 5 <= machine.cuts, || "most traces are unclear".to_owned());
    report.row("sectors not yet synced", machine.losses.unsafe_sectors);
    report.row("  that were lost", machine.losses.old);
    report.row("  that were garbled", machine.losses.garbled);
    let arrivals = trial.fleet.sink.arrivals();
    trial.finish(arrivals).await
}

/// Cuts the power and restarts until all players are done.
async fn cut_until_done(machine: &mut Machine, trial: &mut Trial) -> anyhow::Result<()> {
    loop {
        tokio::select! {
            done = wait_for_all(&mut trial.players) => return done,
            () = sleep(pause(&mut trial.dice, &CUT_EVERY)) => {}
        }
        if happens(&mut trial.dice, AMID) {
            machine.wait_for_write().await;
        }
        trial.fleet.expect_alive()?;
        machine.cut(&mut trial.fleet, &mut trial.dice).await?;
        machine.boot();
        trial.fleet.revive(0).await?;
    }
}

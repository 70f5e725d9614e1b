//! Several servers on one PostgreSQL, under faults.
//!
//! Games are played by mail and over HTTP at once, at the servers by turns. Meanwhile one server after the other is
//! killed and restarted, and once the database crashes under all of them. Some boards have short time limits, and the
//! clock ends them. Afterwards the rules of a single killed server must hold, and the clock must have ended each of its
//! games once.

mod timed;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::chaos::rage;
use crate::play::ledger::{Habit, Way};
use crate::play::table::seat;
use crate::postgres::Node;
use crate::report::Report;
use crate::server::Place;
use crate::sink::{Arrival, Sink};
use crate::trial::{Common, LEASES, Trial, check_rows, conclude, end_leases, on_one_database, open_sink};

/// Half of the commands are API requests, not mails.
const HABIT: Habit = &[(Way::Api, 48), (Way::Lmtp, 12), (Way::Hook, 8), (Way::Deliver, 1), (Way::Smtp, 31)];

/// From one kill to the next.
const KILL_EVERY: Range<Duration> = Duration::from_secs(2)..Duration::from_secs(6);
/// Server processes on the one database.
const SERVERS: usize = 3;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Boards that are played at the same time.
    #[arg(long, default_value_t = 400)]
    boards: usize,
    /// Boards whose players fall silent, for the clock.
    #[arg(long, default_value_t = 8)]
    timed: usize,
    /// The longest time of play.
    #[arg(long, default_value_t = 60)]
    seconds: u64,
    /// End the leases of killed servers by SQL when playing ends, instead of waiting up to fifteen
    /// minutes until they run out.
    #[arg(long)]
    hurry: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the trial; true when every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let (boards, seconds) = (args.boards, args.seconds);
    let mut dice = args.common.begin(&format!("storm: {SERVERS} servers, {boards} boards for {seconds} s"));
    let sink = open_sink(&mut dice, SERVERS).await?;
    // A missing program fails here, before anything is started.
    let program = args.common.program()?;
    let database = Node::create().await?;
    let url = format!("postgres://knotpost@{}/postgres", database.host());
    let places = on_one_database(&program, SERVERS, &sink, &url)?;
    let trial = attempt(&args, &places, &database, sink, dice);
    conclude(seconds.div_ceil(60) + 30, trial, &places).await
}

async fn attempt(
    args: &Args,
    places: &[Arc<Place>],
    database: &Node,
    sink: Sink,
    dice: Dice,
) -> anyhow::Result<Report> {
    let (pairs, seats) = seat(args.boards, false);
    let mut trial = Trial::begin(places, sink, dice, pairs).await?;
    trial.welcome().await?;
    let timed = timed::begin(trial.http()?, args.timed, args.seconds).await?;
    let playing = Duration::from_secs(args.seconds);
    trial.play(seats, HABIT, Budget::new(u32::MAX, Some(playing)));
    rage(&mut trial, &KILL_EVERY, Some((database, playing / 2))).await?;
    if args.hurry {
        end_leases(&mut trial.fleet, database).await?;
    }
    trial.wait_for_players().await?;
    // After the last kill nobody loses for as long as a move may take.
    timed::wait_for_ends(trial.http()?, &timed, LEASES + 2 * playing).await?;
    trial.drain(None, LEASES).await?;

    let (of_time, of_play): (Vec<Arrival>, Vec<Arrival>) =
        trial.fleet.sink.arrivals().into_iter().partition(timed::is_about_time);
    timed::check(trial.http()?, &timed, &of_time, &mut trial.report).await?;
    check_rows(database, &mut trial.report).await?;
    trial.finish(of_play).await
}

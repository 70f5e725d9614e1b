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

use tokio::time::Instant;

use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::chaos::{Chaos, Counts};
use crate::play::fleet::Fleet;
use crate::play::ledger::{Habit, Way};
use crate::play::table::{pairs_for, seat_all};
use crate::play::{wait_for_all, wait_until_idle};
use crate::postgres::Node;
use crate::report::Report;
use crate::server::Place;
use crate::sink::{Arrival, Sink};
use crate::trial::{
    Common, LEASES, check_rows, check_stored, end_leases, on_one_database, open_sink, seat, welcome,
};

/// Half of the commands are API requests, not mails.
const HABIT: Habit = &[(Way::Api, 48), (Way::Lmtp, 12), (Way::Hook, 8), (Way::Deliver, 1)];

/// From one kill to the next.
const KILL_EVERY: Range<Duration> = Duration::from_secs(2)..Duration::from_secs(6);

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
    /// End the leases of killed servers by SQL when playing ends, instead of waiting up to fifteen
    /// minutes until they run out.
    #[arg(long)]
    hurry: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the trial; whether every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let (servers, boards, seconds) = (args.servers.max(1), args.boards, args.seconds);
    let mut dice = args.common.begin(&format!("storm: {servers} servers, {boards} boards for {seconds} s"));
    let sink = open_sink(&mut dice, servers).await?;
    // A missing program fails here, before anything is started.
    let program = args.common.program()?;
    let database = Node::create().await?;
    let places = on_one_database(
        &program,
        servers,
        &sink,
        &format!("postgres://knotpost@{}/postgres", database.host()),
    )?;
    let trial = attempt(&args, &places, &database, &sink, dice);
    args.common.conclude(seconds.div_ceil(60) + 30, trial, &places).await
}

async fn attempt(
    args: &Args,
    places: &[Arc<Place>],
    database: &Node,
    sink: &Sink,
    mut dice: Dice,
) -> anyhow::Result<Report> {
    let fleet = Fleet::start(places, sink).await?;
    let (http, pairs, mut report) = (fleet.endpoints()?.http, pairs_for(args.boards), Report::default());
    welcome(http, &pairs, sink, &mut report).await?;
    let timed = timed::begin(http, args.timed, args.seconds).await?;

    let begun = Instant::now();
    let playing = Duration::from_secs(args.seconds);
    let (seats, budget) = (seat_all(&pairs, args.boards), Budget::new(u32::MAX, Some(playing)));
    let mut company = seat(seats, fleet.servers(), HABIT, budget, &mut dice)?;
    let post = Arc::clone(&company.post);
    let (crash, counts) = (Some((database, playing / 2)), Counts::default());
    let mut chaos = Chaos { fleet, database: crash, sink, post: &post, dice, counts };
    chaos.rage(&mut company.players, &KILL_EVERY, &company.budget).await?;
    report.row("seconds of play", begun.elapsed().as_secs());

    let played = Instant::now();
    if args.hurry {
        end_leases(&mut chaos.fleet, database).await?;
    }
    wait_for_all(&mut company.players).await?;
    let http = chaos.fleet.endpoints()?.http;
    // After the last kill nobody loses for as long as a move may take.
    timed::wait_for_ends(http, &timed, LEASES + 2 * playing).await?;
    wait_until_idle(http, None, None, LEASES, &mut report).await?;
    report.row("seconds until every queue was empty", played.elapsed().as_secs());
    chaos.report(&mut report);
    chaos.fleet.expect_alive()?;

    let (of_time, of_play): (Vec<Arrival>, Vec<Arrival>) =
        sink.arrivals().into_iter().partition(timed::is_about_time);
    company.check(http, &pairs, of_play, &mut report).await?;
    timed::check(http, &timed, &of_time, &mut report).await?;
    check_rows(database, &mut report).await?;
    check_stored(&mut chaos.fleet, places, &mut report).await?;
    Ok(report)
}

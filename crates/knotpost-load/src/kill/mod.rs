//! Power failures while games are played by mail.
//!
//! Players mail their moves, as mail servers would: a mail without an answer is sent again with the same Message-ID.
//! Meanwhile the server is killed at random moments and restarted. In the end every mail that was answered 250 must have
//! had its outcome exactly once, and every mail that follows from it must have arrived; twice only where a kill fell
//! between sending and acknowledging it.

mod people;

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::time::Instant;

use crate::deployed::{NameServer, behind_relay_and_proxy};
use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::chaos::{Chaos, Counts};
use crate::play::fleet::Fleet;
use crate::play::ledger::{Habit, Way};
use crate::play::post::enable_listeners;
use crate::play::table::{Pair, Seat, pairs_for, seat_all, seat_apart};
use crate::play::{wait_for_all, wait_until_idle};
use crate::report::Report;
use crate::server::Place;
use crate::sink::Sink;
use crate::trial::{Common, check_stored, open_sink, seat, welcome};

/// Mails come in by every way.
const HABIT: Habit = &[(Way::Deliver, 3), (Way::Lmtp, 12), (Way::Hook, 10), (Way::Folder, 7)];

/// From one kill to the next.
const KILL_EVERY: Range<Duration> = Duration::from_millis(300)..Duration::from_secs(3);

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Moves to be mailed; challenges, questions and commands that are refused come on top.
    #[arg(long, default_value_t = 2000)]
    mails: u32,
    /// Boards that are played at the same time.
    #[arg(long, default_value_t = 12)]
    boards: usize,
    /// The database, an empty one (default: SQLite in a temporary folder).
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Of a hundred mails out, how many are put off by the outside world for once.
    #[arg(long, default_value_t = 2)]
    put_off: u64,
    /// In the deployed profile: limits on, addresses confirmed by mail, a relay and a proxy named, data and
    /// configuration apart, an ordinary user (as root: the user nobody).
    #[arg(long)]
    deployed: bool,
    #[command(flatten)]
    common: Common,
}

/// Runs the trial; whether every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let profile = if args.deployed { ", in the deployed profile" } else { "" };
    let mut dice =
        args.common.begin(&format!("kill: {} moves by mail on {} boards{profile}", args.mails, args.boards));
    let sink = open_sink(&mut dice, 1).await?;
    let names = NameServer::open().await?;
    let program = args.common.program()?;
    let place = if args.deployed {
        behind_relay_and_proxy(Place::deployed(&program)?, &names)
    } else {
        Place::new(&program)?
    };
    let place = place.mailing_to(&sink, 0).on_database(args.database.as_deref());
    let place = Arc::new(enable_listeners(place)?);
    if args.deployed {
        place.write_down()?;
    }
    let places = [place];
    // On PostgreSQL the leases of the server that was killed last run out after fifteen minutes.
    let minutes = if args.database.is_some() { 25 } else { 10 + u64::from(args.mails) / 400 };
    args.common.conclude(minutes, attempt(&args, &places, &sink, dice), &places).await
}

async fn attempt(
    args: &Args,
    places: &[Arc<Place>; 1],
    sink: &Sink,
    mut dice: Dice,
) -> anyhow::Result<Report> {
    let [place] = places;
    let mut report = Report::default();
    let pairs: Vec<Pair> =
        if args.deployed { (0..args.boards).map(Pair::new).collect() } else { pairs_for(args.boards) };
    let seats: Vec<Seat> =
        if args.deployed { seat_apart(&pairs).collect() } else { seat_all(&pairs, args.boards).collect() };
    if args.deployed {
        people::add_overseer(place).await?;
    }
    let fleet = Fleet::start(places, sink).await?;
    let endpoints = fleet.endpoints()?;
    // Only administrators may read the metrics of a server with a public name.
    let key = if args.deployed {
        people::check_profile(fleet.process().context("no server runs")?, endpoints).await?;
        Some(people::open(endpoints, &pairs, sink).await?)
    } else {
        welcome(endpoints.http, &pairs, sink, &mut report).await?;
        None
    };
    sink.put_off(args.put_off);
    let begun = Instant::now();
    let budget = Budget::new(args.mails, None);
    let mut company = seat(seats.into_iter(), fleet.servers(), HABIT, budget, &mut dice)?;
    let post = Arc::clone(&company.post);
    let mut chaos = Chaos { fleet, database: None, sink, post: &post, dice, counts: Counts::default() };
    chaos.rage(&mut company.players, &KILL_EVERY, &company.budget).await?;
    wait_for_all(&mut company.players).await?;
    // On PostgreSQL the mails leased by a killed server are sent when their lease expires. Deferred once more, they would
    // arrive after the trial has stopped waiting.
    sink.put_off(0);
    report.row("seconds of play", begun.elapsed().as_secs());

    let (played, http) = (Instant::now(), chaos.fleet.endpoints()?.http);
    let patience = if args.database.is_some() { Duration::from_mins(17) } else { Duration::from_mins(3) };
    wait_until_idle(http, key.as_deref(), Some(place), patience, &mut report).await?;
    report.row("seconds until every queue was empty", played.elapsed().as_secs());
    chaos.report(&mut report);
    company.check(http, &pairs, sink.arrivals(), &mut report).await?;
    report.row("mails out that were put off once", sink.count_put_off());
    check_stored(&mut chaos.fleet, places, &mut report).await?;
    Ok(report)
}

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

use crate::deployed::{NameServer, behind_relay_and_proxy};
use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::chaos::rage;
use crate::play::ledger::{Habit, Way};
use crate::play::post::enable_listeners;
use crate::play::table::seat;
use crate::report::Report;
use crate::server::Place;
use crate::sink::Sink;
use crate::trial::{Common, Trial, conclude, open_sink};

/// Mails come in by every way.
const HABIT: Habit =
    &[(Way::Deliver, 3), (Way::Lmtp, 12), (Way::Hook, 10), (Way::Folder, 7), (Way::Smtp, 68)];

/// From one kill to the next.
const KILL_EVERY: Range<Duration> = Duration::from_millis(300)..Duration::from_secs(3);
/// Boards that are played at the same time.
const BOARDS: usize = 12;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Moves to be mailed; challenges, questions and commands that are refused come on top.
    #[arg(long, default_value_t = 2000)]
    mails: u32,
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

/// Runs the trial; true when every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let profile = if args.deployed { ", in the deployed profile" } else { "" };
    let mut dice =
        args.common.begin(&format!("kill: {} moves by mail on {BOARDS} boards{profile}", args.mails));
    let sink = open_sink(&mut dice, 1).await?;
    let names = NameServer::open().await?;
    let program = args.common.program()?;
    let place = if args.deployed {
        behind_relay_and_proxy(Place::deployed(&program)?, &names)
    } else {
        Place::new(&program)?
    };
    let place = enable_listeners(place.mailing_to(&sink, 0).on_database(args.database.as_deref()))?;
    if args.deployed {
        place.write_down()?;
    }
    let places = [Arc::new(place)];
    // On PostgreSQL the leases of the server that was killed last run out after fifteen minutes.
    let minutes = if args.database.is_some() { 25 } else { 10 + u64::from(args.mails) / 400 };
    conclude(minutes, attempt(&args, &places, sink, dice), &places).await
}

async fn attempt(args: &Args, places: &[Arc<Place>; 1], sink: Sink, dice: Dice) -> anyhow::Result<Report> {
    let [place] = places;
    let (pairs, seats) = seat(BOARDS, args.deployed);
    if args.deployed {
        people::add_overseer(place).await?;
    }
    let mut trial = Trial::begin(places, sink, dice, pairs).await?;
    // Only administrators may read the metrics of a server with a public name.
    let key = if args.deployed {
        people::check_profile(&trial.fleet).await?;
        Some(people::open(&trial).await?)
    } else {
        trial.welcome().await?;
        None
    };
    trial.fleet.sink.put_off(args.put_off);
    trial.play(seats, HABIT, Budget::new(args.mails, None));
    rage(&mut trial, &KILL_EVERY, None).await?;
    trial.wait_for_players().await?;
    // On PostgreSQL the mails leased by a killed server are sent when their lease expires. Deferred once more, they would
    // arrive after the trial has stopped waiting.
    trial.fleet.sink.put_off(0);
    let patience = Duration::from_mins(if args.database.is_some() { 17 } else { 3 });
    trial.drain(key.as_deref(), patience).await?;
    trial.report.row("mails out that were put off once", trial.fleet.sink.count_put_off());
    let arrivals = trial.fleet.sink.arrivals();
    trial.finish(arrivals).await
}

//! Power failures while games are played by mail.
//!
//! Players mail their moves, as mail servers would: a mail without an answer is sent again with the same Message-ID.
//! Meanwhile the server is killed at random moments and restarted. In the end every mail that was answered 250 must have
//! had its outcome exactly once, and every mail that follows from it must have arrived; twice only where a kill fell
//! between sending and acknowledging it.

mod killer;
mod people;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use knotpost_rules::Registry;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use crate::deployed::{NameServer, behind_relay_and_proxy};
use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::ledger::{Habit, Ledger, Way};
use crate::play::post::{Post, ServerHandle, enable_listeners};
use crate::play::table::{Pair, Table, pairs_for, seat_all, seat_apart};
use crate::play::{check_logs, check_storage, conclude, read_range, tell_progress, verify, wait_until_idle};
use crate::report::Report;
use crate::server::{Place, Running, program_at, said};
use crate::sink::{Manners, Sink};
use killer::Killer;

/// Mails come in by every way.
const HABIT: Habit = &[(Way::Deliver, 3), (Way::Lmtp, 12), (Way::Hook, 10), (Way::Folder, 7)];

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Moves to be mailed; challenges, questions and commands that are refused come on top.
    #[arg(long, default_value_t = 2000)]
    mails: u32,
    /// Boards that are played at the same time.
    #[arg(long, default_value_t = 12)]
    boards: usize,
    /// Mails that are handed over at the same time, at most.
    #[arg(long, default_value_t = 8)]
    senders: usize,
    /// Milliseconds from one kill to the next, at least and at most.
    #[arg(long, value_name = "MIN..MAX", default_value = "300..3000", value_parser = read_range)]
    kill_every: std::ops::Range<Duration>,
    /// For other moments and other games (default: from the process number).
    #[arg(long)]
    seed: Option<u64>,
    /// The database, an empty one (default: SQLite in a temporary folder).
    #[arg(long, value_name = "URL")]
    database: Option<String>,
    /// Minutes after which the trial is given up.
    #[arg(long, default_value_t = 10)]
    minutes: u64,
    /// Of a hundred mails out, how many are put off by the outside world for once.
    #[arg(long, default_value_t = 2)]
    put_off: u64,
    /// In the deployed profile: limits on, addresses confirmed by mail, a relay and a proxy named, data and
    /// configuration apart, an ordinary user (as root: the user nobody).
    #[arg(long)]
    deployed: bool,
    /// The server to be tried (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// Runs the trial; whether every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| u64::from(std::process::id()));
    let profile = if args.deployed { ", in the deployed profile" } else { "" };
    println!("kill: {} moves by mail on {} boards{profile}, --seed {seed}", args.mails, args.boards);
    let mut dice = Dice::new(seed);
    let manners =
        Manners { pause: Duration::ZERO..Duration::from_millis(30), put_off: 0, dice: dice.split() };
    let sink = Sink::open(manners, 1).await?;
    let names = NameServer::open().await?;
    let program = program_at(args.server.as_deref())?;
    let place = if args.deployed {
        behind_relay_and_proxy(Place::deployed(&program)?, &names)
    } else {
        Place::new(&program)?
    };
    let mut place = place.with("MAIL__TRANSPORT", sink.transport(0)).with("SECRETS__KEY", "c5".repeat(32));
    if let Some(url) = &args.database {
        place = place.with("DATABASE__URL", url);
    }
    let place = Arc::new(enable_listeners(place)?);
    if args.deployed {
        place.write_down()?;
    }
    let trial = timeout(Duration::from_mins(args.minutes), attempt(&args, &place, &sink, dice)).await;
    let trial = trial.context("the trial does not end in time").and_then(|done| done);
    conclude(trial, [place.as_ref()])
}

async fn attempt(args: &Args, place: &Arc<Place>, sink: &Sink, mut dice: Dice) -> anyhow::Result<Report> {
    let begun = Instant::now();
    let registry = Arc::new(Registry::standard());
    let pairs: Vec<Pair> =
        if args.deployed { (0..args.boards).map(Pair::new).collect() } else { pairs_for(args.boards) };
    let seats: Vec<_> =
        if args.deployed { seat_apart(&pairs).collect() } else { seat_all(&pairs, args.boards).collect() };
    let (server, key) = begin(place, &pairs, sink).await?;
    sink.put_off(args.put_off);
    let (endpoints, current) = watch::channel(server.endpoints);
    let ledger = Arc::new(Ledger::default());
    let handle = ServerHandle { place: Arc::clone(place), endpoints: current };
    let post = Arc::new(Post::new(vec![handle], Arc::clone(&ledger), args.senders)?);
    let budget = Arc::new(Budget::new(args.mails, None));
    let mut players = JoinSet::new();
    for (game, pair) in seats {
        let table = Table::new(game, pair, (Arc::clone(&post), HABIT), Arc::clone(&registry), dice.split());
        players.spawn(table.play(Arc::clone(&budget)));
    }
    players.spawn(tell_progress(Arc::clone(&post), Arc::clone(&budget)));
    let mut killer = Killer::new(place, sink, &endpoints, &post, dice.split());
    let server = killer.kill_until_done(server, &mut players, &args.kill_every).await?;
    let mut report = Report::default();
    // On PostgreSQL the mails leased by a killed server are sent when their lease expires. Deferred once more, they would
    // arrive after the trial has stopped waiting.
    sink.put_off(0);
    report.row("seconds of play", begun.elapsed().as_secs());

    let played = Instant::now();
    let patience = if args.database.is_some() { Duration::from_mins(7) } else { Duration::from_mins(3) };
    wait_until_idle(server.endpoints.http, key.as_deref(), Some(place.as_ref()), patience, &mut report)
        .await?;
    report.row("seconds until every queue was empty", played.elapsed().as_secs());
    killer.report(&mut report);
    let mails = ledger.close();
    report.expect(budget.is_spent(), || "not all moves were made".to_owned());
    let boards = verify::read_boards(server.endpoints.http, &pairs).await?;
    verify::check_boards(&mails, &boards, &pairs, &mut report);
    verify::check_mails(&mails, sink.arrivals(), &mut report);
    report.row("mails out that were put off once", sink.count_put_off());
    server.stop().await?;
    check_storage(place, &mut report).await?;
    if args.database.is_none() {
        let output = place.run(&["backup", &place.data().join("copy.db").to_string_lossy()], b"").await?;
        report.expect(output.status.success(), || format!("backup: {}", said(&output)));
    }
    check_logs(&[place.log()], &mut report);
    Ok(report)
}

/// Starts the server with its users; in the deployed profile also returns a key that may read its metrics.
async fn begin(place: &Place, pairs: &[Pair], sink: &Sink) -> anyhow::Result<(Running, Option<String>)> {
    if place.is_deployed() {
        let overseer = people::add_overseer(place).await?;
        let server = place.start().await?;
        people::check_profile(&server).await?;
        let key = people::open(server.endpoints, &overseer, pairs, sink).await?;
        return Ok((server, Some(key)));
    }
    for (userid, password, address) in pairs.iter().flat_map(Pair::users) {
        place.add_user(&userid, &password, &address).await?;
    }
    Ok((place.start().await?, None))
}

//! Power failures while games are played by mail.
//!
//! Players mail their moves, as mail servers would: a mail that got no answer comes again, with the
//! same Message-ID. Meanwhile the server is killed at random moments and started again. In the end
//! every mail that was answered 250 must have had its outcome once, and every mail that follows from
//! it must have arrived, twice only where a kill fell between its sending and its mark.

mod killer;
mod ledger;
mod post;
mod table;
mod verify;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use knotpost_rules::Registry;
use serde_json::Value;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::dice::Dice;
use crate::http::Http;
use crate::report::Report;
use crate::server::{Place, said, usual_program};
use crate::sink::{Manners, Sink};
use killer::Killer;
use ledger::Ledger;
use post::Post;
use table::{GAMES, Pair, Table};

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
    /// The server to be tried (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

fn read_range(text: &str) -> Result<std::ops::Range<Duration>, String> {
    let numbers =
        text.split_once("..").and_then(|(least, most)| Some((least.parse().ok()?, most.parse().ok()?)));
    match numbers {
        Some((least, most)) if least < most => Ok(Duration::from_millis(least)..Duration::from_millis(most)),
        _ => Err("write two numbers of milliseconds, for example 300..3000".to_owned()),
    }
}

/// Runs the trial; whether every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| u64::from(std::process::id()));
    println!("kill: {} moves by mail on {} boards, --seed {seed}", args.mails, args.boards);
    let mut dice = Dice::new(seed);
    let manners = Manners {
        pause: Duration::ZERO..Duration::from_millis(30),
        put_off: args.put_off,
        // They come again after a minute: early enough not to be waited for.
        put_off_until: args.mails as usize,
        dice: dice.split(),
    };
    let sink = Sink::open(manners).await?;
    let mut place = Place::new(&args.server.clone().unwrap_or_else(usual_program))?
        .with("MAIL__TRANSPORT", format!("smtp://{}", sink.address))
        .with("SECRETS__KEY", "c5".repeat(32));
    if let Some(url) = &args.database {
        place = place.with("DATABASE__URL", url);
    }
    let place = Arc::new(post::open_doors(place)?);
    let trial = timeout(Duration::from_mins(args.minutes), attempt(&args, &place, &sink, dice)).await;
    let sound = match trial.context("the trial does not end in time").and_then(|done| done) {
        Ok(report) => {
            println!("{report}");
            report.is_sound()
        }
        Err(error) => {
            println!("{error:#}");
            false
        }
    };
    if sound {
        place.remove()?;
    } else {
        println!("its folder is kept: {}", place.root().display());
    }
    Ok(sound)
}

async fn attempt(args: &Args, place: &Arc<Place>, sink: &Sink, mut dice: Dice) -> anyhow::Result<Report> {
    let begun = Instant::now();
    let registry = Arc::new(Registry::standard());
    let pairs: Vec<Pair> = (0..args.boards.div_ceil(GAMES.len())).map(Pair::new).collect();
    for pair in &pairs {
        for (userid, password, address) in pair.users() {
            place.add_user(&userid, &password, &address).await?;
        }
    }
    let server = place.start().await?;
    let (doors, rooms) = watch::channel(server.doors);
    let ledger = Arc::new(Ledger::default());
    let post = Arc::new(Post::new(
        Arc::clone(place),
        rooms.clone(),
        Arc::clone(&ledger),
        Semaphore::new(args.senders.max(1)),
    ));
    let budget = Arc::new(AtomicI64::new(i64::from(args.mails)));
    let mut players = JoinSet::new();
    for number in 0..args.boards {
        let (Some(game), Some(pair)) = (GAMES.get(number % GAMES.len()), pairs.get(number / GAMES.len()))
        else {
            continue;
        };
        let table = Table::new(*game, pair.clone(), Arc::clone(&post), Arc::clone(&registry), dice.split());
        players.spawn(table.play(Arc::clone(&budget)));
    }
    players.spawn(tell_progress(Arc::clone(&post), Arc::clone(&budget)));
    let mut killer = Killer::new(place, sink, &doors, &post, dice.split());
    let server = killer.kill_until_done(server, &mut players, &args.kill_every).await?;
    let mut report = Report::default();
    report.row("seconds of play", begun.elapsed().as_secs());

    let played = Instant::now();
    let patience = if args.database.is_some() { Duration::from_mins(7) } else { Duration::from_mins(3) };
    wait_until_idle(place, &server, patience, &mut report).await?;
    report.row("seconds until every queue was empty", played.elapsed().as_secs());
    killer.report(&mut report);
    let mails = ledger.close();
    report.expect(budget.load(Ordering::Relaxed) <= 0, || "not all moves were made".to_owned());
    let boards = verify::read_boards(&server, &pairs).await?;
    verify::check_boards(&mails, &boards, &pairs, &mut report);
    verify::check_mails(&mails, sink, &mut report);
    server.stop().await?;
    check_storage(place, args.database.is_none(), &mut report).await?;
    Ok(report)
}

/// Says now and then how far it is.
async fn tell_progress(post: Arc<Post>, budget: Arc<AtomicI64>) -> anyhow::Result<()> {
    let begun = Instant::now();
    while budget.load(Ordering::Relaxed) > 0 {
        for _ in 0..100 {
            sleep(Duration::from_millis(100)).await;
            if budget.load(Ordering::Relaxed) <= 0 {
                return Ok(());
            }
        }
        eprintln!("{} s: {} mails taken", begun.elapsed().as_secs(), post.taken());
    }
    Ok(())
}

/// Waits until nothing is left to be read and nothing to be sent.
async fn wait_until_idle(
    place: &Place,
    server: &crate::server::Running,
    patience: Duration,
    report: &mut Report,
) -> anyhow::Result<()> {
    let deadline = Instant::now() + patience;
    let mut http = Http::connect(server.doors.http).await?;
    loop {
        let metrics = http.get("/metrics").await?.text();
        let waiting = |name: &str| {
            let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
            line.with_context(|| format!("/metrics has no {name}"))
        };
        let (inbox, outbox) = (waiting("knotpost_inbox_waiting")?, waiting("knotpost_outbox_waiting")?);
        if inbox == 0.0 && outbox == 0.0 && post::is_folder_empty(place) {
            return Ok(());
        }
        if Instant::now() > deadline {
            report.broken(format!("the queues do not drain: {inbox} mails in, {outbox} out"));
            return Ok(());
        }
        sleep(Duration::from_millis(100)).await;
    }
}

/// What the operator's own commands say of the stored boards, and what the server logged.
async fn check_storage(place: &Place, is_sqlite: bool, report: &mut Report) -> anyhow::Result<()> {
    for arguments in [&["admin", "replay", "--all"][..], &["admin", "ratings", "recompute", "--check"]] {
        let output = place.run(arguments, b"").await?;
        report.expect(output.status.success(), || format!("{}: {}", arguments.join(" "), said(&output)));
        println!("{}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stdout).trim());
    }
    if is_sqlite {
        let output = place.run(&["backup", "copy.db"], b"").await?;
        report.expect(output.status.success(), || format!("backup: {}", said(&output)));
    }
    let log = place.log();
    let count = |word: &str| log.lines().filter(|line| line.contains(word)).count();
    report.row("warnings logged", count(" WARN "));
    report.row("errors logged", count("ERROR "));
    for line in log.lines().filter(|line| line.contains("ERROR ")).take(5) {
        println!("logged: {line}");
    }
    report.expect(!log.contains("panicked at"), || "the server panicked; see its log".to_owned());
    Ok(())
}

/// A field of an answer of the API.
fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or_default()
}

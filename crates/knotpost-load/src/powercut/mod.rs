//! Power cuts while games are played: a server on SQLite ends at once, and every sector that it wrote since the last sync
//! of its file is kept, lost or garbled.
//!
//! `strace` shows which bytes were synced before the end, so exactly the others are at risk, as on a disk. Everything
//! acknowledged must be stored afterwards, once.

mod disk;
mod machine;
mod trace;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use knotpost_rules::Registry;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};

use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::ledger::{Habit, Ledger, Way};
use crate::play::post::{Post, ServerHandle, enable_listeners};
use crate::play::table::{Table, pairs_for, seat_all};
use crate::play::{
    check_logs, check_storage, conclude, read_range, tell_progress, verify, wait_for_all, wait_until_idle,
};
use crate::report::Report;
use crate::server::{Place, Running, program_at, said, tail};
use crate::sink::{Manners, Sink};
use machine::{Honesty, Machine};

/// Without the ways in by which a process other than the traced one writes to the database.
const HABIT: Habit = &[(Way::Api, 30), (Way::Lmtp, 10), (Way::Hook, 10)];
/// The percentage of cuts just after a write, most likely before its sync.
const AMID: u64 = 70;
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
    /// Mails that are handed over at the same time, at most.
    #[arg(long, default_value_t = 8)]
    senders: usize,
    /// Milliseconds from one cut to the next, at least and at most.
    #[arg(long, value_name = "MIN..MAX", default_value = "300..2000", value_parser = read_range)]
    cut_every: std::ops::Range<Duration>,
    /// Ignore every sync, as some disks do. Then rules must break, or the trial would prove nothing.
    #[arg(long)]
    lying_disk: bool,
    /// For other moments, games and losses (default: from the process number).
    #[arg(long)]
    seed: Option<u64>,
    /// Minutes after which the trial is given up.
    #[arg(long, default_value_t = 15)]
    minutes: u64,
    /// The server to be tried (default: the `knotpost` beside this program).
    #[arg(long, value_name = "FILE")]
    server: Option<PathBuf>,
}

/// Runs the trial; whether every rule held.
pub(crate) async fn run(args: Args) -> anyhow::Result<bool> {
    let seed = args.seed.unwrap_or_else(|| u64::from(std::process::id()));
    let place = Place::new(&program_at(args.server.as_deref())?)?;
    machine::expect_tracer().await?;
    println!("powercut: {} moves on {} boards, --seed {seed}", args.moves, args.boards);
    let mut dice = Dice::new(seed);
    let pause = Duration::ZERO..Duration::from_millis(30);
    let manners = Manners { pause, put_off: 0, dice: dice.split() };
    let sink = Sink::open(manners, 1).await?;
    let place = place.with("MAIL__TRANSPORT", sink.transport(0)).with("SECRETS__KEY", "c5".repeat(32));
    let place = Arc::new(enable_listeners(place)?);
    let trial = timeout(Duration::from_mins(args.minutes), attempt(&args, &place, &sink, dice)).await;
    let trial = trial.context("the trial does not end in time").and_then(|done| done);
    conclude(trial, [place.as_ref()])
}

async fn attempt(args: &Args, place: &Arc<Place>, sink: &Sink, mut dice: Dice) -> anyhow::Result<Report> {
    let begun = Instant::now();
    let mut report = Report::default();
    let pairs = pairs_for(args.boards);
    for pair in &pairs {
        for (userid, password, address) in pair.users() {
            place.add_user(&userid, &password, &address).await?;
        }
    }
    let honesty = if args.lying_disk { Honesty::Lying } else { Honesty::Honest };
    let mut machine = Machine::new(place, honesty)?;
    let server = machine.boot().await?;
    let (endpoints, current) = watch::channel(server.endpoints);
    let ledger = Arc::new(Ledger::default());
    let handle = ServerHandle { place: Arc::clone(place), endpoints: current };
    let post = Arc::new(Post::new(vec![handle], Arc::clone(&ledger), args.senders)?);
    let budget = Arc::new(Budget::new(args.moves, None));
    let registry = Arc::new(Registry::standard());
    let mut players = JoinSet::new();
    for (game, pair) in seat_all(&pairs, args.boards) {
        let table = Table::new(game, pair, (Arc::clone(&post), HABIT), Arc::clone(&registry), dice.split());
        players.spawn(table.play(Arc::clone(&budget)));
    }
    players.spawn(tell_progress(post, Arc::clone(&budget)));
    let mut scene = Scene { machine: &mut machine, sink, endpoints: &endpoints, dice: dice.split() };
    let server = scene.cut_until_done(server, &mut players, &args.cut_every, place).await?;
    report.row("seconds of play", begun.elapsed().as_secs());
    wait_until_idle(server.endpoints.http, None, None, DRAIN, &mut report).await?;

    report.row("power cuts", machine.cuts);
    report.row("  with something not yet synced", machine.hits);
    report.row("  that took nothing, their trace being unclear", machine.unexplained);
    report.expect(machine.unexplained * 5 <= machine.cuts, || "most traces are unclear".to_owned());
    report.row("sectors not yet synced", machine.losses.unsafe_sectors);
    report.row("  that were lost", machine.losses.old);
    report.row("  that were garbled", machine.losses.garbled);
    let mails = ledger.close();
    report.expect(budget.is_spent(), || "not all moves were made".to_owned());
    let boards = verify::read_boards(server.endpoints.http, &pairs).await?;
    verify::check_boards(&mails, &boards, &pairs, &mut report);
    verify::check_mails(&mails, sink.arrivals(), &mut report);
    server.stop().await?;
    check_storage(place, &mut report).await?;
    let output = place.run(&["backup", "copy.db"], b"").await?;
    report.expect(output.status.success(), || format!("backup: {}", said(&output)));
    check_logs(&[place.log()], &mut report);
    Ok(report)
}

/// What cuts the power.
struct Scene<'a> {
    machine: &'a mut Machine,
    sink: &'a Sink,
    endpoints: &'a watch::Sender<crate::server::Endpoints>,
    dice: Dice,
}

impl Scene<'_> {
    /// Cuts the power and restarts until all players are done; returns the server that runs then.
    async fn cut_until_done(
        &mut self,
        mut server: Running,
        players: &mut JoinSet<anyhow::Result<()>>,
        every: &std::ops::Range<Duration>,
        place: &Place,
    ) -> anyhow::Result<Running> {
        loop {
            let moment = self.dice.pause(every);
            tokio::select! {
                done = wait_for_all(players) => return done.map(|()| server),
                () = sleep(moment) => {}
            }
            if self.dice.happens(AMID) {
                self.machine.wait_for_write().await;
            }
            ensure!(!server.has_ended()?, "the server ended by itself:\n{}", tail(&place.log()));
            self.machine.cut(server, &mut self.dice).await?;
            self.sink.begin_life(0);
            server = self.machine.boot().await?;
            self.endpoints.send_replace(server.endpoints);
        }
    }
}

//! Power cuts while games are played: a server on SQLite ends at once, and every sector that it wrote since the last sync
//! of its file is kept, lost or garbled.
//!
//! `strace` shows which bytes were synced before the end, so exactly the others are at risk, as on a disk. Everything
//! acknowledged must be stored afterwards, once.

mod disk;
mod machine;
mod trace;

use std::sync::Arc;
use std::time::Duration;

use anyhow::ensure;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::ledger::{Habit, Way};
use crate::play::post::{ServerHandle, enable_listeners};
use crate::play::table::{pairs_for, seat_all};
use crate::play::{check_logs, check_storage, read_range, wait_for_all, wait_until_idle};
use crate::report::Report;
use crate::server::{Place, Running, said, tail};
use crate::sink::Sink;
use crate::trial::{Common, open_sink, welcome};
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
    /// Milliseconds from one cut to the next, at least and at most.
    #[arg(long, value_name = "MIN..MAX", default_value = "300..2000", value_parser = read_range)]
    cut_every: std::ops::Range<Duration>,
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
    let place = Arc::new(enable_listeners(place.mailing_to(&sink, 0))?);
    args.common.conclude(15, attempt(&args, &place, &sink, dice), [place.as_ref()]).await
}

async fn attempt(args: &Args, place: &Arc<Place>, sink: &Sink, mut dice: Dice) -> anyhow::Result<Report> {
    let honesty = if args.lying_disk { Honesty::Lying } else { Honesty::Honest };
    let mut machine = Machine::new(place, honesty)?;
    let server = machine.boot().await?;
    let (pairs, mut report) = (pairs_for(args.boards), Report::default());
    welcome(server.endpoints.http, &pairs, sink, &mut report).await?;
    let begun = Instant::now();
    let (endpoints, current) = watch::channel(server.endpoints);
    let handle = ServerHandle { place: Arc::clone(place), endpoints: current };
    let (seats, budget) = (seat_all(&pairs, args.boards), Budget::new(args.moves, None));
    let mut company = args.common.seat(seats, vec![handle], HABIT, budget, &mut dice)?;
    let mut scene = Scene { machine: &mut machine, sink, endpoints: &endpoints, dice };
    let server = scene.cut_until_done(server, &mut company.players, &args.cut_every, place).await?;
    report.row("seconds of play", begun.elapsed().as_secs());
    wait_until_idle(server.endpoints.http, None, None, DRAIN, &mut report).await?;

    report.row("power cuts", machine.cuts);
    report.row("  with something not yet synced", machine.hits);
    report.row("  that took nothing, their trace being unclear", machine.unexplained);
    report.expect(machine.unexplained * 5 <= machine.cuts, || "most traces are unclear".to_owned());
    report.row("sectors not yet synced", machine.losses.unsafe_sectors);
    report.row("  that were lost", machine.losses.old);
    report.row("  that were garbled", machine.losses.garbled);
    company.check(server.endpoints.http, &pairs, sink.arrivals(), &mut report).await?;
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

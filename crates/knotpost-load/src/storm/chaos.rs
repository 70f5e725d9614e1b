//! The faults of a storm: one server after the other is killed and restarted, and once the database crashes under all of
//! them.

use std::ops::Range;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::END_LEASES;
use super::cluster::Database;
use super::fleet::Fleet;
use crate::dice::Dice;
use crate::play::budget::Budget;
use crate::play::post::Post;
use crate::play::wait_for_all;
use crate::report::Report;
use crate::sink::Sink;

/// The percentage of starts that are killed before the listeners are open.
const YOUNG: u64 = 10;
/// How long the database is down.
const AWAY: Range<Duration> = Duration::from_secs(1)..Duration::from_secs(4);

/// Injects the faults, and counts them.
pub(super) struct Chaos<'a> {
    pub(super) fleet: Fleet<'a>,
    pub(super) database: &'a Database,
    pub(super) sink: &'a Sink,
    pub(super) post: &'a Post,
    pub(super) dice: Dice,
    /// How long after the beginning the database crashes.
    pub(super) crash_after: Duration,
    pub(super) counts: Counts,
}

/// The numbers of faults.
#[derive(Debug, Default)]
pub(super) struct Counts {
    kills: usize,
    amid_mails: usize,
    young: usize,
    crashes: usize,
    amid_crash: usize,
    slowest_start: Duration,
}

impl Chaos<'_> {
    /// Kills and restarts servers until the budget of moves is used up.
    pub(super) async fn rage(
        &mut self,
        players: &mut JoinSet<anyhow::Result<()>>,
        every: &Range<Duration>,
        budget: &Budget,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        while !budget.is_spent() {
            let moment = self.dice.pause(every);
            tokio::select! {
                done = wait_for_all(players) => return done,
                () = sleep(moment) => {}
            }
            self.fleet.expect_alive()?;
            if self.counts.crashes == 0 && self.database.can_restart() && begun.elapsed() >= self.crash_after
            {
                self.crash_database().await?;
            } else {
                self.kill_one().await?;
            }
        }
        Ok(())
    }

    fn draw(&mut self) -> usize {
        self.dice.below(self.fleet.len() as u64) as usize
    }

    async fn kill_one(&mut self) -> anyhow::Result<()> {
        let at = self.draw();
        self.counts.amid_mails += usize::from(self.post.in_hand() > 0);
        self.fleet.kill(at).await?;
        self.counts.kills += 1;
        while self.dice.happens(YOUNG) {
            let age = self.dice.pause(&(Duration::ZERO..Duration::from_millis(400)));
            self.fleet.kill_young(at, age).await?;
            self.counts.young += 1;
        }
        let took = self.fleet.revive(at).await?;
        self.counts.slowest_start = self.counts.slowest_start.max(took);
        Ok(())
    }

    /// Crashes the database under load. One server is killed meanwhile and restarted without a database; the others have to
    /// recover by themselves.
    async fn crash_database(&mut self) -> anyhow::Result<()> {
        self.counts.crashes += 1;
        self.counts.amid_crash = self.post.in_hand();
        self.sink.begin_era();
        self.database.crash().await?;
        let at = self.draw();
        self.fleet.kill(at).await?;
        self.counts.kills += 1;
        let starting = self.fleet.begin(at)?;
        sleep(self.dice.pause(&AWAY)).await;
        self.database.recover().await?;
        self.sink.begin_era();
        self.fleet.wait(at, starting).await?;
        self.fleet.expect_alive()
    }

    /// Ends the leases of killed servers now instead of waiting until they expire. All servers are stopped in order first,
    /// so no lease belongs to a running one.
    pub(super) async fn end_leases(&mut self) -> anyhow::Result<()> {
        self.fleet.stop().await?;
        for sql in END_LEASES {
            self.database.ask(sql).await?;
        }
        self.fleet.start_all().await
    }

    pub(super) fn report(&self, report: &mut Report) {
        let counts = &self.counts;
        report.row("servers killed", counts.kills + counts.young);
        report.row("  with mails in the middle of being handed over", counts.amid_mails);
        report.row("  while they were starting", counts.young);
        report.row("starts that found no database", self.fleet.stranded);
        report.row("slowest start in ms", counts.slowest_start.as_millis());
        report.row("crashes of the database", counts.crashes);
        report.row("  mails in the middle of being handed over then", counts.amid_crash);
    }
}

//! Faults: one server after the other is killed and restarted, and once the database crashes under all of them.

use std::ops::Range;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use super::budget::Budget;
use super::fleet::Fleet;
use super::post::Post;
use super::wait_for_all;
use crate::dice::Dice;
use crate::postgres::Node;
use crate::report::Report;
use crate::sink::Sink;

/// The percentage of starts that are killed before the listeners are open.
const YOUNG: u64 = 10;
/// The exclusive bound of the random number of mails that must be accepted between two kills. Without them the games would
/// make no progress on a busy machine.
const MAILS: u64 = 20;
/// The longest wait for those mails.
const DROUGHT: Duration = Duration::from_secs(20);
/// How long the database is down.
const AWAY: Range<Duration> = Duration::from_secs(1)..Duration::from_secs(4);

/// Injects the faults, and counts them.
pub(crate) struct Chaos<'a> {
    pub(crate) fleet: Fleet<'a>,
    /// What crashes, and how long after the beginning.
    pub(crate) database: Option<(&'a Node, Duration)>,
    pub(crate) sink: &'a Sink,
    pub(crate) post: &'a Post,
    pub(crate) dice: Dice,
    pub(crate) counts: Counts,
}

/// The numbers of faults.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    kills: usize,
    amid_mails: usize,
    young: usize,
    crashes: usize,
    amid_crash: usize,
    slowest_start: Duration,
}

impl Chaos<'_> {
    /// Kills and restarts servers until the budget of moves is used up.
    pub(crate) async fn rage(
        &mut self,
        players: &mut JoinSet<anyhow::Result<()>>,
        every: &Range<Duration>,
        budget: &Budget,
    ) -> anyhow::Result<()> {
        let begun = Instant::now();
        while !budget.is_spent() {
            let (moment, mails) = (self.dice.pause(every), self.dice.below(MAILS));
            tokio::select! {
                done = wait_for_all(players) => return done,
                () = wait_for_moment(self.post, moment, mails) => {}
            }
            self.fleet.expect_alive()?;
            match self.database {
                Some((node, after)) if self.counts.crashes == 0 && begun.elapsed() >= after => {
                    self.crash_database(node).await?;
                }
                _ => self.kill_one().await?,
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
    async fn crash_database(&mut self, database: &Node) -> anyhow::Result<()> {
        self.counts.crashes += 1;
        self.counts.amid_crash = self.post.in_hand();
        self.sink.begin_era();
        database.stop("immediate").await?;
        let at = self.draw();
        self.fleet.kill(at).await?;
        self.counts.kills += 1;
        let starting = self.fleet.begin(at)?;
        sleep(self.dice.pause(&AWAY)).await;
        database.start().await?;
        self.sink.begin_era();
        self.fleet.wait(at, starting).await?;
        self.fleet.expect_alive()
    }

    pub(crate) fn report(&self, report: &mut Report) {
        let counts = &self.counts;
        report.row("servers killed", counts.kills + counts.young);
        report.row("  with mails in the middle of being handed over", counts.amid_mails);
        report.row("  while they were starting", counts.young);
        report.row("slowest start in ms", counts.slowest_start.as_millis());
        if self.database.is_some() {
            report.row("starts that found no database", self.fleet.stranded);
            report.row("crashes of the database", counts.crashes);
            report.row("  mails in the middle of being handed over then", counts.amid_crash);
        }
    }
}

/// Returns after the given time and not before the given number of mails was accepted, within a limit.
async fn wait_for_moment(post: &Post, moment: Duration, mails: u64) {
    let enough = post.taken() + mails as usize;
    sleep(moment).await;
    let deadline = Instant::now() + DROUGHT;
    while post.taken() < enough && Instant::now() < deadline {
        sleep(Duration::from_millis(1)).await;
    }
}

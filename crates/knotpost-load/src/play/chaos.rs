//! Faults: one server after the other is killed and restarted, and once the database crashes under all of them.

use std::ops::Range;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::post::Post;
use super::wait_for_all;
use crate::dice::{happens, pause};
use crate::postgres::Node;
use crate::trial::Trial;

/// The percentage of starts that are killed before the listeners are open.
const YOUNG: u64 = 10;
/// The exclusive bound of the random number of mails that must be accepted between two kills. Without them the games would
/// make no progress on a busy machine.
const MAILS: usize = 20;
/// The longest wait for those mails.
const DROUGHT: Duration = Duration::from_secs(20);
/// The time that the database is down.
const AWAY: Range<Duration> = Duration::from_secs(1)..Duration::from_secs(4);

/// The numbers of faults.
#[derive(Debug, Default)]
struct Counts {
    kills: usize,
    amid_mails: usize,
    young: usize,
    crashes: usize,
    amid_crash: usize,
    slowest_start: Duration,
}

/// Kills and restarts servers until the budget of moves is used up; crashes the database once, at a time after the beginning.
pub(crate) async fn rage(
    trial: &mut Trial,
    every: &Range<Duration>,
    database: Option<(&Node, Duration)>,
) -> anyhow::Result<()> {
    let (begun, mut counts) = (Instant::now(), Counts::default());
    while !trial.budget.is_spent() {
        let (moment, mails) = (pause(&mut trial.dice, every), trial.dice.usize(..MAILS));
        tokio::select! {
            done = wait_for_all(&mut trial.players) => { done?; break }
            () = wait_for_moment(&trial.post, moment, mails) => {}
        }
        trial.fleet.expect_alive()?;
        match database {
            Some((node, after)) if counts.crashes == 0 && begun.elapsed() >= after => {
                crash_database(trial, node, &mut counts).await?;
            }
            _ => kill_one(trial, &mut counts).await?,
        }
    }
    let report = &mut trial.report;
    report.row("seconds of play", begun.elapsed().as_secs());
    report.row("servers killed", counts.kills + counts.young);
    report.row("  with mails in the middle of being handed over", counts.amid_mails);
    report.row("  while they were starting", counts.young);
    report.row("slowest start in ms", counts.slowest_start.as_millis());
    if database.is_some() {
        report.row("starts that found no database", trial.fleet.stranded);
        report.row("crashes of the database", counts.crashes);
        report.row("  mails in the middle of being handed over then", counts.amid_crash);
    }
    Ok(())
}

async fn kill_one(trial: &mut Trial, counts: &mut Counts) -> anyhow::Result<()> {
    let at = trial.dice.usize(..trial.fleet.len());
    counts.amid_mails += usize::from(trial.post.in_hand() > 0);
    trial.fleet.kill(at).await?;
    counts.kills += 1;
    while happens(&mut trial.dice, YOUNG) {
        let age = pause(&mut trial.dice, &(Duration::ZERO..Duration::from_millis(400)));
        trial.fleet.kill_young(at, age).await?;
        counts.young += 1;
    }
    counts.slowest_start = counts.slowest_start.max(trial.fleet.revive(at).await?);
    Ok(())
}

/// Crashes the database under load. One server is killed meanwhile and restarted without a database; the others have to
/// recover by themselves.
async fn crash_database(trial: &mut Trial, database: &Node, counts: &mut Counts) -> anyhow::Result<()> {
    counts.crashes += 1;
    counts.amid_crash = trial.post.in_hand();
    trial.fleet.sink.begin_era();
    database.stop("immediate").await?;
    let at = trial.dice.usize(..trial.fleet.len());
    trial.fleet.kill(at).await?;
    counts.kills += 1;
    let starting = trial.fleet.begin(at)?;
    sleep(pause(&mut trial.dice, &AWAY)).await;
    database.start().await?;
    trial.fleet.sink.begin_era();
    trial.fleet.wait(at, starting).await?;
    trial.fleet.expect_alive()
}

/// Returns after the given time and not before the given number of mails was accepted, within a limit.
async fn wait_for_moment(post: &Post, moment: Duration, mails: usize) {
    let enough = post.taken() + mails;
    sleep(moment).await;
    let deadline = Instant::now() + DROUGHT;
    while post.taken() < enough && Instant::now() < deadline {
        sleep(Duration::from_millis(1)).await;
    }
}

//! Kills the server at random moments and starts it again at once.

use std::ops::Range;
use std::time::Duration;

use anyhow::ensure;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::dice::Dice;
use crate::play::post::Post;
use crate::play::wait_for_all;
use crate::report::Report;
use crate::server::{Endpoints, Place, Running, tail};
use crate::sink::Sink;

/// The percentage of starts that are killed before the listeners are open.
const YOUNG: u64 = 10;
/// The exclusive bound of the random number of mails that must be accepted between two kills.
const MAILS: u64 = 20;
/// The longest wait for those mails.
const DROUGHT: Duration = Duration::from_secs(20);

/// Kills the server, and counts the kills.
pub(super) struct Killer<'a> {
    place: &'a Place,
    sink: &'a Sink,
    endpoints: &'a watch::Sender<Endpoints>,
    post: &'a Post,
    dice: Dice,
    kills: usize,
    amid_mails: usize,
    young: usize,
    slowest_start: Duration,
}

impl<'a> Killer<'a> {
    pub(super) fn new(
        place: &'a Place,
        sink: &'a Sink,
        endpoints: &'a watch::Sender<Endpoints>,
        post: &'a Post,
        dice: Dice,
    ) -> Self {
        let slowest_start = Duration::ZERO;
        Self { place, sink, endpoints, post, dice, kills: 0, amid_mails: 0, young: 0, slowest_start }
    }

    /// Kills and restarts the server until all players are done; returns the server that runs then.
    pub(super) async fn kill_until_done(
        &mut self,
        mut server: Running,
        players: &mut JoinSet<anyhow::Result<()>>,
        every: &Range<Duration>,
    ) -> anyhow::Result<Running> {
        loop {
            let (moment, mails) = (self.dice.pause(every), self.dice.below(MAILS));
            tokio::select! {
                done = wait_for_all(players) => return done.map(|()| server),
                () = wait_for_moment(self.post, moment, mails) => {}
            }
            ensure!(!server.has_ended()?, "the server ended by itself:\n{}", tail(&self.place.log()));
            self.amid_mails += usize::from(self.post.in_hand() > 0);
            server.kill().await?;
            self.kills += 1;
            self.sink.begin_life(0);
            while self.dice.happens(YOUNG) {
                self.kill_young().await?;
            }
            let begun = Instant::now();
            server = self.place.start().await?;
            self.slowest_start = self.slowest_start.max(begun.elapsed());
            self.endpoints.send_replace(server.endpoints);
        }
    }

    /// A server that is killed while it starts.
    async fn kill_young(&mut self) -> anyhow::Result<()> {
        let starting = self.place.spawn()?;
        sleep(self.dice.pause(&(Duration::ZERO..Duration::from_millis(400)))).await;
        starting.kill().await?;
        self.young += 1;
        self.sink.begin_life(0);
        Ok(())
    }

    pub(super) fn report(&self, report: &mut Report) {
        report.row("kills", self.kills + self.young);
        report.row("  with mails in the middle of being handed over", self.amid_mails);
        report.row("  while the server was starting", self.young);
        report.row("slowest start in ms", self.slowest_start.as_millis());
    }
}

/// Returns after the given time and not before the given number of mails was accepted, within a limit. Without the mails
/// the games would make no progress on a busy machine.
async fn wait_for_moment(post: &Post, moment: Duration, mails: u64) {
    let enough = post.taken() + mails as usize;
    sleep(moment).await;
    let deadline = Instant::now() + DROUGHT;
    while post.taken() < enough && Instant::now() < deadline {
        sleep(Duration::from_millis(1)).await;
    }
}

//! The servers of a storm: each in a folder of its own, all on one database.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::play::post::House;
use crate::server::{Doors, PATIENCE, Place, Running, Starting, tail};
use crate::sink::Sink;

/// A folder, and the server in it while there is one.
struct Berth {
    place: Arc<Place>,
    doors: watch::Sender<Doors>,
    server: Option<Running>,
}

/// All servers.
pub(super) struct Fleet<'a> {
    berths: Vec<Berth>,
    sink: &'a Sink,
    /// Servers that ended instead of starting while the database was away.
    pub(super) stranded: usize,
}

impl<'a> Fleet<'a> {
    /// Starts a server in every place.
    pub(super) async fn start(places: &[Arc<Place>], sink: &'a Sink) -> anyhow::Result<Self> {
        let mut berths = Vec::new();
        for place in places {
            let server = place.start().await?;
            let (doors, _) = watch::channel(server.doors);
            berths.push(Berth { place: Arc::clone(place), doors, server: Some(server) });
        }
        Ok(Self { berths, sink, stranded: 0 })
    }

    pub(super) fn len(&self) -> usize {
        self.berths.len()
    }

    /// As whoever hands mail to them knows them.
    pub(super) fn houses(&self) -> Vec<House> {
        let house = |berth: &Berth| House { place: Arc::clone(&berth.place), doors: berth.doors.subscribe() };
        self.berths.iter().map(house).collect()
    }

    /// The doors of some server that runs.
    pub(super) fn doors(&self) -> anyhow::Result<Doors> {
        let berth = self.berths.iter().find(|berth| berth.server.is_some()).context("no server runs")?;
        Ok(*berth.doors.borrow())
    }

    fn berth(&mut self, at: usize) -> anyhow::Result<&mut Berth> {
        self.berths.get_mut(at).with_context(|| format!("there is no server {at}"))
    }

    /// None of them has ended by itself.
    pub(super) fn expect_alive(&mut self) -> anyhow::Result<()> {
        for berth in &mut self.berths {
            if let Some(server) = &mut berth.server {
                let log = || tail(&berth.place.log());
                ensure!(!server.has_ended()?, "a server ended by itself:\n{}", log());
            }
        }
        Ok(())
    }

    /// Ends one at once.
    pub(super) async fn kill(&mut self, at: usize) -> anyhow::Result<()> {
        if let Some(server) = self.berth(at)?.server.take() {
            server.kill().await?;
            self.sink.begin_life(at);
        }
        Ok(())
    }

    /// A server that is killed while it starts.
    pub(super) async fn kill_young(&mut self, at: usize, age: Duration) -> anyhow::Result<()> {
        let starting = self.begin(at)?;
        sleep(age).await;
        starting.kill().await?;
        self.sink.begin_life(at);
        Ok(())
    }

    /// Begins to start one.
    pub(super) fn begin(&mut self, at: usize) -> anyhow::Result<Starting> {
        self.berth(at)?.place.spawn()
    }

    /// Starts one that was killed; how long that took. Like whatever keeps servers running, it
    /// tries again when one ends because the database is not there.
    pub(super) async fn revive(&mut self, at: usize) -> anyhow::Result<Duration> {
        let starting = self.begin(at)?;
        self.wait(at, starting).await
    }

    /// The same for one that has begun to start.
    pub(super) async fn wait(&mut self, at: usize, starting: Starting) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        let mut starting = Some(starting);
        loop {
            let next = match starting.take() {
                Some(first) => first,
                None => self.begin(at)?,
            };
            match next.wait().await {
                Ok(server) => {
                    let berth = self.berth(at)?;
                    berth.doors.send_replace(server.doors);
                    berth.server = Some(server);
                    return Ok(begun.elapsed());
                }
                Err(error) => {
                    self.stranded += 1;
                    let place = Arc::clone(&self.berth(at)?.place);
                    ensure!(begun.elapsed() < PATIENCE, "{error:#}; it said:\n{}", tail(&place.log()));
                    sleep(Duration::from_millis(200)).await;
                }
            }
        }
    }

    /// Asks all of them to stop, and waits until they have.
    pub(super) async fn stop(&mut self) -> anyhow::Result<()> {
        for (at, berth) in self.berths.iter_mut().enumerate() {
            if let Some(server) = berth.server.take() {
                server.stop().await?;
                self.sink.begin_life(at);
            }
        }
        Ok(())
    }

    /// Starts all that do not run.
    pub(super) async fn start_all(&mut self) -> anyhow::Result<()> {
        for at in 0..self.berths.len() {
            if self.berth(at)?.server.is_none() {
                self.revive(at).await?;
            }
        }
        Ok(())
    }
}

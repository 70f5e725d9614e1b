//! The servers of a trial: each in a folder of its own, all on one database, and the outside world that gets their mail.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::time::{Instant, sleep};

use crate::server::{Endpoints, PATIENCE, Place, Server, tail};
use crate::sink::Sink;

/// A folder, and its server while one runs.
struct Slot {
    place: Arc<Place>,
    server: Option<Server>,
}

/// All servers.
pub(crate) struct Fleet {
    slots: Vec<Slot>,
    pub(crate) sink: Sink,
    /// Servers that ended instead of starting while the database was down.
    pub(crate) stranded: usize,
}

impl Fleet {
    /// Starts a server in every folder.
    pub(crate) async fn start(places: &[Arc<Place>], sink: Sink) -> anyhow::Result<Self> {
        let mut slots = Vec::new();
        for place in places {
            slots.push(Slot { place: Arc::clone(place), server: Some(place.start().await?) });
        }
        Ok(Self { slots, sink, stranded: 0 })
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn places(&self) -> impl Iterator<Item = &Arc<Place>> {
        self.slots.iter().map(|slot| &slot.place)
    }

    /// The process of a running server.
    pub(crate) fn process(&self) -> Option<u32> {
        self.slots.iter().find_map(|slot| slot.server.as_ref().map(Server::id))
    }

    /// The endpoints of a running server.
    pub(crate) fn endpoints(&self) -> anyhow::Result<Endpoints> {
        self.slots.iter().find(|slot| slot.server.is_some()).context("no server runs")?.place.endpoints()
    }

    fn slot(&mut self, at: usize) -> anyhow::Result<&mut Slot> {
        self.slots.get_mut(at).with_context(|| format!("there is no server {at}"))
    }

    /// Checks that no server has ended by itself.
    pub(crate) fn expect_alive(&mut self) -> anyhow::Result<()> {
        for Slot { place, server } in &mut self.slots {
            if let Some(server) = server {
                ensure!(!server.has_ended()?, "a server ended by itself:\n{}", tail(&place.log()));
            }
        }
        Ok(())
    }

    /// Kills one server.
    pub(crate) async fn kill(&mut self, at: usize) -> anyhow::Result<()> {
        if let Some(server) = self.slot(at)?.server.take() {
            server.kill().await?;
            self.sink.begin_life(at);
        }
        Ok(())
    }

    /// A server that is killed while it starts.
    pub(crate) async fn kill_young(&mut self, at: usize, age: Duration) -> anyhow::Result<()> {
        let starting = self.begin(at)?;
        sleep(age).await;
        starting.kill().await?;
        self.sink.begin_life(at);
        Ok(())
    }

    /// Spawns one server process.
    pub(crate) fn begin(&mut self, at: usize) -> anyhow::Result<Server> {
        self.slot(at)?.place.spawn()
    }

    /// Restarts a killed server; returns how long that took. As a service manager does, it tries again when the server ends
    /// because the database is down.
    pub(crate) async fn revive(&mut self, at: usize) -> anyhow::Result<Duration> {
        let starting = self.begin(at)?;
        self.wait(at, starting).await
    }

    /// As above, for a process that is already spawned.
    pub(crate) async fn wait(&mut self, at: usize, mut starting: Server) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        loop {
            let slot = self.slot(at)?;
            match slot.place.open(&mut starting).await {
                Ok(_) => {
                    slot.server = Some(starting);
                    return Ok(begun.elapsed());
                }
                Err(error) => {
                    let log = tail(&slot.place.log());
                    ensure!(begun.elapsed() < PATIENCE, "{error:#}; it said:\n{log}");
                    sleep(Duration::from_millis(200)).await;
                    starting = slot.place.spawn()?;
                    self.stranded += 1;
                }
            }
        }
    }

    /// Asks all servers to stop, and waits until they have.
    pub(crate) async fn stop(&mut self) -> anyhow::Result<()> {
        for (at, slot) in self.slots.iter_mut().enumerate() {
            if let Some(server) = slot.server.take() {
                server.stop().await?;
                self.sink.begin_life(at);
            }
        }
        Ok(())
    }

    /// Starts all servers that do not run.
    pub(crate) async fn start_all(&mut self) -> anyhow::Result<()> {
        for at in 0..self.slots.len() {
            if self.slot(at)?.server.is_none() {
                self.revive(at).await?;
            }
        }
        Ok(())
    }
}

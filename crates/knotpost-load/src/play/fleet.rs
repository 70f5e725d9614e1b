//! The servers of a trial: each in a folder of its own, all on one database.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use super::post::ServerHandle;
use crate::server::{Endpoints, PATIENCE, Place, Running, Starting, tail};
use crate::sink::Sink;

/// A folder, and its server while one runs.
struct Slot {
    place: Arc<Place>,
    endpoints: watch::Sender<Endpoints>,
    server: Option<Running>,
}

/// All servers.
pub(crate) struct Fleet<'a> {
    slots: Vec<Slot>,
    sink: &'a Sink,
    /// Servers that ended instead of starting while the database was down.
    pub(crate) stranded: usize,
}

impl<'a> Fleet<'a> {
    /// Starts a server in every folder.
    pub(crate) async fn start(places: &[Arc<Place>], sink: &'a Sink) -> anyhow::Result<Self> {
        let mut slots = Vec::new();
        for place in places {
            let server = place.start().await?;
            let (endpoints, _) = watch::channel(server.endpoints);
            slots.push(Slot { place: Arc::clone(place), endpoints, server: Some(server) });
        }
        Ok(Self { slots, sink, stranded: 0 })
    }

    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// What clients need to reach the servers.
    pub(crate) fn servers(&self) -> Vec<ServerHandle> {
        let handle = |slot: &Slot| ServerHandle {
            place: Arc::clone(&slot.place),
            endpoints: slot.endpoints.subscribe(),
        };
        self.slots.iter().map(handle).collect()
    }

    /// The process of a running server.
    pub(crate) fn process(&self) -> Option<u32> {
        self.slots.iter().find_map(|slot| slot.server.as_ref().map(Running::id))
    }

    /// The endpoints of a running server.
    pub(crate) fn endpoints(&self) -> anyhow::Result<Endpoints> {
        let slot = self.slots.iter().find(|slot| slot.server.is_some()).context("no server runs")?;
        Ok(*slot.endpoints.borrow())
    }

    fn slot(&mut self, at: usize) -> anyhow::Result<&mut Slot> {
        self.slots.get_mut(at).with_context(|| format!("there is no server {at}"))
    }

    /// Checks that no server has ended by itself.
    pub(crate) fn expect_alive(&mut self) -> anyhow::Result<()> {
        for slot in &mut self.slots {
            if let Some(server) = &mut slot.server {
                let log = || tail(&slot.place.log());
                ensure!(!server.has_ended()?, "a server ended by itself:\n{}", log());
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
    pub(crate) fn begin(&mut self, at: usize) -> anyhow::Result<Starting> {
        self.slot(at)?.place.spawn()
    }

    /// Restarts a killed server; returns how long that took. As a service manager does, it tries again when the server ends
    /// because the database is down.
    pub(crate) async fn revive(&mut self, at: usize) -> anyhow::Result<Duration> {
        let starting = self.begin(at)?;
        self.wait(at, starting).await
    }

    /// As above, for a process that is already spawned.
    pub(crate) async fn wait(&mut self, at: usize, starting: Starting) -> anyhow::Result<Duration> {
        let begun = Instant::now();
        let mut starting = Some(starting);
        loop {
            let next = match starting.take() {
                Some(first) => first,
                None => self.begin(at)?,
            };
            match next.wait().await {
                Ok(server) => {
                    let slot = self.slot(at)?;
                    slot.endpoints.send_replace(server.endpoints);
                    slot.server = Some(server);
                    return Ok(begun.elapsed());
                }
                Err(error) => {
                    self.stranded += 1;
                    let place = Arc::clone(&self.slot(at)?.place);
                    ensure!(begun.elapsed() < PATIENCE, "{error:#}; it said:\n{}", tail(&place.log()));
                    sleep(Duration::from_millis(200)).await;
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

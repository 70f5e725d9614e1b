//! One drill: the primary fails in one of three ways, the standby takes over, and a copy of it becomes the new standby.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, bail};
use tokio::time::{Instant, sleep, timeout};

use super::proxy::Proxy;
use crate::dice::{Dice, pause};
use crate::http::Http;
use crate::play::post::Post;
use crate::postgres::Node;
use crate::server::{Patience, Place};
use crate::sink::Sink;

/// Limit for a server of ours to notice anything.
const PATIENCE: Duration = Duration::from_mins(1);
/// Longest time without a primary once every server has noticed.
const LEADERLESS: Duration = Duration::from_secs(4);

/// The ways a primary fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Its processes are killed.
    Killed,
    /// Its processes stand still, as behind a network that is cut, and are killed when the other one has taken over.
    Frozen,
    /// It is stopped in order before the other one takes over.
    SwitchedOver,
}

impl Kind {
    pub(super) const ALL: [Self; 3] = [Self::Killed, Self::Frozen, Self::SwitchedOver];
}

/// The two servers behind haproxy. `primary` is the index of the one that takes writes.
pub(super) struct Pair {
    nodes: [Arc<Node>; 2],
    primary: usize,
    proxy: Proxy,
}

impl Pair {
    /// A primary and its synchronous standby.
    pub(super) async fn open() -> anyhow::Result<Self> {
        let primary = Node::create().await?;
        let standby = Node::follow(&primary).await?;
        primary.wait_for_standby().await?;
        let nodes = [primary, standby].map(Arc::new);
        Ok(Self { proxy: Proxy::open(&nodes).await?, nodes, primary: 0 })
    }

    /// The address of the database for a server: that of haproxy.
    pub(super) fn url(&self) -> String {
        format!("postgres://knotpost@127.0.0.1:{}/postgres?target_session_attrs=read-write", self.proxy.port)
    }

    pub(super) fn primary(&self) -> anyhow::Result<&Node> {
        Ok(self.nodes.get(self.primary).context("two servers")?)
    }
}

/// The times of a drill.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) kind: Kind,
    /// From the failure until every server called itself not ready.
    pub(super) noticed: Duration,
    /// From the failure until the standby had taken over.
    pub(super) leaderless: Duration,
    /// From then on until the first acknowledgement.
    pub(super) first: Duration,
    /// From then on until every server called itself ready.
    pub(super) ready: Duration,
}

async fn is_ready(address: SocketAddr) -> bool {
    let asking = async { Http::connect(address).await?.get("/readyz").await };
    matches!(timeout(Duration::from_secs(5), asking).await, Ok(Ok(response)) if response.status == 200)
}

/// Waits until every server says that it is ready, or that it is not.
async fn wait_until(ready: bool, servers: &[Arc<Place>]) -> anyhow::Result<()> {
    let mut patience = Patience::new(PATIENCE, Duration::from_millis(20));
    for server in servers {
        let address = server.endpoints()?.http;
        let state = if ready { "not ready after a promotion" } else { "ready without a primary" };
        while is_ready(address).await != ready {
            patience.wait(&format!("a server is {state}")).await?;
        }
    }
    Ok(())
}

/// Has the primary fail, and waits until there is a pair again.
pub(super) async fn run(
    pair: &mut Pair,
    kind: Kind,
    dice: &mut Dice,
    (post, servers, sink): (&Post, &[Arc<Place>], &Sink),
) -> anyhow::Result<Outcome> {
    let next = 1 - pair.primary;
    let (failing, heir) = (pair.primary()?, pair.nodes.get(next).context("two servers")?);
    sink.begin_era();
    let failed = Instant::now();
    match kind {
        Kind::Killed => failing.signal("-KILL")?,
        Kind::Frozen => failing.signal("-STOP")?,
        Kind::SwitchedOver => failing.stop("fast").await?,
    }
    wait_until(false, servers).await?;
    let noticed = failed.elapsed();
    sleep(pause(dice, &(Duration::ZERO..LEADERLESS))).await;
    let taken = post.taken();
    heir.promote().await?;
    let promoted = Instant::now();
    while post.taken() == taken {
        if promoted.elapsed() > PATIENCE {
            let (held, refusal) = (heir.describe_waits().await?, post.last_refusal());
            bail!(
                "nothing is acknowledged after a promotion, last: {refusal}\nthe new primary says:\n{held}"
            );
        }
        sleep(Duration::from_millis(2)).await;
    }
    let first = promoted.elapsed();
    wait_until(true, servers).await?;
    let ready = promoted.elapsed();
    sink.begin_era();
    if kind == Kind::Frozen {
        failing.signal("-KILL")?;
    }
    failing.rejoin(heir).await?;
    heir.wait_for_standby().await?;
    pair.primary = next;
    sink.begin_era();
    Ok(Outcome { kind, noticed, leaderless: promoted - failed, first, ready })
}

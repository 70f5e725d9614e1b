//! One drill: the primary fails in one of three ways, the standby takes over, and the old primary comes back as its
//! standby.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail, ensure};
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use crate::http::Http;
use crate::play::post::{Post, ServerHandle};
use crate::postgres::Node;
use crate::sink::Sink;

/// How long a server may still call itself ready when it has no primary any more.
const NOTICE: Duration = Duration::from_millis(4_500);
/// How long the first acknowledgement after a promotion is waited for.
const PATIENCE: Duration = Duration::from_mins(1);

/// How the primary fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
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

/// The two servers. `primary` is the index of the one that takes writes.
pub(super) struct Pair {
    nodes: [Node; 2],
    primary: usize,
}

impl Pair {
    /// A primary and its synchronous standby.
    pub(super) async fn open() -> anyhow::Result<Self> {
        let primary = Node::create().await?;
        let standby = Node::follow(&primary).await?;
        primary.be_synchronous("*").await?;
        primary.wait_for_sync().await?;
        Ok(Self { nodes: [primary, standby], primary: 0 })
    }

    /// The address of the database for a server.
    pub(super) fn url(&self) -> String {
        let [one, two] = &self.nodes;
        format!("postgres://knotpost@{},{}/postgres?target_session_attrs=read-write", one.host(), two.host())
    }

    fn at(&self, index: usize) -> anyhow::Result<&Node> {
        self.nodes.get(index).context("two servers")
    }

    pub(super) fn primary(&self) -> anyhow::Result<&Node> {
        self.at(self.primary)
    }
}

/// What a drill showed.
#[derive(Clone, Debug)]
pub(super) struct Outcome {
    pub(super) kind: Kind,
    /// From the failure until the standby had taken over.
    pub(super) leaderless: Duration,
    /// From then on until the first acknowledgement.
    pub(super) first: Duration,
    /// From then on until every server called itself ready.
    pub(super) ready: Duration,
    /// How often a server called itself ready long after its primary had failed.
    pub(super) false_ready: usize,
    /// Why the old primary came back as a new copy instead of being rewound.
    pub(super) copied: Option<String>,
}

/// Asks all servers whether they are ready, again and again.
struct Readiness {
    counts: Arc<[AtomicUsize; 2]>,
    tasks: Vec<JoinHandle<()>>,
}

impl Readiness {
    fn watch(servers: &[ServerHandle]) -> Self {
        let counts: Arc<[AtomicUsize; 2]> = Arc::default();
        let tasks = servers.iter().map(|server| {
            let (address, counts) = (server.endpoints.borrow().http, Arc::clone(&counts));
            tokio::spawn(async move {
                loop {
                    let [yes, no] = &*counts;
                    let count = if is_ready(address).await { yes } else { no };
                    count.fetch_add(1, Ordering::SeqCst);
                    sleep(Duration::from_millis(50)).await;
                }
            })
        });
        Self { tasks: tasks.collect(), counts }
    }

    fn ready(&self) -> usize {
        self.counts.first().map_or(0, |yes| yes.load(Ordering::SeqCst))
    }
}

impl Drop for Readiness {
    fn drop(&mut self) {
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

async fn is_ready(address: std::net::SocketAddr) -> bool {
    let asking = async { Http::connect(address).await?.get("/readyz").await };
    matches!(timeout(Duration::from_secs(5), asking).await, Ok(Ok(response)) if response.status == 200)
}

/// Has the primary fail, and waits until both are a pair again.
pub(super) async fn run(
    pair: &mut Pair,
    kind: Kind,
    leaderless: Duration,
    (post, servers, sink): (&Post, &[ServerHandle], &Sink),
) -> anyhow::Result<Outcome> {
    let (old, new) = (pair.primary, 1 - pair.primary);
    let (failing, heir) = (pair.at(old)?, pair.at(new)?);
    let readiness = Readiness::watch(servers);
    sink.begin_era();
    let failed = Instant::now();
    match kind {
        Kind::Killed => failing.signal("-KILL").await?,
        Kind::Frozen => failing.signal("-STOP").await?,
        Kind::SwitchedOver => failing.stop("fast").await?,
    }
    let mut false_ready = 0;
    let quiet = failed + NOTICE;
    if leaderless > NOTICE {
        tokio::time::sleep_until(quiet).await;
        let before = readiness.ready();
        sleep(leaderless.saturating_sub(failed.elapsed())).await;
        false_ready = readiness.ready() - before;
    } else {
        sleep(leaderless.saturating_sub(failed.elapsed())).await;
    }
    let taken = post.taken();
    heir.promote().await?;
    let promoted = Instant::now();
    while post.taken() == taken {
        if promoted.elapsed() > PATIENCE {
            let held = heir.describe_waits().await?;
            let refusal = post.last_refusal();
            bail!(
                "nothing is acknowledged after a promotion ({kind:?}), last: {refusal}\nthe new primary says:\n{held}"
            );
        }
        sleep(Duration::from_millis(2)).await;
    }
    let first = promoted.elapsed();
    for server in servers {
        let address = server.endpoints.borrow().http;
        while !is_ready(address).await {
            ensure!(promoted.elapsed() < PATIENCE, "a server is not ready after a promotion ({kind:?})");
            sleep(Duration::from_millis(20)).await;
        }
    }
    let ready = promoted.elapsed();
    sink.begin_era();
    drop(readiness);
    let copied = match kind {
        Kind::SwitchedOver => failing.rejoin_unchanged(heir).await.map(|()| None)?,
        Kind::Killed | Kind::Frozen => {
            if kind == Kind::Frozen {
                failing.signal("-KILL").await?;
            }
            failing.wait_for_end().await?;
            failing.rejoin(heir).await?
        }
    };
    heir.be_synchronous("*").await?;
    heir.wait_for_sync().await?;
    failing.be_synchronous("").await?;
    pair.primary = new;
    sink.begin_era();
    Ok(Outcome { kind, leaderless: promoted - failed, first, ready, false_ready, copied })
}

//! Games played while faults are injected, and the check afterwards: players who send each move until it is accepted, a
//! ledger of everything they sent, and the rules that the outcome must satisfy. It does not know which faults there are.

pub(crate) mod budget;
pub(crate) mod chaos;
pub(crate) mod fleet;
pub(crate) mod ledger;
pub(crate) mod post;
pub(crate) mod table;
pub(crate) mod verify;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::deployed::forwarded_for;
use crate::http::Http;
use crate::report::Report;
use crate::server::{Place, said};
use budget::Budget;
use post::Post;

/// A field of an API response.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or_default()
}

/// The pause before the next poll; it grows, so that many waiting players do not keep a server busy.
#[derive(Debug)]
pub(crate) struct Patience(Duration);

impl Patience {
    pub(crate) fn new() -> Self {
        Self(Duration::from_millis(10))
    }

    pub(crate) async fn wait(&mut self) {
        sleep(self.0).await;
        self.0 = (self.0 * 2).min(Duration::from_millis(320));
    }
}

/// Waits until every player is done or one has failed.
pub(crate) async fn wait_for_all(players: &mut JoinSet<anyhow::Result<()>>) -> anyhow::Result<()> {
    while let Some(done) = players.join_next().await {
        done??;
    }
    Ok(())
}

/// Prints the progress from time to time.
pub(crate) async fn tell_progress(post: Arc<Post>, budget: Arc<Budget>) -> anyhow::Result<()> {
    let begun = Instant::now();
    while !budget.is_spent() {
        for _ in 0..100 {
            sleep(Duration::from_millis(100)).await;
            if budget.is_spent() {
                return Ok(());
            }
        }
        eprintln!("{} s: {} handed in", begun.elapsed().as_secs(), post.taken());
    }
    Ok(())
}

/// Waits until the inbox, the folder and the outbox are empty. `key` authorises reading the metrics, where a server
/// requires it.
pub(crate) async fn wait_until_idle(
    http: SocketAddr,
    key: Option<&str>,
    folder_of: Option<&Place>,
    patience: Duration,
    report: &mut Report,
) -> anyhow::Result<()> {
    let deadline = Instant::now() + patience;
    let mut http = Http::connect(http).await?;
    for look in 0_u64.. {
        let shown =
            key.map(|key| format!("Authorization: Bearer {key}\r\n{}", forwarded_for_look("operator", look)));
        let metrics = http.get_with("/metrics", &shown.unwrap_or_default()).await?.text();
        let waiting = |name: &str| {
            let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
            line.with_context(|| format!("/metrics has no {name}"))
        };
        let (inbox, outbox) = (waiting("knotpost_inbox_waiting")?, waiting("knotpost_outbox_waiting")?);
        if inbox == 0.0 && outbox == 0.0 && folder_of.is_none_or(post::is_folder_empty) {
            return Ok(());
        }
        if Instant::now() > deadline {
            report.broken(format!("the queues do not drain: {inbox} mails in, {outbox} out"));
            return Ok(());
        }
        sleep(Duration::from_millis(100)).await;
    }
    Ok(())
}

/// A host may send 600 requests a minute, so frequent polls come from several hosts by turns.
pub(crate) fn forwarded_for_look(name: &str, look: u64) -> String {
    forwarded_for(&format!("{name} {}", look / 100))
}

/// Runs the operator's own checks of the stored boards.
pub(crate) async fn check_storage(place: &Place, report: &mut Report) -> anyhow::Result<()> {
    for arguments in [&["admin", "replay", "--all"][..], &["admin", "ratings", "recompute", "--check"]] {
        let output = place.run(arguments, b"").await?;
        report.expect(output.status.success(), || format!("{}: {}", arguments.join(" "), said(&output)));
        println!("{}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stdout).trim());
    }
    Ok(())
}

/// Checks the servers' logs for panics; returns how many lines are errors.
pub(crate) fn check_logs(logs: &[String], report: &mut Report) -> usize {
    let lines = || logs.iter().flat_map(|log| log.lines());
    let count = |word: &str| lines().filter(|line| line.contains(word)).count();
    report.row("warnings logged", count(" WARN "));
    report.row("errors logged", count("ERROR "));
    for line in lines().filter(|line| line.contains("ERROR ")).take(5) {
        println!("logged: {line}");
    }
    report.expect(count("panicked at") == 0, || "a server panicked; see its log".to_owned());
    count("ERROR ")
}

/// Prints the outcome of a trial; returns whether every rule held. The folders are removed only then.
pub(crate) fn conclude<'a>(
    trial: anyhow::Result<Report>,
    places: impl IntoIterator<Item = &'a Place>,
) -> anyhow::Result<bool> {
    let sound = match trial {
        Ok(report) => {
            println!("{report}");
            report.is_sound()
        }
        Err(error) => {
            println!("{error:#}");
            false
        }
    };
    for place in places {
        if sound {
            place.remove()?;
        } else {
            println!("kept: {}", place.root().display());
        }
    }
    Ok(sound)
}

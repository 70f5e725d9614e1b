//! Games played while faults are injected, and the check afterwards: players who send each move until it is accepted, a
//! ledger of everything they sent, and the rules that the outcome must satisfy.

pub(crate) mod budget;
pub(crate) mod chaos;
pub(crate) mod fleet;
pub(crate) mod ledger;
pub(crate) mod post;
pub(crate) mod table;
pub(crate) mod verify;

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep};

use crate::deployed::forwarded_for;
use crate::http::Http;
use crate::server::Patience;
use budget::Budget;
use fleet::Fleet;
use post::Post;

/// A field of an API response.
pub(crate) fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

pub(crate) fn number(value: &Value, key: &str) -> u64 {
    value.get(key).and_then(Value::as_u64).unwrap_or_default()
}

/// The elements of a list in an API response.
pub(crate) fn list<'a>(value: &'a Value, key: &str) -> impl Iterator<Item = &'a Value> {
    value.get(key).and_then(Value::as_array).into_iter().flatten()
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
    for look in 1.. {
        sleep(Duration::from_millis(100)).await;
        if budget.is_spent() {
            break;
        }
        if look % 100 == 0 {
            eprintln!("{} s: {} handed in", begun.elapsed().as_secs(), post.taken());
        }
    }
    Ok(())
}

/// Waits until the inbox, the watched folders and the outbox are empty. `key` authorises reading the metrics, where a
/// server requires it.
pub(crate) async fn wait_until_idle(
    fleet: &Fleet,
    key: Option<&str>,
    patience: Duration,
) -> anyhow::Result<()> {
    let mut patience = Patience::new(patience, Duration::from_millis(100));
    let mut http = Http::connect(fleet.endpoints()?.http).await?;
    for look in 0_u64.. {
        let shown =
            key.map(|key| format!("Authorization: Bearer {key}\r\n{}", forwarded_for_look("operator", look)));
        let metrics = http.get_with("/metrics", &shown.unwrap_or_default()).await?.text();
        let waiting = |name: &str| {
            let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<f64>().ok());
            line.with_context(|| format!("/metrics has no {name}"))
        };
        let (inbox, outbox) = (waiting("knotpost_inbox_waiting")?, waiting("knotpost_outbox_waiting")?);
        if inbox == 0.0 && outbox == 0.0 && fleet.places().all(|place| post::is_folder_empty(place)) {
            break;
        }
        patience.wait(&format!("the queues do not drain: {inbox} mails in, {outbox} out")).await?;
    }
    Ok(())
}

/// A host may send 600 requests a minute, so frequent polls come from several hosts by turns.
pub(crate) fn forwarded_for_look(name: &str, look: u64) -> String {
    forwarded_for(&format!("{name} {}", look / 100))
}

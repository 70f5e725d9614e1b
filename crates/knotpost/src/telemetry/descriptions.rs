//! The metrics of the program and their descriptions, which monitoring shows beside the numbers. The table in
//! `docs/operations.md` is this one; a test compares them with each other and with the sources.

use metrics::{describe_counter, describe_gauge, describe_histogram};

/// What kind of number a metric is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It grows, and begins again with the process.
    Counter,
    /// It is as it is now.
    Gauge,
    /// Quantiles, a sum and a count.
    Summary,
}

/// Name, kind and description of every metric, by name.
const METRICS: &[(&str, Kind, &str)] = &[
    (
        "knotpost_accept_failures_total",
        Kind::Counter,
        "connections that a listener could not accept, by `listener`",
    ),
    ("knotpost_bot_move_seconds", Kind::Summary, "processor time of a decision of a computer player"),
    ("knotpost_bot_moves_total", Kind::Counter, "turns of computer players, by `outcome`"),
    (
        "knotpost_budget_refusals_total",
        Kind::Counter,
        "answers that were not sent because a budget was spent, by `budget`",
    ),
    ("knotpost_build_info", Kind::Gauge, "always 1; `version` and `commit` name the build"),
    (
        "knotpost_http_connections_refused_total",
        Kind::Counter,
        "connections to the web that were refused, by `limit`",
    ),
    ("knotpost_inbox_late_seconds", Kind::Gauge, "how long the oldest due mail of the inbox has been due"),
    ("knotpost_inbox_waiting", Kind::Gauge, "received mails that wait to be processed"),
    ("knotpost_limit_closed", Kind::Gauge, "1 while a limit that all share is reached, by `rate`"),
    ("knotpost_limit_refusals_total", Kind::Counter, "requests that came too often, by `rate` and `scope`"),
    (
        "knotpost_mail_verdicts_total",
        Kind::Counter,
        "results of SPF, DKIM and DMARC for received mail, by `check` and `result`",
    ),
    (
        "knotpost_mails_put_off_total",
        Kind::Counter,
        "received mails that were put off because too many wait, by `bound`",
    ),
    ("knotpost_mails_received_total", Kind::Counter, "received mails, by `reason`: what became of them"),
    ("knotpost_mails_sent_total", Kind::Counter, "mails that left, by `kind`"),
    ("knotpost_outbox_waiting", Kind::Gauge, "outgoing mails that wait"),
    ("knotpost_store_group", Kind::Summary, "transactions that were committed together"),
    (
        "knotpost_store_retries_total",
        Kind::Counter,
        "transactions that were repeated because others were first",
    ),
    ("knotpost_webhook_attempts_total", Kind::Counter, "events that were offered to webhooks, by `outcome`"),
    ("knotpost_webhook_events_waiting", Kind::Gauge, "events that wait for webhooks"),
    (
        "knotpost_worker_panics_total",
        Kind::Counter,
        "loops that failed because of a fault in the program, by `worker`",
    ),
];

/// Tells the recorder what the metrics are.
pub(super) fn describe() {
    for &(name, kind, help) in METRICS {
        // Monitoring shows plain text.
        let help = help.replace('`', "");
        match kind {
            Kind::Counter => describe_counter!(name, help),
            Kind::Gauge => describe_gauge!(name, help),
            Kind::Summary => describe_histogram!(name, help),
        }
    }
    // Counters without labels are there from the start, so that their first growth is seen.
    metrics::counter!("knotpost_store_retries_total").increment(0);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::*;

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
    }

    /// The names in the macros of the sources.
    fn names_in(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names_in(&path, names);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                for kind in ["counter!(\"", "gauge!(\"", "histogram!(\""] {
                    let found = text.split(kind).skip(1).filter_map(|rest| rest.split('"').next());
                    names.extend(found.filter(|name| name.starts_with("knotpost_")).map(ToOwned::to_owned));
                }
            }
        }
    }

    #[test]
    fn every_metric_of_the_sources_is_described() {
        let mut found = BTreeSet::new();
        let crates = ["", "-core", "-platform", "-storage", "-transport", "-web"];
        for name in crates.map(|name| format!("crates/knotpost{name}/src")) {
            names_in(&root().join(name), &mut found);
        }
        let described: BTreeSet<String> = METRICS.iter().map(|(name, ..)| (*name).to_owned()).collect();
        assert_eq!(found, described);
        assert!(METRICS.is_sorted_by_key(|(name, ..)| *name));
    }

    #[test]
    fn the_table_of_the_docs_is_this_one() {
        let docs = fs::read_to_string(root().join("docs/operations.md")).unwrap();
        let (_, rest) = docs.split_once("<!-- metrics -->\n").unwrap();
        let (table, _) = rest.split_once("<!-- end of metrics -->").unwrap();
        let rows = METRICS.iter().map(|(name, kind, help)| {
            format!("| `{name}` | {} | {help} |\n", format!("{kind:?}").to_lowercase())
        });
        let right = format!("| metric | kind | meaning |\n|---|---|---|\n{}", rows.collect::<String>());
        assert_eq!(table, right);
    }

    #[test]
    fn rules_for_alerts_name_metrics_that_exist() {
        let rules = fs::read_to_string(root().join("deploy/alerts.yml")).unwrap();
        let names = rules.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
        let names: BTreeSet<&str> = names.filter(|word| word.starts_with("knotpost_")).collect();
        assert!(names.len() > 3, "{names:?}");
        for name in names {
            assert!(METRICS.iter().any(|(known, ..)| *known == name), "{name}");
        }
        let docs = fs::read_to_string(root().join("docs/operations.md")).unwrap();
        let (_, shown) = docs.split_once("  ```yaml\n").unwrap();
        let (shown, _) = shown.split_once("  ```\n").unwrap();
        let shown: Vec<&str> = shown.lines().map(|line| line.strip_prefix("  ").unwrap_or(line)).collect();
        assert!(
            rules.trim_end().ends_with(&shown.join("\n")),
            "docs/operations.md shows the rules of the file"
        );
    }
}

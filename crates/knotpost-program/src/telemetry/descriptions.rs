//! The metrics of the program and their descriptions for monitoring, also the source of `docs/reference/metrics.md`. A
//! test compares the table with the sources.

use metrics::{describe_counter, describe_gauge, describe_histogram};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Grows, and begins again with the process.
    Counter,
    /// A present value.
    Gauge,
    /// Quantiles, a sum and a count.
    Summary,
    /// Counts up to each bound, a sum and a count.
    Histogram,
}

/// Bounds of a request's time in seconds, and of the number of writes in a commit.
const SECONDS: [f64; 7] = [0.005, 0.025, 0.1, 0.5, 1.0, 2.5, 10.0];
const WRITES: [f64; 7] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0];

pub(super) fn with_buckets(recorder: PrometheusBuilder) -> Result<PrometheusBuilder, BuildError> {
    recorder
        .set_buckets_for_metric(Matcher::Full("knotpost_http_request_seconds".to_owned()), &SECONDS)?
        .set_buckets_for_metric(Matcher::Full("knotpost_store_group".to_owned()), &WRITES)
}

const METRICS: &[(&str, Kind, &str)] = &[
    (
        "knotpost_accept_failures_total",
        Kind::Counter,
        "connections that a listener could not accept, by `listener`",
    ),
    (
        "knotpost_addresses_stopped",
        Kind::Gauge,
        "addresses that get no mail any more because it came back; counted together with the boards",
    ),
    ("knotpost_boards", Kind::Gauge, "boards, by `state`; counted now and then, at least a minute apart"),
    ("knotpost_bot_move_seconds", Kind::Summary, "processor time of a decision of a computer player"),
    ("knotpost_bot_moves_total", Kind::Counter, "turns of computer players, by `outcome`"),
    (
        "knotpost_bot_turns_waiting",
        Kind::Gauge,
        "turns of computer players that no server is deciding on; 100 stands for more",
    ),
    (
        "knotpost_budget_refusals_total",
        Kind::Counter,
        "answers that were not sent because a budget was spent, by `budget`",
    ),
    ("knotpost_build_info", Kind::Gauge, "always 1; `version` and `commit` name the build"),
    (
        "knotpost_commands_total",
        Kind::Counter,
        "commands, by `verb` (`-`: not understood) and `outcome`: `done`, `refused`, `repeated` or `failed`",
    ),
    (
        "knotpost_database_bytes",
        Kind::Gauge,
        "size of the database in bytes; asked for at least a minute apart",
    ),
    (
        "knotpost_database_connections",
        Kind::Gauge,
        "connections of the pool to PostgreSQL, by `state`: `idle` or `used`",
    ),
    ("knotpost_database_working", Kind::Gauge, "1 while the database answers and takes writes, else 0"),
    (
        "knotpost_http_connections_closed_total",
        Kind::Counter,
        "connections to the web that were closed for others, by `kind`: `silent` or `stream`",
    ),
    (
        "knotpost_http_connections_refused_total",
        Kind::Counter,
        "connections to the web that were refused, by `limit`",
    ),
    ("knotpost_http_request_seconds", Kind::Histogram, "time until an answer begins, by `route`"),
    (
        "knotpost_http_requests_total",
        Kind::Counter,
        "HTTP requests, by `route` and `status` (`2xx` and so on)",
    ),
    ("knotpost_inbox_late_seconds", Kind::Gauge, "how long the oldest due mail of the inbox has been due"),
    ("knotpost_inbox_waiting", Kind::Gauge, "received mails that wait to be processed"),
    ("knotpost_last_mail_received_timestamp_seconds", Kind::Gauge, "when the last mail came in; 0: never"),
    ("knotpost_last_mail_sent_timestamp_seconds", Kind::Gauge, "when the last mail left; 0: never"),
    (
        "knotpost_limit_closed",
        Kind::Gauge,
        "1 while a limit that all share is reached, by `rate`, `scope` and `channel`",
    ),
    ("knotpost_limit_refusals_total", Kind::Counter, "requests that came too often, by `rate` and `scope`"),
    ("knotpost_log_lines_total", Kind::Counter, "lines of the log of level `error` and `warn`, by `level`"),
    (
        "knotpost_mail_verdicts_total",
        Kind::Counter,
        "results of SPF, DKIM and DMARC for received mail, by `check` and `result`",
    ),
    (
        "knotpost_mails_not_sent_total",
        Kind::Counter,
        "tries to send a mail that failed, by `outcome`: `deferred`, `failed` or `recipient_refused`",
    ),
    (
        "knotpost_mails_put_off_total",
        Kind::Counter,
        "received mails that were put off because too many wait, by `bound`",
    ),
    ("knotpost_mails_received_total", Kind::Counter, "received mails, by `reason`: what became of them"),
    ("knotpost_mails_sent_total", Kind::Counter, "mails that left, by `kind`"),
    ("knotpost_moves_stored", Kind::Gauge, "moves on all boards; counted together with the boards"),
    ("knotpost_outbox_late_seconds", Kind::Gauge, "how long the oldest due mail of the outbox has been due"),
    ("knotpost_outbox_waiting", Kind::Gauge, "outgoing mails that wait"),
    ("knotpost_passwords_waiting", Kind::Gauge, "passwords that wait to be checked"),
    ("knotpost_store_group", Kind::Histogram, "writes that were committed together on SQLite"),
    (
        "knotpost_store_retries_total",
        Kind::Counter,
        "transactions that were repeated because others were first",
    ),
    (
        "knotpost_tls_certificate_end_timestamp_seconds",
        Kind::Gauge,
        "when the certificate of `smtp.tls_cert` ends; absent without one",
    ),
    (
        "knotpost_tournaments_late",
        Kind::Gauge,
        "tournaments that have waited for five minutes past a start, a deadline or the end of a round",
    ),
    ("knotpost_users", Kind::Gauge, "people with an account; counted together with the boards"),
    ("knotpost_webhook_attempts_total", Kind::Counter, "events that were offered to webhooks, by `outcome`"),
    ("knotpost_webhook_events_waiting", Kind::Gauge, "events that wait for webhooks"),
    (
        "knotpost_worker_panics_total",
        Kind::Counter,
        "loops that failed because of a fault in the program, by `worker`",
    ),
    ("process_cpu_seconds_total", Kind::Counter, "processor time of this process in whole seconds"),
    ("process_open_fds", Kind::Gauge, "open files and connections of this process"),
    ("process_resident_memory_bytes", Kind::Gauge, "memory of this process"),
    ("process_start_time_seconds", Kind::Gauge, "when this process began"),
];

pub(crate) fn metrics_table() -> impl Iterator<Item = (&'static str, String, &'static str)> {
    METRICS.iter().map(|&(name, kind, help)| (name, format!("{kind:?}").to_lowercase(), help))
}

pub(super) fn describe() {
    for &(name, kind, help) in METRICS {
        // Monitoring shows plain text.
        let help = help.replace('`', "");
        match kind {
            Kind::Counter => describe_counter!(name, help),
            Kind::Gauge => describe_gauge!(name, help),
            Kind::Summary | Kind::Histogram => describe_histogram!(name, help),
        }
    }
    // Present from the start, so that the first growth is seen.
    metrics::counter!("knotpost_store_retries_total").increment(0);
    knotpost_core::intake::begin_counting();
    knotpost_transport::inbound::begin_counting();
    knotpost_transport::outbound::begin_counting();
    crate::worker::begin_counting_bot_moves();
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

    fn names_in(folder: &Path, names: &mut BTreeSet<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                names_in(&path, names);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                for kind in ["counter!(\"", "gauge!(\"", "histogram!(\""] {
                    let found = text.split(kind).skip(1).filter_map(|rest| rest.split('"').next());
                    names.extend(
                        found
                            .filter(|name| name.starts_with("knotpost_") || name.starts_with("process_"))
                            .map(ToOwned::to_owned),
                    );
                }
            }
        }
    }

    #[test]
    fn every_metric_of_the_sources_is_described() {
        let mut found = BTreeSet::new();
        let crates = ["-program", "-core", "-platform", "-storage", "-transport", "-web"];
        for name in crates.map(|name| format!("crates/knotpost{name}/src")) {
            names_in(&root().join(name), &mut found);
        }
        let described: BTreeSet<String> = METRICS.iter().map(|(name, ..)| (*name).to_owned()).collect();
        assert_eq!(found, described);
        assert!(METRICS.is_sorted_by_key(|(name, ..)| *name));
    }

    #[test]
    fn rules_and_the_dashboard_name_metrics_that_exist() {
        let rules = fs::read_to_string(root().join("deploy/alerts.yml")).unwrap();
        let dashboard = fs::read_to_string(root().join("deploy/dashboard.json")).unwrap();
        let dashboard: serde_json::Value = serde_json::from_str(&dashboard).unwrap();
        let panels = dashboard["panels"].as_array().unwrap();
        let targets = panels.iter().flat_map(|panel| panel["targets"].as_array().unwrap());
        let queries: Vec<&str> = targets.map(|target| target["expr"].as_str().unwrap()).collect();
        let mut shown = BTreeSet::new();
        for (text, least) in [(rules.clone(), 10), (queries.join(" "), 25)] {
            let names = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_'));
            let names = names.filter(|word| word.starts_with("knotpost_") || word.starts_with("process_"));
            // Those of `deploy/knotpost-backup` are no metrics of the program.
            let names = names.filter(|word| !word.starts_with("knotpost_backup_"));
            let names: BTreeSet<String> = names.map(ToOwned::to_owned).collect();
            assert!(names.len() >= least, "{names:?}");
            for name in names {
                let of = |suffix: &str| name.strip_suffix(suffix).unwrap_or(&name).to_owned();
                let whole = [name.clone(), of("_bucket"), of("_sum"), of("_count")];
                let known = METRICS.iter().find(|(known, ..)| whole.iter().any(|name| name == known));
                let (_, kind, _) = known.unwrap_or_else(|| panic!("{name}"));
                let is_part = !METRICS.iter().any(|(known, ..)| *known == name);
                assert!(!is_part || [Kind::Summary, Kind::Histogram].contains(kind), "{name}");
                shown.insert(name);
            }
        }
        assert!(queries.iter().all(|query| query.contains("knotpost")), "{queries:?}");
        let docs = fs::read_to_string(root().join("docs/operations/monitoring.md")).unwrap();
        let shown = docs.split("```yaml\n").find(|block| block.starts_with("groups:")).unwrap();
        let (shown, _) = shown.split_once("\n```\n").unwrap();
        assert!(
            rules.trim_end().ends_with(shown),
            "docs/operations/monitoring.md shows the rules of the file"
        );
    }
}
